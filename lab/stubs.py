#!/usr/bin/env python3
"""What pages that wait for a blocked library do: in Firefox with uBlock Origin, and through the proxy, with the same lists.

    apt-get download webext-ublock-origin-firefox && dpkg -x webext-ublock-origin-firefox_*.deb ublock
    python3 lab/stubs.py target/release/gleaner ublock

Needs Firefox ESR and Debian's package of uBlock Origin, which is not installed. Every page says what of its own work was done, and when; nothing
here reaches the web: all hosts are answered by a server of this program, a library by a script that says it was reached.
"""

import http.server, json, pathlib, socket, subprocess, sys, tempfile, threading, time, urllib.parse

# How long a page has; what it waits for by a clock of its own takes four seconds.
PATIENCE = 6

# What a page has before its libraries, its libraries, and what it does after them.
PAGES = {
    "a link that waits for Tag Manager": (
        "dataLayer = [{ event: 'click', eventCallback: () => tell('followed early') }]",
        ["www.googletagmanager.com/gtm.js?id=GTM-ABC"],
        "later(() => dataLayer.push({ event: 'click', eventCallback: () => tell('followed'), eventTimeout: 2000 }))",
    ),
    "a link that waits for gtag": (
        "dataLayer = []; gtag = function () { dataLayer.push(arguments) }; gtag('js', new Date())",
        ["www.googletagmanager.com/gtag/js?id=G-ABC"],
        "later(() => gtag('event', 'click', { event_callback: () => tell('followed') }))",
    ),
    "a form that waits for Analytics": (
        "GoogleAnalyticsObject = 'ga'; ga = function () { (ga.q = ga.q || []).push(arguments) }; ga.l = +new Date(); ga('create', 'UA-1-1', 'auto')",
        ["www.google-analytics.com/analytics.js"],
        "later(() => { ga('send', 'event', 'form', 'sent', { hitCallback: () => tell('sent') }); ga(() => tell('ready')) })",
    ),
    "links with Analytics' linker": (
        "GoogleAnalyticsObject = 'ga'; ga = function () { (ga.q = ga.q || []).push(arguments) }; ga.l = +new Date(); ga('create', 'UA-1-1', 'auto')",
        ["www.google-analytics.com/analytics.js"],
        "later(() => ga(tracker => { const known = tracker && tracker.get('linkerParam'); tell('linked'); }))",
    ),
    "the old Analytics": (
        "_gaq = [['_setAccount', 'UA-1-1'], () => tell('queue')]",
        ["ssl.google-analytics.com/ga.js"],
        "later(() => { _gaq.push(['_trackPageview']); _gaq.push(() => tell('pushed')); _gat._getTracker('UA-1-1')._trackEvent('a', 'b'); tell('tracked') })",
    ),
    "a page that is hidden for experiments": (
        "const all = document.documentElement; all.className = 'async-hide'; const show = () => { if (all.className) tell('shown'); all.className = '' };"
        "dataLayer = []; dataLayer.hide = { start: +new Date(), end: show, 'GTM-ABC': true }; setTimeout(show, 4000)",
        ["www.googletagmanager.com/gtm.js?id=GTM-ABC"],
        "",
    ),
    "a script that has `onerror`": (
        "const script = document.createElement('script'); script.src = 'http://static.ads-twitter.com/uwt.js';"
        "script.onerror = () => tell('fallback'); script.onload = () => tell('loaded'); document.head.append(script)",
        [],
        "",
    ),
    "scripts by promise": (
        "const load = src => new Promise((done, fail) => { const script = document.createElement('script');"
        "Object.assign(script, { src, onload: () => done('loaded'), onerror: () => fail('failed') }); document.head.append(script) });"
        "Promise.allSettled(['http://bat.bing.com/bat.js', 'http://script.crazyegg.com/pages/1.js', 'http://cdn.taboola.com/libtrc/x/loader.js']"
        ".map(load)).then(all => tell(all.map(one => one.value || one.reason).join(' ')))",
        [],
        "",
    ),
    "a promise of `fetch` and one of XMLHttpRequest": (
        "fetch('http://bat.bing.com/p').then(() => tell('answered'), () => tell('failed'));"
        "const ask = new XMLHttpRequest(); ask.open('POST', 'http://bat.bing.com/action'); ask.onloadend = () => tell('xhr ' + ask.status); ask.send('x')",
        [],
        "",
    ),
    "a `fetch` in whose place a rule has a text": (
        "fetch('http://stats.g.doubleclick.net/j/collect').then(answer => tell('answered ' + answer.status), () => tell('failed'))",
        [],
        "",
    ),
    "a picture that counts": (
        "const pixel = new Image(); pixel.onload = pixel.onerror = event => tell('counted ' + event.type); pixel.src = 'http://b.scorecardresearch.com/p?c1=2'",
        [],
        "",
    ),
    "a frame and a style sheet": (
        "addEventListener('DOMContentLoaded', () => { for (const [kind, name, src] of [['iframe', 'src', 'http://tpc.googlesyndication.com/safeframe/1-0-40/html/container.html'],"
        "['link', 'href', 'http://cdn.taboola.com/x.css']]) { const one = document.createElement(kind); one.rel = 'stylesheet';"
        "one.onload = () => tell(kind + ' load'); one.onerror = () => tell(kind + ' error'); one[name] = src; document.body.append(one) } })",
        [],
        "",
    ),
    "slots of Publisher Tag": (
        "googletag = { cmd: [] }; googletag.cmd.push(() => { const slot = googletag.defineSlot('/1/x', [300, 250], 'slot').addService(googletag.pubads());"
        "googletag.pubads().addEventListener('slotRenderEnded', event => tell('rendered ' + event.isEmpty));"
        "googletag.pubads().enableSingleRequest(); googletag.enableServices(); googletag.display('slot'); tell('queue') })",
        ["securepubads.g.doubleclick.net/tag/js/gpt.js"],
        "later(() => { googletag.pubads().refresh(); googletag.pubads().setTargeting('a', 'b'); tell('refreshed') })",
    ),
    "AdSense": (
        "adsbygoogle = window.adsbygoogle || []",
        ["pagead2.googlesyndication.com/pagead/js/adsbygoogle.js"],
        "later(() => { adsbygoogle.push({}); tell('pushed') })",
    ),
    "a player with IMA": (
        "",
        ["imasdk.googleapis.com/js/sdkloader/ima3.js"],
        "later(() => { const box = new google.ima.AdDisplayContainer(document.body, document.createElement('video')); box.initialize();"
        "const loader = new google.ima.AdsLoader(box); loader.addEventListener(google.ima.AdErrorEvent.Type.AD_ERROR, () => tell('film plays'), false);"
        "loader.addEventListener(google.ima.AdsManagerLoadedEvent.Type.ADS_MANAGER_LOADED, event => { const ads = event.getAdsManager({});"
        "ads.addEventListener(google.ima.AdEvent.Type.CONTENT_RESUME_REQUESTED, () => tell('film plays'));"
        "ads.addEventListener(google.ima.AdEvent.Type.ALL_ADS_COMPLETED, () => tell('film plays'));"
        "ads.addEventListener(google.ima.AdErrorEvent.Type.AD_ERROR, () => tell('film plays'));"
        "try { ads.init(640, 360, google.ima.ViewMode.NORMAL); ads.start() } catch (error) { tell('film plays') } }, false);"
        "const wanted = new google.ima.AdsRequest(); wanted.adTagUrl = 'http://pubads.g.doubleclick.net/gampad/ads'; loader.requestAds(wanted) })",
    ),
    "bids of Amazon": (
        "apstag = { _Q: [], init() { apstag._Q.push(['i', arguments]) }, fetchBids() { apstag._Q.push(['f', arguments]) }, setDisplayBids() {} };"
        "apstag.init({ pubID: 'x' }); apstag.fetchBids({ slots: [] }, () => tell('bids'))",
        ["c.amazon-adsystem.com/aax2/apstag.js"],
        "later(() => apstag.fetchBids({ slots: [] }, () => tell('late bids')))",
    ),
    "bids of Prebid": (
        "pbjs = { que: [] }; pbjs.que.push(() => { pbjs.addAdUnits([]); pbjs.requestBids({ bidsBackHandler: () => tell('bids') }) })",
        ["cdn.adsafeprotected.com/prebid.js"],
        "",
    ),
    "Comscore in a handler": ("", ["sb.scorecardresearch.com/beacon.js"], "later(() => { COMSCORE.beacon({ c1: 2 }); tell('went on') })"),
    "Chartbeat in a handler": (
        "_sf_async_config = {}",
        ["static.chartbeat.com/js/chartbeat.js"],
        "later(() => { pSUPERFLY.virtualPage('/x', 'x'); tell('went on') })",
    ),
    "Meta's pixel in a handler": ("", ["connect.facebook.net/en_US/fbevents.js"], "later(() => { fbq('track', 'Lead'); tell('went on') })"),
    "Hotjar in a handler": ("", ["static.hotjar.com/c/hotjar-1.js?sv=6"], "later(() => { hj('event', 'x'); tell('went on') })"),
    "Segment's call back": (
        "analytics = []; for (const name of ['track', 'ready', 'page']) analytics[name] = (...given) => analytics.push([name, ...given]);"
        "analytics.track('x', {}, {}, () => tell('tracked')); analytics.ready(() => tell('ready'))",
        ["cdn.segment.com/analytics.js/v1/x/analytics.min.js"],
        "",
    ),
    "Matomo's queue": (
        "_paq = [['trackPageView'], [function () { tell('queue ' + typeof this.getVisitorId) }]]",
        ["cdn.matomo.cloud/x.matomo.cloud/matomo.js"],
        "",
    ),
    "FingerprintJS": (
        "",
        ["openfpcdn.io/fingerprintjs/v3/iife.min.js"],
        "later(() => FingerprintJS.load().then(agent => agent.get()).then(found => tell('known ' + typeof found.visitorId)))",
    ),
    "Outbrain's widget": ("", ["widgets.outbrain.com/outbrain.js"], "later(() => { OBR.extern.renderSpaWidgets(); tell('went on') })"),
    "a look for blockers": (
        "",
        ["pagead2.googlesyndication.com/pagead/js/adsbygoogle.js"],
        "later(() => tell(window.adsbygoogle && adsbygoogle.loaded ? 'no blocker seen' : 'blocker seen'))",
    ),
}

