#!/usr/bin/env python3
"""Bytes, requests and time to readable text in headless Chromium, without the proxy and with each shipped profile.

    python3 lab/devices.py target/release/gleaner DEV PHOTOS [PAGES]

DEV is the folder of the pages (`html/*.html.gz`, `ground-truth/*.json`), of which PAGES (60) are drawn, of all kinds alike. Pages
whose main text Chromium does not show by itself (scripts would draw it) are replaced by the next. A line of Markdown for each
profile, and beside it `devices.tsv` with a line for each page. PHOTOS is a folder with photographs (Debian's `mate-backgrounds` has some).

No site is asked. In a network namespace of its own (`unshare`, which needs no root) every name leads to a local origin: it has the
page, and in the place of all else inert stand-ins of the sizes below. Needs chromium, chromedriver, openssl, iproute2 and imagemagick.
"""

import functools, glob, gzip, http.client, http.server, json, math, os, random, re, socket, socketserver, ssl, statistics
import subprocess, sys, tempfile, threading, time, urllib.parse, zlib

SEED = 30
KINDS = ["article", "collection", "documentation", "forum", "listing", "product", "service"]
# Mean sizes on the median page by HTTP Archive's Web Almanac 2024 (bytes of a kind over requests of it, desktop), but for icons.
SIZES = {"image": 58_000, "icon": 5_000, "font": 30_000, "script": 25_000, "style": 10_000, "iframe": 18_000}
TYPES = {"image": "image/jpeg", "icon": "image/svg+xml", "font": "font/woff2", "script": "text/javascript", "style": "text/css", "iframe": "text/html"}
DRAWING = '<svg xmlns="http://www.w3.org/2000/svg" width="600" height="400"><!--'
STARTS = {"icon": DRAWING, "iframe": "<!doctype html><!--"}
ENDS = {"icon": "--></svg>", "iframe": "-->"}
# A picture of that many bytes at the median bits per pixel of JPEG between .2 and .3 megapixels (1.95; HTTP Archive 2024).
PICTURE = (600, 397)
# A household's line to the Internet: a round trip, and bytes a second for all connections together.
ROUND_TRIP = 0.05
BYTES_PER_SECOND = 10e6 / 8
PROXY = ("127.0.0.1", 8118)
# Name, profile, and width and height of the window; without a profile: without the proxy.
CASES = [
    ("no proxy, desktop", None, 1280, 800),
    ("no proxy, phone", None, 390, 844),
    ("`off`", "off", 1280, 800),
    ("`desktop`", "desktop", 1280, 800),
    ("`phone`", "phone", 390, 844),
    ("`phone`, pictures scaled", "phone", 390, 844),
    ("`e-ink`", "e-ink", 600, 800),
    ("`text`", "text", 1280, 800),
]
# Reports when a frame shows the beginning of the main text.
WATCH = """(() => {
  if (window !== top) return;
  const letters = text => text.replace(/[^\\p{L}\\p{N}]/gu, '');
  const shows = text => %s.some(line => text.includes(line));
  const look = () => {
    if (document.body && shows(letters(document.body.innerText))) window.readable = performance.now();
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
})()"""


def letters(text):
    return "".join(filter(str.isalnum, text))


def draw(folder):
    """The pages by kind, in an order that is always the same: address, file, and letters of the main text's first three long lines."""
    pages = {kind: [] for kind in KINDS}
    for file in sorted(glob.glob(folder + "/ground-truth/*.json")):
        with open(file, encoding="utf-8") as opened:
            truth = json.load(opened)
        lines = [letters(line) for line in truth["ground_truth"].get("main_content", "").splitlines()]
        first = [line[:40] for line in lines if len(line) >= 40][:3]
        if first:
            page = file.replace("ground-truth", "html").replace(".json", ".html.gz")
            pages[truth["_internal"]["page_type"]["primary"]].append((truth.get("url") or "https://page.example/", page, first))
    for kind in KINDS:
        random.Random(SEED).shuffle(pages[kind])
    return pages


