// FuckAdBlock, and its successor BlockAdBlock: nothing is detected.
function Detector() {
    this._not = [];
}
add(Detector.prototype, {
    setOption: function () { return this; },
    check: function () { this.emitEvent(false); return true; },
    emitEvent: function (detected) { if (!detected) this._not.forEach(function (call) { later(call); }); return this; },
    clearEvent: function () { this._not = []; },
    on: function (detected, call) { return detected ? this : this.onNotDetected(call); },
    onDetected: function () { return this; },
    onNotDetected: function (call) { this._not.push(call); later(call); return this; }
});
['FuckAdBlock', 'BlockAdBlock', 'SniffAdBlock', 'AdBlock'].forEach(function (name) { window[name] = Detector; });
['fuckAdBlock', 'blockAdBlock', 'sniffAdBlock'].forEach(function (name) { window[name] = new Detector(); });