PAGE = """<!doctype html><meta charset=utf-8><title>{name}</title><style>.async-hide {{ opacity: 0 }}</style><script>
window.told = []; window.reached = []; function tell(what) {{ told.push([what, Math.round(performance.now())]) }}
addEventListener('error', event => {{ if (event.message) tell('error: ' + event.message) }});
addEventListener('unhandledrejection', event => tell('rejected: ' + event.reason));
function later(work) {{ addEventListener('load', () => setTimeout(work, 300)) }}
</script><script>{before}</script><body><div id=slot></div><p>The town clock has a single hand.</p>{scripts}<script>{after}</script>"""


class World(http.server.BaseHTTPRequestHandler):
    """All hosts, asked as a proxy is."""

    def do_GET(self):
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        url = urllib.parse.urlsplit(self.path)
        kind, body = "application/javascript", f"(window.reached = window.reached || []).push('{url.netloc}{url.path}')"
        if url.netloc == "www.news.example":
            name = urllib.parse.unquote(url.path[1:])
            before, libraries, after = PAGES.get(name, ("", [], ""))
            scripts = "".join(f"<script src='http://{library}'></script>" for library in libraries)
            kind, body = "text/html", PAGE.format(name=name, before=before, scripts=scripts, after=after)
        self.send_response(200)
        for field, value in [("Content-Type", kind), ("Content-Length", str(len(body))), ("Access-Control-Allow-Origin", "*")]:
            self.send_header(field, value)
        self.end_headers()
        self.wfile.write(body.encode())

    do_POST = do_GET

    def log_message(self, *_):
        pass


