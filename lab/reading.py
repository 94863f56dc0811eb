#!/usr/bin/env python3
"""Sheets for reading pages beside what the proxy makes of them, on a screen of 390x844.

    python3 lab/reading.py target/release/gleaner DEV OUT [PAGES [SEED]]

DEV is the folder of the pages (`html/*.html.gz`, `ground-truth/*.json`), of which PAGES (200) are drawn by SEED (1), kinds in
proportion. OUT gets for each page NUMBER-ID.jpg (on the left the main content that people have marked, then the proxy's page screen by
screen, the last one being its end), .txt (what is lost of the main content, what stands there beside it, and what the proxy says it did),
.reader.html, and .original.txt: what Chromium shows without the proxy.

No site is asked: the proxy gets the page from a parent proxy here, and a picture is a grey box with its name. Chromium runs no script.
Needs chromium and playwright.
"""

import gzip, html, http.server, itertools, json, os, pathlib, random, re, subprocess, sys, tempfile, threading, urllib.parse, urllib.request

from playwright.sync_api import sync_playwright

WIDTH, HEIGHT, SCREENS = 390, 844, 10
AGENT = "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Mobile Safari/537.36"
SHEET = """<!doctype html><meta charset=utf-8><style>body{margin:0;width:1560px;display:flex;background:#888}
pre{margin:0;width:296px;height:1100px;overflow:hidden;white-space:pre-wrap;font:10px/12px sans-serif;background:#ffd;padding:2px}
div{width:1260px;display:flex;flex-wrap:wrap;gap:2px}img{width:250px;height:541px;object-fit:contain;object-position:top;background:#fff}
</style><pre>%s</pre><div>%s</div>"""
PICTURE = '<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d"><rect width="100%%" height="100%%" fill="#9bc"/><text x="9" y="200" font-size="26">%s</text></svg>'
RUN = 3  # words in a row that both texts have


def draw(folder, count, seed):
    """Files of the pages that have main content, kinds in proportion, in an order of which each beginning is a fair sample."""
    kinds = {}
    for file in sorted(pathlib.Path(folder, "ground-truth").glob("*.json")):
        told = json.loads(file.read_text())
        if (told["ground_truth"].get("main_content") or "").strip():
            kinds.setdefault(told["_internal"]["page_type"]["primary"], []).append((file.stem, told))
    every, chance = sum(map(len, kinds.values())), random.Random(seed)
    drawn = [page for kind in sorted(kinds) for page in chance.sample(kinds[kind], round(count * len(kinds[kind]) / every))]
    chance.shuffle(drawn)
    return drawn


class Origin(http.server.BaseHTTPRequestHandler):
    """A parent proxy whose sites all have one page."""

    page = b""

    def do_GET(self):
        self.send_response(200)
        self.send_header("content-type", "text/html; charset=utf-8")
        self.send_header("content-length", str(len(self.page)))
        self.end_headers()
        self.wfile.write(self.page)

    log_message = lambda *_: None


def missing(text, other):
    """Pieces of a text whose runs of words do not stand in another one, with their numbers of words, and how many words it has."""
    own, others = list(re.finditer(r"\w+", text)), re.findall(r"\w+", other.lower())
    runs = {tuple(others[at : at + RUN]) for at in range(len(others))}
    found = set()
    for at in range(len(own)):
        if tuple(word[0].lower() for word in own[at : at + RUN]) in runs:
            found.update(range(at, at + RUN))
    parts = [list(part) for is_found, part in itertools.groupby(range(len(own)), found.__contains__) if not is_found]
    return len(own), [(len(part), " ".join(text[own[part[0]].start() : own[part[-1]].end()].split())) for part in parts]


def answer(route, page):
    """A page for its address, and a stand-in for whatever it wants."""
    kind, address = route.request.resource_type, route.request.url
    if kind != "image":
        is_page = kind == "document" and route.request.frame.parent_frame is None
        return route.fulfill(body=page, content_type="text/html; charset=utf-8") if is_page else route.abort()
    name = urllib.parse.urlsplit(address).path.rsplit("/", 1)[-1][-40:]
    width, height = (40, 40) if re.search("icon|logo|avatar|emoji|badge|sprite", address, re.I) else (600, 400)
    route.fulfill(body=PICTURE % (width, height, html.escape(name)), content_type="image/svg+xml")


