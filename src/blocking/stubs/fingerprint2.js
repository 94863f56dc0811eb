// Fingerprintjs2: a browser like all others.
var none = [{ key: 'user_agent', value: '' }];
function Fingerprint2() {}
function get(options, done) { later(typeof options === 'function' ? options : done, none); }
Fingerprint2.prototype.get = function (done) { later(done, '', none); };
add(Fingerprint2, {
    get: get, x64hash128: function () { return ''; },
    getPromise: function () { return Promise.resolve(none); },
    getV18: function (options, done) { later(typeof options === 'function' ? options : done, '', none); }
});
window.Fingerprint2 = window.Fingerprint = Fingerprint2;
