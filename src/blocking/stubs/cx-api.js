// Google's Content Experiments: everybody sees the original.
window.cxApi = {
    ORIGINAL_VARIATION: 0, NO_CHOSEN_VARIATION: -1, NOT_PARTICIPATING: -2,
    chooseVariation: function () { return 0; },
    getChosenVariation: function () { return 0; },
    setAllowHash: nothing, setChosenVariation: nothing, setCookiePath: nothing, setDomainName: nothing
};