class Line:
    """What all connections share."""

    def __init__(self):
        self.lock, self.free = threading.Lock(), 0

    def send(self, file, content):
        for start in range(0, len(content), 16384):
            part = content[start : start + 16384]
            with self.lock:
                self.free = max(time.monotonic(), self.free) + len(part) / BYTES_PER_SECOND
                wait = self.free - time.monotonic()
            time.sleep(max(0, wait))
            file.write(part)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    page, photos, line = ("", b""), [], Line()

    def log_message(self, *_):
        pass

    def setup(self):
        time.sleep(ROUND_TRIP)
        if isinstance(self.request, ssl.SSLSocket):
            time.sleep(ROUND_TRIP)
            self.request.do_handshake()
        super().setup()

    def handle(self):
        try:
            super().handle()
        except OSError:
            pass  # the browser left

    def do_GET(self):
        time.sleep(ROUND_TRIP)
        address, content = self.page
        kind = self.headers.get("Sec-Fetch-Dest") or next((k for k in SIZES if k in self.headers.get("Accept", "")), "script")
        if kind == "image" and "icon" in self.path:
            kind = "icon"
        if (self.headers.get("Host"), self.path) == address:
            self.answer("text/html", content, [("Content-Encoding", "gzip")])
        elif kind == "image":
            self.answer(TYPES[kind], self.photos[zlib.crc32(self.path.encode()) % len(self.photos)], [])
        elif kind in SIZES:
            start, end = STARTS.get(kind, "/*"), ENDS.get(kind, "*/")
            self.answer(TYPES[kind], (start + "x" * (SIZES[kind] - len(start + end)) + end).encode(), [])
        else:
            self.answer("text/plain", b"", [])

    do_POST = do_GET

    def answer(self, kind, content, fields):
        self.send_response(200)
        for name, value in [("Content-Type", kind), ("Content-Length", str(len(content))), *fields]:
            self.send_header(name, value)
        self.send_header("Access-Control-Allow-Origin", "*")
        self.end_headers()
        self.line.send(self.wfile, content)


class Origin(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True
    request_queue_size = 256

    def handle_error(self, *_):
        pass  # a handshake that the client broke off


def authority(folder):
    """An authority, and a server's TLS that signs for whatever name is asked for."""

    def openssl(*arguments):
        subprocess.run(["openssl", *arguments], cwd=folder, check=True, capture_output=True)

    curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "9", "-subj", "/CN=origins"]
    openssl("req", "-x509", *curve, "-keyout", "ca.key", "-out", "ca.pem", "-addext", "basicConstraints=critical,CA:TRUE")
    openssl("req", *curve[:-4], "-subj", "/CN=origin", "-keyout", "origin.key", "-out", "origin.csr")

    lock = threading.Lock()

    @functools.cache
    def context(name):
        with open(f"{folder}/{name}.ext", "w", encoding="ascii") as file:
            file.write(f"subjectAltName=DNS:{name}\n")
        openssl("x509", "-req", "-in", "origin.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-days", "9", "-extfile", f"{name}.ext", "-out", f"{name}.pem")
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(f"{folder}/{name}.pem", f"{folder}/origin.key")
        return tls

    def choose(connection, name, _):
        with lock:
            connection.context = context(name or "localhost")

    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.sni_callback = choose
    return tls


def serve_names():
    """A name server that answers 127.0.0.1."""
    server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server.bind(("127.0.0.1", 53))

    def answer():
        while True:
            query, client = server.recvfrom(512)
            end = query.index(0, 12) + 5
            found = query[end - 4 : end - 2] == b"\0\1"
            head = query[:2] + b"\x81\x80\0\1" + (b"\0\1" if found else b"\0\0") + b"\0\0\0\0"
            server.sendto(head + query[12:end] + (b"\xc0\x0c\0\1\0\1\0\0\1\0\0\4\x7f\0\0\1" if found else b""), client)

    threading.Thread(target=answer, daemon=True).start()