class Firefox:
    """A window of Firefox, spoken to by Marionette: a number and a colon, then that many bytes of JSON."""

    def __init__(self, folder, proxy, extension=None):
        marionette = free_port()
        settings = {
            "marionette.port": marionette,
            "network.proxy.type": 1,
            "network.proxy.http": "127.0.0.1",
            "network.proxy.http_port": proxy,
            # Addresses of http stay what they are, so that no certificate is needed.
            "network.stricttransportsecurity.preloadlist": False,
            "dom.security.https_first": False,
            # Neither an extension of the system nor Firefox's own blocking is compared.
            "extensions.enabledScopes": 5,
            "privacy.trackingprotection.enabled": False,
            "privacy.trackingprotection.pbmode.enabled": False,
            "browser.contentblocking.category": "custom",
            "network.captive-portal-service.enabled": False,
            "network.connectivity-service.enabled": False,
            "services.settings.server": "http://127.0.0.1:9/",
        }
        lines = [f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in settings.items()]
        profile = pathlib.Path(folder, f"firefox-{marionette}")
        profile.mkdir()
        (profile / "user.js").write_text("".join(lines))
        command = ["firefox-esr", "--headless", "--no-remote", "--marionette", "--profile", profile]
        self.running = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.stream, self.count = connect(marionette).makefile("rwb"), 0
        self.read()
        self.ask("WebDriver:NewSession", capabilities={})
        if extension:
            self.ask("Addon:Install", path=str(extension), temporary=True)

    def read(self):
        length = b""
        while not length.endswith(b":"):
            length += self.stream.read(1)
        return json.loads(self.stream.read(int(length[:-1])))

    def ask(self, name, **given):
        self.count += 1
        message = json.dumps([0, self.count, name, given]).encode()
        self.stream.write(b"%d:%s" % (len(message), message))
        self.stream.flush()
        _, _, error, answer = self.read()
        if error:
            raise RuntimeError(error["message"])
        return answer

    def script(self, text):
        return self.ask("WebDriver:ExecuteScript", script=text, args=[], sandbox=None)["value"]

    def visit(self, name, patience=PATIENCE):
        """What a page told, and which libraries were reached."""
        self.ask("WebDriver:Navigate", url="http://www.news.example/" + urllib.parse.quote(name))
        time.sleep(patience)
        return self.script("return [window.told, window.reached]")

    def end(self):
        self.ask("Marionette:Quit", flags=["eForceQuit"])
        self.running.wait()


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as free:
        return free.getsockname()[1]


