// Google's IMA, for players: a request for advertisements ends with the error "no advertisements", after which a player
// shows its film.
var google = window.google = window.google || {};
function Emitter() { this.handlers = {}; }
add(Emitter.prototype, {
    addEventListener: function (names, handler, capture, scope) {
        var all = this.handlers;
        [].concat(names).forEach(function (name) {
            (all[name] = all[name] || []).push({ handler: handler, scope: scope });
        });
    },
    removeEventListener: function (names, handler) {
        var all = this.handlers;
        [].concat(names).forEach(function (name) {
            all[name] = (all[name] || []).filter(function (known) { return known.handler !== handler; });
        });
    },
    emit: function (event) {
        (this.handlers[event.type] || []).slice().forEach(function (known) {
            later(function () {
                if (typeof known.handler === 'function') known.handler.call(known.scope || window, event);
                else if (known.handler && known.handler.handleEvent) known.handler.handleEvent(event);
            });
        });
    }
});
function kind(base, methods, values) {
    function Made() { Emitter.call(this); if (this.begin) this.begin.apply(this, arguments); }
    Made.prototype = Object.create(base.prototype);
    Made.prototype.constructor = Made;
    add(Made.prototype, methods || {});
    return add(Made, values || {});
}
// Getters and setters of these names.
function fields(names) {
    var made = {};
    names.split(' ').forEach(function (name) {
        made['set' + name] = function (value) { this['_' + name] = value; };
        made['get' + name] = made['is' + name] = function () { return this['_' + name]; };
    });
    return made;
}
function names_of(text) {
    var made = {};
    text.split(' ').forEach(function (pair) {
        var parts = pair.split('=');
        made[parts[0]] = parts[1] || parts[0].toLowerCase().replace(/_(.)/g, function (_, letter) { return letter.toUpperCase(); });
    });
    return made;
}
var AdError = kind(Emitter, {
    begin: function (type, code, message) { this.type = type; this.code = code; this.message = message; this.data = {}; },
    getErrorCode: function () { return this.code; }, getVastErrorCode: function () { return this.code; },
    getInnerError: function () { return null; }, getMessage: function () { return this.message; },
    getType: function () { return this.type; },
    toString: function () { return 'AdError ' + this.code + ': ' + this.message; }
}, {
    ErrorCode: {
        ADS_REQUEST_NETWORK_ERROR: 1012, AUTOPLAY_DISALLOWED: 1205, COMPANION_AD_LOADING_FAILED: 603, COMPANION_REQUIRED_ERROR: 602,
        CONSENT_MANAGEMENT_PROVIDER_NOT_READY: 1301, FAILED_TO_REQUEST_ADS: 1005, INVALID_ADX_EXTENSION: 1105,
        INVALID_ARGUMENTS: 1101, NON_LINEAR_DIMENSIONS_ERROR: 501, OVERLAY_AD_LOADING_FAILED: 502, OVERLAY_AD_PLAYING_FAILED: 500,
        STREAM_INITIALIZATION_FAILED: 1020, UNKNOWN_AD_RESPONSE: 1010, UNKNOWN_ERROR: 900, UNSUPPORTED_LOCALE: 1011,
        VAST_ASSET_NOT_FOUND: 1007, VAST_EMPTY_RESPONSE: 1009, VAST_LINEAR_ASSET_MISMATCH: 403, VAST_LOAD_TIMEOUT: 301,
        VAST_MALFORMED_RESPONSE: 100, VAST_MEDIA_LOAD_TIMEOUT: 402, VAST_NONLINEAR_ASSET_MISMATCH: 503,
        VAST_NO_ADS_AFTER_WRAPPER: 303, VAST_SCHEMA_VALIDATION_ERROR: 101, VAST_TOO_MANY_REDIRECTS: 302,
        VAST_TRAFFICKING_ERROR: 200, VAST_UNEXPECTED_DURATION_ERROR: 202, VAST_UNEXPECTED_LINEARITY: 201,
        VAST_UNSUPPORTED_VERSION: 102, VAST_WRAPPER_ERROR: 300, VIDEO_PLAY_ERROR: 400, VPAID_ERROR: 901
    },
    Type: { AD_LOAD: 'adLoadError', AD_PLAY: 'adPlayError' }
});
var AdErrorEvent = kind(Emitter, {
    begin: function (error, context) { this.type = 'adError'; this.error = error; this.context = context || {}; },
    getError: function () { return this.error; }, getUserRequestContext: function () { return this.context; }
}, { Type: { AD_ERROR: 'adError' } });
var AdEvent = kind(Emitter, {
    begin: function (type) { this.type = type; }, getAd: function () { return null; }, getAdData: function () { return {}; }
}, {
    Type: names_of('AD_BREAK_READY AD_BUFFERING AD_CAN_PLAY AD_METADATA AD_PROGRESS ALL_ADS_COMPLETED CLICK COMPLETE ' +
        'CONTENT_PAUSE_REQUESTED CONTENT_RESUME_REQUESTED DURATION_CHANGE EXPANDED_CHANGED FIRST_QUARTILE=firstQuartile IMPRESSION ' +
        'INTERACTION LINEAR_CHANGED LOADED LOG MIDPOINT PAUSED=pause RESUMED=resume SKIPPABLE_STATE_CHANGED SKIPPED=skip STARTED=start ' +
        'THIRD_QUARTILE USER_CLOSE VIDEO_CLICKED VIDEO_ICON_CLICKED VIEWABLE_IMPRESSION VOLUME_CHANGED=volumeChange VOLUME_MUTED=mute')
});
var AdsManagerLoadedEvent = kind(Emitter, {
    begin: function (type) { this.type = type; },
    getAdsManager: function () { return new AdsManager(); }, getUserRequestContext: function () { return {}; }
}, { Type: { ADS_MANAGER_LOADED: 'adsManagerLoaded' } });
var AdsManager = kind(Emitter, add(object('collapse configureAdsManager destroy discardAdBreak expand focus pause resume skip stop ' +
    'updateAdsRenderingSettings resize clicked', null), {
    getAdSkippableState: function () { return false; }, getCuePoints: function () { return []; },
    getCurrentAd: function () { return null; }, getRemainingTime: function () { return -1; },
    getVolume: function () { return 1; }, setVolume: nothing, isCustomClickTrackingUsed: function () { return false; },
    isCustomPlaybackUsed: function () { return false; }, getAdCuePoints: function () { return []; },
    init: nothing,
    start: function () {
        var manager = this;
        ['contentResumeRequested', 'allAdsCompleted'].forEach(function (type) { manager.emit(new AdEvent(type)); });
    }
}));
var settings = kind(Emitter, add(fields('AutoPlayAdBreaks CompanionBackfill CookiesEnabled DisableCustomPlaybackForIOS10Plus ' +
    'DisableFlashAds FeatureFlags Locale NumRedirects PlayerType PlayerVersion Ppid SessionId UniqueAds VpaidAllowed VpaidMode'), {
    getFeatureFlags: function () { return {}; }
}), {
    CompanionBackfillMode: { ALWAYS: 'always', ON_MASTER_AD: 'on_master_ad' },
    VpaidMode: { DISABLED: 0, ENABLED: 1, INSECURE: 2 }
});
var AdsLoader = kind(Emitter, {
    contentComplete: nothing, destroy: nothing, getVersion: function () { return google.ima.VERSION; },
    getSettings: function () { return google.ima.settings; },
    requestAds: function (request, context) {
        var code = AdError.ErrorCode.VAST_NO_ADS_AFTER_WRAPPER;
        var error = new AdError('adLoadError', code, 'No Ads VAST response after one or more Wrappers');
        this.emit(new AdErrorEvent(error, context));
    }
});
var AdDisplayContainer = kind(Emitter, { initialize: nothing, destroy: nothing });
var AdsRequest = kind(Emitter, add(fields('AdWillAutoPlay AdWillPlayMuted ContinuousPlayback'), { setAdWillAutoPlay: nothing }));
var plain = kind(Emitter);
google.ima = {
    VERSION: '3.700.0', AdError: AdError, AdErrorEvent: AdErrorEvent, AdEvent: AdEvent, AdsManagerLoadedEvent: AdsManagerLoadedEvent,
    AdsManager: AdsManager, AdsLoader: AdsLoader, AdDisplayContainer: AdDisplayContainer, AdsRequest: AdsRequest,
    ImaSdkSettings: settings, settings: new settings(), AdsRenderingSettings: plain, Ad: plain, AdPodInfo: plain, AdProgressData: plain,
    AdCuePoints: plain, CompanionAd: plain, UniversalAdIdInfo: plain, dai: { api: {} }, secureSignals: {},
    CompanionAdSelectionSettings: kind(Emitter, {}, {
        CreativeType: { ALL: 'All', FLASH: 'Flash', IMAGE: 'Image' }, ResourceType: { ALL: 'All', HTML: 'Html', IFRAME: 'IFrame', STATIC: 'Static' },
        SizeCriteria: { IGNORE: 'IgnoreSize', SELECT_EXACT_MATCH: 'SelectExactMatch', SELECT_NEAR_MATCH: 'SelectNearMatch', SELECT_FLUID: 'SelectFluid' }
    }),
    CustomContentLoadedEvent: kind(Emitter, {}, { Type: { CUSTOM_CONTENT_LOADED: 'deprecated-event' } }),
    OmidAccessMode: { DOMAIN: 'domain', FULL: 'full', LIMITED: 'limited' },
    OmidVerificationVendor: { OTHER: 1, GOOGLE: 9 },
    UiElements: { AD_ATTRIBUTION: 'adAttribution', COUNTDOWN: 'countdown' },
    ViewMode: { FULLSCREEN: 'fullscreen', NORMAL: 'normal' }
};