class Browser:
    """Chromium by chromedriver (WebDriver, and the DevTools protocol through it)."""

    def __init__(self, width, height, proxied):
        self.home = tempfile.TemporaryDirectory()
        environment = dict(os.environ, HOME=self.home.name)
        self.driver = subprocess.Popen(["chromedriver", "--port=9515"], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_for(9515)
        arguments = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--ignore-certificate-errors"]
        arguments += ["--disable-background-networking", "--disable-component-update", "--disable-site-isolation-trials"]
        arguments += [f"--user-data-dir={self.home.name}/profile", "--proxy-bypass-list=<-loopback>"]
        arguments += ["--proxy-server=%s:%d" % PROXY] if proxied else ["--no-proxy-server"]
        wanted = {"goog:chromeOptions": {"args": arguments}, "goog:loggingPrefs": {"performance": "ALL"}}
        self.session = ""
        opened = self.command("/session", capabilities={"alwaysMatch": {**wanted, "timeouts": {"pageLoad": 60000}}})
        self.session = "/session/" + opened["sessionId"]
        self.watch = None
        phone = width < 600
        self.develop("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=phone)

    def command(self, path, **body):
        connection = http.client.HTTPConnection("127.0.0.1", 9515)
        connection.request("POST", self.session + path, json.dumps(body))
        answer = json.load(connection.getresponse())["value"]
        if isinstance(answer, dict) and "error" in answer:
            raise RuntimeError(answer["message"])
        return answer

    def develop(self, name, **parameters):
        return self.command("/goog/cdp/execute", cmd=name, params=parameters)

    def measure(self, url, first):
        """Requests, bytes, and milliseconds to readable text (infinity: it was not shown)."""
        self.command("/url", url="about:blank")
        self.develop("Network.clearBrowserCache")
        if self.watch:
            self.develop("Page.removeScriptToEvaluateOnNewDocument", identifier=self.watch)
        self.watch = self.develop("Page.addScriptToEvaluateOnNewDocument", source=WATCH % json.dumps(first))["identifier"]
        self.command("/se/log", type="performance")
        self.command("/url", url=url)
        time.sleep(0.5)
        readable = self.command("/execute/sync", script="return window.readable || null", args=[])
        events = [json.loads(entry["message"])["message"] for entry in self.command("/se/log", type="performance")]
        sent = [e for e in events if e["method"] == "Network.requestWillBeSent" and e["params"]["request"]["url"].startswith("http")]
        size = sum(e["params"]["encodedDataLength"] for e in events if e["method"] == "Network.loadingFinished")
        return len(sent), size, readable or math.inf

    def end(self):
        connection = http.client.HTTPConnection("127.0.0.1", 9515)
        connection.request("DELETE", self.session)
        connection.getresponse().read()
        self.driver.terminate()
        self.driver.wait()


def wait_for(port):
    for _ in range(400):
        try:
            return socket.create_connection(("127.0.0.1", port)).close()
        except ConnectionRefusedError:
            time.sleep(0.05)
    sys.exit(f"nothing listens on port {port}")


def show(url, file):
    """Makes the origin serve this page."""
    parts = urllib.parse.urlsplit(url)
    with gzip.open(file) as opened:
        content = gzip.compress(opened.read())
    Handler.page = ((parts.netloc, urllib.parse.urlunsplit(("", "", parts.path or "/", parts.query, ""))), content)


def run_case(program, folder, case, pages):
    """Measures each page; without a list of pages, draws them."""
    name, profile, width, height = case
    proxy = None
    if profile:
        with open(f"{folder}/c.yaml", "w", encoding="utf-8") as file:
            json.dump({
                "listen": "%s:%d" % PROXY, "https": {"intercept": "on"}, "upstream": {"extra_ca_file": "ca.pem"},
                "authority": {"dir": "authority"}, "access": {"allow_targets": ["127.0.0.0/8"]},
                "devices": [{"profile": profile}],
                "profiles": {profile: {"pictures": {"scale": "on"}}} if "scaled" in name else {},
            }, file)
        proxy = subprocess.Popen([program, "serve", "--config", f"{folder}/c.yaml"], stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        wait_for(PROXY[1])
    browser = Browser(width, height, proxy is not None)
    for page in pages:
        url, file, first = page
        show(url, file)
        try:
            figures = browser.measure(url, first)
        except RuntimeError as error:
            print(f"{url}: {error.args[0].splitlines()[0]}", file=sys.stderr)
            figures = (0, 0, math.inf)
        yield page, figures
    browser.end()
    if proxy:
        proxy.terminate()
        proxy.wait()


def make_pictures(photos):
    """Each photograph as a page would have it, of the mean size as nearly as JPEG's quality allows."""
    width, height = PICTURE
    for photo in sorted(glob.glob(f"{photos}/**/*.jpg", recursive=True)):
        shape = ["-resize", f"{width}x{height}^", "-gravity", "center", "-extent", f"{width}x{height}", "-strip", "-sampling-factor", "4:2:0"]
        sizes = ((abs(len(made) - SIZES["image"]), made) for made in (
            subprocess.run(["convert", photo, *shape, "-quality", str(quality), "jpg:-"], check=True, capture_output=True).stdout
            for quality in range(60, 100, 3)
        ))
        yield min(sizes)[1]


def first_case(program, folder, drawn, count):
    """Draws, in turn of each kind, pages that show their text."""
    queues = {kind: iter(pages) for kind, pages in drawn.items()}
    found, kind = [], 0

    def candidates():
        while len(found) < count:
            yield next(queues[KINDS[len(found) % len(KINDS)]])

    for page, figures in run_case(program, folder, CASES[0], candidates()):
        if figures[2] < math.inf:
            found.append((page, figures))
    return found


def measure(program, data, photos, count):
    folder = tempfile.mkdtemp(prefix="gleaner-devices-")
    Handler.photos = list(make_pictures(photos))
    print("pictures, KB:", *(f"{len(photo) / 1000:.0f}" for photo in Handler.photos), file=sys.stderr)
    tls = authority(folder)
    for port in (80, 443):
        server = Origin(("127.0.0.1", port), Handler)
        if port == 443:
            server.socket = tls.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
        threading.Thread(target=server.serve_forever, daemon=True).start()
    serve_names()
    rows = first_case(program, folder, draw(data), count)
    pages = [page for page, _ in rows]
    print("| | requests | KB | text after, ms | 90 % of pages, ms | text shown |\n|---|---|---|---|---|---|")
    with open("devices.tsv", "w", encoding="utf-8") as file:
        for case in CASES:
            rows = rows if case == CASES[0] else list(run_case(program, folder, case, pages))
            for (url, *_), figures in rows:
                print(case[0], url, *figures, sep="\t", file=file, flush=True)
            requests, sizes, times = zip(*(figures for _, figures in rows))
            late = sorted(times)[math.ceil(0.9 * len(times)) - 1]
            shown = sum(time < math.inf for time in times)
            middle = statistics.median
            print(f"| {case[0]} | {middle(requests):.0f} | {middle(sizes) / 1000:.0f} | {middle(times):.0f} | {late:.0f} | {shown} of {len(rows)} |", flush=True)


def main():
    if len(sys.argv) not in (4, 5):
        sys.exit(__doc__)
    if os.environ.get("GLEANER_INSIDE") is None:
        inside = "ip link set lo up && echo nameserver 127.0.0.1 > /tmp/resolv.$$ && mount --bind /tmp/resolv.$$ /etc/resolv.conf && rm /tmp/resolv.$$ && exec \"$@\""
        os.environ["GLEANER_INSIDE"] = "1"
        os.execvp("unshare", ["unshare", "--map-root-user", "--net", "--mount", "sh", "-c", inside, "sh", sys.executable, *sys.argv])
    measure(*sys.argv[1:4], int(sys.argv[4]) if len(sys.argv) == 5 else 60)


if __name__ == "__main__":
    main()