def connect(port):
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port))
        except ConnectionRefusedError:
            time.sleep(0.1)


def run(firefox):
    # The lists are in force when this page's library is blocked.
    while firefox.visit("a picture that counts", 1)[0][0][0] != "counted error" or firefox.visit("Hotjar in a handler", 1)[1]:
        time.sleep(1)
    found = {name: firefox.visit(name) for name in PAGES}
    firefox.end()
    return found


def shown(told, reached):
    late = lambda ms: f" ({ms / 1000:.1f} s)" if ms > 2000 else ""
    return ", ".join(sorted({what + late(ms) for what, ms in told} | {"reached " + one for one in reached or []})) or "nothing"


def main():
    program, unpacked = sys.argv[1:3]
    extension = next(pathlib.Path(unpacked).resolve().rglob("uBlock0@raymondhill.net"))
    lists = sorted(one for one in (extension / "assets").rglob("*.txt") if one.name != "badlists.txt" and "publicsuffix" not in str(one))
    world = http.server.ThreadingHTTPServer(("127.0.0.1", 0), World)
    threading.Thread(target=world.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as folder:
        theirs = run(Firefox(folder, world.server_port, extension))
        port = free_port()
        config = pathlib.Path(folder, "config.yaml")
        config.write_text(
            f"listen: 127.0.0.1:{port}\nauthority: {{ dir: '{folder}/authority' }}\nrewrite: {{ enabled: false }}\n"
            f"upstream: {{ via: [{{ proxy: 'http://127.0.0.1:{world.server_port}' }}] }}\nblocking: {{ lists: {json.dumps([str(one) for one in lists])} }}\n"
        )
        gleaner = subprocess.Popen([program, "--config", config, "serve"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            connect(port).close()
            ours = run(Firefox(folder, port))
        finally:
            gleaner.terminate()
            gleaner.wait()
    print(f"{len(lists)} lists")
    differ = 0
    for name in PAGES:
        there, here = shown(*theirs[name]), shown(*ours[name])
        differ += there != here
        print(f"{'same  ' if there == here else 'DIFFER'} {name}: {here}" + ("" if there == here else f"; with uBlock Origin: {there}"))
    print(f"{len(PAGES)} pages, {differ} differ")


main()
