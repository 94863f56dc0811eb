// FingerprintJS: a browser like all others.
var visitor = { visitorId: '', confidence: { score: 0 }, components: {}, version: '', requestId: '' };
var agent = { get: function () { return Promise.resolve(visitor); } };
window.FingerprintJS = { load: function () { return Promise.resolve(agent); }, hashComponents: function () { return ''; }, componentsToDebugString: function () { return ''; } };
