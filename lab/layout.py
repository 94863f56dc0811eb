#!/usr/bin/env python3
"""Whether pictures that are made smaller take the place on a page that they would have taken.

    python3 lab/layout.py target/release/gleaner FOLDER

A page of 24 pictures of FOLDER (JPEG of photographs, 600 pixels wide or more), stated in each of eight ways, is opened in headless Chromium as on a phone (360
by 800 pixels of density 2), by a proxy that makes pictures smaller and by one that does not, and scrolled to its end. Prints how many boxes differ by more than a
pixel in size or a pixel for eight pictures in place, the widest picture (`naturalWidth`) and its bytes. Needs chromium, chromedriver and Pillow.
"""

import glob, http.server, io, json, os, subprocess, sys, tempfile, threading, time, urllib.parse

import devices
from PIL import Image

devices.PROXY = ("127.0.0.1", 18119)
WAYS = [
    "<img src='/{n}-1600' alt=A>",
    "<img src='/{n}-1600' width=1600 height=1066 alt=A>",
    "<img src='/{n}-300' alt=A>",
    "<img src='/{n}-600' width=150 height=100 alt=A>",
    "<img src='/{n}-300' srcset='/{n}-300 300w, /{n}-900 900w, /{n}-1600 1600w' sizes='100vw' alt=A>",
    "<img src='/{n}-200' srcset='/{n}-200, /{n}-400 2x, /{n}-600 3x' alt=A>",
    "<img src='/{n}-340' srcset='/{n}-680 2x, /{n}-1020 3x' alt=A>",
    "<picture><source srcset='/{n}-400 400w, /{n}-1400 1400w' sizes='50vw'><img src='/{n}-400' alt=A></picture>",
]
TEXT = "A clock shows the time to all who look at it, and it strikes the hours. " * 8
SCROLL = """const done = arguments[0]; let y = 0;
const step = () => { y += 400; scrollTo(0, y); y < document.body.scrollHeight ? setTimeout(step, 150) : setTimeout(() => {
  scrollTo(0, 0);
  done([...document.querySelectorAll('article img, main img, body img')].filter(i => i.alt == 'A').map(i => {
    const box = i.getBoundingClientRect();
    return [[box.x, box.y, box.width, box.height].map(n => Math.round(n)), i.naturalWidth, i.complete];
  }));
}, 3000) };
step();"""


def main():
    program, folder = sys.argv[1:]
    photos = [Image.open(name).convert("RGB") for name in sorted(glob.glob(folder + "/*.jpg"))[:24]]
    body = "".join(f"<p>{TEXT}<p>{WAYS[n % len(WAYS)].format(n=n)}" for n in range(len(photos)))
    page = f"<!doctype html><title>Clocks</title><article><h1>Clocks</h1>{body}<p>{TEXT}</article>".encode()

    class Site(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_):
            pass

        def do_GET(self):
            path, content, kind = urllib.parse.urlsplit(self.path).path, page, "text/html"
            if "-" in path:
                number, width = map(int, path[1:].split("-"))
                photo, bytes_of = photos[number], io.BytesIO()
                photo.resize((width, width * 2 // 3)).save(bytes_of, "JPEG", quality=85)
                content, kind = bytes_of.getvalue(), "image/jpeg"
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

    site = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Site)
    threading.Thread(target=site.serve_forever, daemon=True).start()
    seen = {scale: look(program, scale, f"http://127.0.0.1:{site.server_port}/") for scale in ("off", "on")}
    pairs = list(zip(seen["off"][0], seen["on"][0], strict=True))
    # A height is rounded to whole pixels of the file, and what is below a picture moves by as much.
    most = (1, 1 + len(pairs) // 8, 1, 1)
    different = [(n, a, b) for n, (a, b) in enumerate(pairs) if any(abs(x - y) > m for x, y, m in zip(a[0], b[0], most))]
    for n, before, after in different:
        print(f"picture {n}, {WAYS[n % len(WAYS)]}: {before} became {after}")
    assert all(picture[2] for picture in seen["on"][0]), "a picture did not come"
    print(f"{len(pairs)} pictures, {len(different)} boxes differ; widest {max(b[1] for _, b in pairs)}, before {max(a[1] for a, _ in pairs)};"
          f" {seen['off'][1] // 1000} kB became {seen['on'][1] // 1000}")


def look(program, scale, page):
    with tempfile.TemporaryDirectory() as home:
        with open(home + "/c.yaml", "w", encoding="utf-8") as file:
            json.dump({
                "listen": "%s:%d" % devices.PROXY, "access": {"allow_targets": ["127.0.0.0/8"]}, "log": {"level": "error"},
                "devices": [{"profile": "phone"}], "profiles": {"phone": {"pictures": {"scale": scale}}},
                "limits": {"picture_seconds": 30},
            }, file)
        environment = dict(os.environ, XDG_DATA_HOME=home, XDG_CONFIG_HOME=home)
        proxy = subprocess.Popen([program, "serve", "--config", home + "/c.yaml"], env=environment, stdout=subprocess.DEVNULL)
        devices.wait_for(devices.PROXY[1])
        browser = devices.Browser(360, 800, True)
        try:
            browser.develop("Emulation.setDeviceMetricsOverride", width=360, height=800, deviceScaleFactor=2, mobile=True)
            browser.command("/timeouts", script=120000)
            browser.command("/url", url=page)
            pictures = browser.command("/execute/async", script=SCROLL, args=[])
            events = [json.loads(entry["message"])["message"] for entry in browser.command("/se/log", type="performance")]
            return pictures, sum(e["params"]["encodedDataLength"] for e in events if e["method"] == "Network.loadingFinished")
        finally:
            browser.end()
            proxy.terminate()
            proxy.wait()


main()
