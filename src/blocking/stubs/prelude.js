'use strict';
// Calls a page's function later, as a library that waits for its server does. An error is the page's own.
function later(call) {
    if (typeof call === 'function') {
        var rest = [].slice.call(arguments, 1);
        setTimeout(function () { call.apply(null, rest); }, 1);
    }
}
function nothing() {}
// An object whose methods do nothing; each returns `answer`, or the object itself where there is none.
function object(names, answer) {
    var made = {};
    names.split(' ').forEach(function (name) {
        made[name] = function () { return answer === undefined ? made : answer; };
    });
    return made;
}
function add(to, more) {
    Object.keys(more).forEach(function (name) { to[name] = more[name]; });
    return to;
}
// Runs what a page has queued in an array of functions, and from then on what it pushes.
function run_queue(queue, run) {
    var waiting = Array.isArray(queue) ? queue.slice() : [];
    var made = Array.isArray(queue) ? queue : [];
    made.push = function () {
        [].slice.call(arguments).forEach(function (item) {
            try { run(item); } catch (error) { setTimeout(function () { throw error; }, 0); }
        });
        return made.length;
    };
    waiting.forEach(function (item) { made.push(item); });
    return made;
}
function call(item) { if (typeof item === 'function') item(); }
// Shows a page that Google's snippets hide until an experiment is chosen.
function show_page() {
    var layer = window.dataLayer;
    if (layer && layer.hide && typeof layer.hide.end === 'function') layer.hide.end();
}