def load(browser, url, page):
    tab = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT}, is_mobile=True, java_script_enabled=False, user_agent=AGENT)
    tab.route("**/*", lambda route: answer(route, page))
    tab.goto(url, wait_until="load", timeout=20_000)
    return tab


def sheet(browser, tab, truth, path):
    """Writes the picture; how many screens the page has."""
    height = max(tab.locator("html").bounding_box()["height"], 1)
    tops = list(range(0, int(height), HEIGHT))
    tops[SCREENS - 1 :] = [int(height) - HEIGHT] if len(tops) > SCREENS else tops[SCREENS - 1 :]
    files = [os.path.abspath(f"{path}.{number}.png") for number in range(len(tops))]
    for top, file in zip(tops, files):
        tab.screenshot(path=file, full_page=True, clip={"x": 0, "y": top, "width": WIDTH, "height": min(HEIGHT, height - top)})
    pathlib.Path(f"{path}.html").write_text(SHEET % (html.escape(truth), "".join(f'<img src="file://{file}">' for file in files)))
    page = browser.new_page(viewport={"width": 1560, "height": 1100})
    page.goto(f"file://{os.path.abspath(path)}.html")
    page.screenshot(path=f"{path}.jpg", type="jpeg", quality=80)
    page.close()
    [os.remove(file) for file in [*files, f"{path}.html"]]
    return f"{height / HEIGHT:.1f} screens"


def read(browser, opener, told, path):
    """Writes all about a page; its kind and address."""
    truth, url = told["ground_truth"], re.sub("^https:", "http:", told.get("url") or "http://page.example/").split("#")[0]
    about = f"{told['_internal']['page_type']['primary']} {url}"
    asked = urllib.request.Request(urllib.parse.quote(url, safe="%/:=&?~#+!$,;'@()*[]"), headers={"accept": "text/html", "user-agent": AGENT})
    with opener.open(asked) as response:
        page, said = response.read(), response.headers.get("gleaner")
    pathlib.Path(f"{path}.reader.html").write_bytes(page)
    original, reader = load(browser, url, Origin.page), load(browser, url, page)
    pathlib.Path(f"{path}.original.txt").write_text(original.locator("body").inner_text())
    lines = [about, f"gleaner: {said}", sheet(browser, reader, truth["main_content"], path)]
    lines += [f"{field}: {truth.get(field)}" for field in ("title", "author", "publish_date")]
    reader.evaluate("document.querySelectorAll('main details:not(#gleaner-links)').forEach(one => one.open = true)")
    text = reader.locator("body").inner_text()
    for label, one, other in (("LOST", truth["main_content"], text), ("MORE", text, truth["main_content"])):
        total, pieces = missing(one, other)
        lines += [f"{label} {sum(size for size, _ in pieces)} of {total}", *(f"  - {piece}" for _, piece in pieces)]
    pathlib.Path(f"{path}.txt").write_text("\n".join(lines) + "\n")
    original.close(), reader.close()
    return about


def main(program, dev, out, count=200, seed=1):
    os.makedirs(out, exist_ok=True)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Origin)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as work, sync_playwright() as player:
        parent = f"upstream: {{ via: [{{ proxy: 'http://127.0.0.1:{server.server_port}' }}] }}"
        pathlib.Path(work, "config.yaml").write_text(f"listen: 127.0.0.1:0\n{parent}\nauthority: {{ dir: {work}/ca }}\n")
        proxy = subprocess.Popen([program, "--config", work + "/config.yaml", "serve"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        browser = player.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox", "--disable-gpu"])
        try:
            address = next(line.split()[1] for line in proxy.stdout if line.strip().startswith("proxy "))
            opener = urllib.request.build_opener(urllib.request.ProxyHandler({"http": "http://" + address}))
            for number, (name, told) in enumerate(draw(dev, int(count), int(seed)), 1):
                Origin.page = gzip.open(f"{dev}/html/{name}.html.gz").read()
                print(name, read(browser, opener, told, f"{out}/{number:03}-{name}"), flush=True)
        finally:
            proxy.terminate()
            browser.close()


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    main(*sys.argv[1:6])
