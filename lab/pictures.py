"""What the profiles make of a folder of pictures: bytes before and after, processor time for a megapixel, memory and likeness.

    python3 lab/pictures.py target/release/gleaner FOLDER [PROFILE[:SETTINGS]]...
    python3 lab/pictures.py target/release/gleaner passing

SETTINGS (JSON) are laid over those of the profile: 'e-ink:{ "dither": true }'.

Asks a proxy of its own for each picture in turn, from a server of its own, as a page in a browser would. Memory is the most that
the proxy grew by, for a pixel of the largest picture. Likeness is SSIMULACRA2 (100: the same; 70: high quality) against the original
at the size and in the colours that are shown: as it is sent, and in the column of a narrow screen. Needs `pip install ssimulacra2`, which brings Pillow.

`passing` measures the time to the first byte of pictures that come as they are, with `scale: on` and `off` in turn. Their server sends the first 40 kB at
once, and 40 kB more after a tenth of a second.
"""

import contextlib
import http.client
import http.server
import io
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time

from PIL import Image, ImageOps
from ssimulacra2 import compute_ssimulacra2

# Width of the reader page's column on a profile's narrowest screen, in its pixels: 600 of a Kindle, 360 of density 2.
COLUMNS = {"phone": 656, "e-ink": 558, "vintage": 608}

PAGE = b"<title>Clocks</title><article><h1>Clocks</h1><p>" + b"A clock shows the time to all who look. " * 30 + b"</article>"


def processor_seconds(process):
    fields = open(f"/proc/{process}/stat").read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def memory(process, field):
    """A field of the process's status, in bytes."""
    return int(re.search(rf"{field}:\s+(\d+) kB", open(f"/proc/{process}/status").read())[1]) * 1024


def likeness(original, sent, most):
    """The score of a picture that was made smaller, where it is shown so many pixels wide at most."""
    scaled = Image.open(io.BytesIO(sent))
    scaled = scaled.convert("L" if scaled.mode in ("1", "L", "I") else "RGB")
    width = min(most, scaled.width)
    size = (width, scaled.height * width // scaled.width)
    shown = ImageOps.exif_transpose(Image.open(original)).convert("RGB")
    if scaled.mode == "L":
        # As browsers make greys (Filter Effects § 6.1), not as television did, which is Pillow's way.
        shown = shown.convert("L", (0.2126, 0.7152, 0.0722, 0))
    shown = shown.resize(scaled.size, Image.Resampling.LANCZOS)
    scaled, shown = (picture.resize(size, Image.Resampling.LANCZOS) for picture in (scaled, shown))
    with tempfile.TemporaryDirectory() as folder:
        names = [os.path.join(folder, name) for name in ("shown.png", "sent.png")]
        for picture, name in zip((shown, scaled), names):
            picture.convert("RGB").save(name)
        return compute_ssimulacra2(*names)


@contextlib.contextmanager
def proxy_with(binary, profile, settings, port=18118):
    """A proxy where all pages have a profile with such settings of pictures."""
    with tempfile.TemporaryDirectory() as home:
        config = os.path.join(home, "config.yaml")
        with open(config, "w", encoding="utf-8") as file:
            file.write(
                f"listen: 127.0.0.1:{port}\nlog: {{ level: error }}\naccess: {{ allow_targets: ['127.0.0.1:1-65535'] }}\n"
                f"profiles: {{ {profile}: {{ pictures: {json.dumps(settings)} }} }}\nsites: [{{ hosts: ['127.0.0.1'], profile: {profile} }}]\n"
            )
        environment = dict(os.environ, XDG_DATA_HOME=home, XDG_CONFIG_HOME=home)
        proxy = subprocess.Popen([binary, "serve", "--config", config], env=environment, stdout=subprocess.DEVNULL)
        try:
            for _ in range(100):
                try:
                    http.client.HTTPConnection("127.0.0.1", port, timeout=5).connect()
                    break
                except OSError:
                    time.sleep(0.1)
            yield proxy
        finally:
            proxy.terminate()
            proxy.wait()


def page_read(port, page):
    """A connection on which the page was read, so that its pictures are those of a page of ours."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request("GET", page, headers={"Accept": "text/html"})
    connection.getresponse().read()
    return connection


def ask(connection, page, name):
    headers = {"Sec-Fetch-Dest": "image", "Accept": "image/webp,*/*", "Referer": page}
    connection.request("GET", page + name, headers=headers)
    return connection.getresponse()


# Pictures that come as they are, by their first bytes: a kind that is not decoded, an animation, 100 million pixels, and a short one.
PASSING = {
    "a.avif": b"\0\0\0\x20ftypavif".ljust(40_000, b"a"),
    "a.gif": b"GIF89a\x40\1\xf0\0\0\0\0\x21\xff\x0bNETSCAPE2.0\3\1\0\0\0,\0\0\0\0\1\0\1\0".ljust(40_000, b"a"),
    "a.jpg": b"\xff\xd8\xff\xc0\0\x11\x08\x27\x10\x27\x10\3\1\x22\0\2\x11\1\3\x11\1".ljust(40_000, b"a"),
    "short.jpg": b"\xff\xd8\xff\xc0\0\x11\x08\0\x10\0\x10\3\1\x22\0\2\x11\1\3\x11\1".ljust(4_000, b"a"),
}


def passing(binary):
    class Pictures(http.server.BaseHTTPRequestHandler):
        protocol_version, wbufsize = "HTTP/1.1", 1 << 16

        def log_message(self, *_):
            pass

        def do_GET(self):
            body = PASSING.get(self.path[1:], PAGE)
            rest = body if len(body) == 40_000 else b""
            self.send_response(200)
            self.send_header("Content-Type", "text/html" if body is PAGE else "image/jpeg")
            self.send_header("Content-Length", str(len(body) + len(rest)))
            self.end_headers()
            self.wfile.write(body)
            if rest:
                self.wfile.flush()
                time.sleep(0.1)
                self.wfile.write(rest)

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Pictures)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    page = f"http://127.0.0.1:{server.server_port}/"
    with proxy_with(binary, "phone", {"scale": "on"}, 18118), proxy_with(binary, "phone", {"scale": "off"}, 18117):
        on, off = page_read(18118, page), page_read(18117, page)
        for name in PASSING:
            times, reasons = {on: [], off: []}, {}
            for _ in range(100):
                for connection in (on, off):
                    start = time.monotonic()
                    answer = ask(connection, page, name)
                    answer.read(1)
                    times[connection].append(time.monotonic() - start)
                    answer.read()
                    reasons[connection] = answer.getheader("gleaner")
            medians = [statistics.median(times[connection]) * 1000 for connection in (on, off)]
            print(f"{name:10} first byte after {medians[0]:.2f} ms with scale: on ({reasons[on]}), {medians[1]:.2f} with off")


def main():
    binary, folder, *profiles = sys.argv[1:]
    if folder == "passing":
        return passing(binary)
    names = sorted(name for name in os.listdir(folder) if re.search(r"\.(jpe?g|png|gif|webp)$", name, re.I))

    class Pictures(http.server.SimpleHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def __init__(self, *arguments):
            super().__init__(*arguments, directory=folder)

        def log_message(self, *_):
            pass

        def do_GET(self):
            if self.path != "/":
                return super().do_GET()
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(PAGE)))
            self.end_headers()
            self.wfile.write(PAGE)

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Pictures)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    for profile in profiles or ["phone", "e-ink", "vintage"]:
        profile, _, settings = profile.partition(":")
        with proxy_with(binary, profile, {"scale": "on", **json.loads(settings or "{}")}) as proxy:
            measure(profile, proxy, server.server_port, names, folder)


def measure(profile, proxy, port, names, folder):
    page = f"http://127.0.0.1:{port}/"
    connection = page_read(18118, page)
    start, sent, passed = processor_seconds(proxy.pid), {}, []
    at_rest = memory(proxy.pid, "VmRSS")
    for name in names:
        answer = ask(connection, page, name)
        sent[name], said = answer.read(), answer.getheader("gleaner") or ""
        if not said.startswith("scaled"):
            passed.append(f"{name} ({said.removeprefix('passed; reason=')})")
    seconds, grown = processor_seconds(proxy.pid) - start, memory(proxy.pid, "VmHWM") - at_rest
    files = {name: os.path.join(folder, name) for name in names}
    before, after = sum(map(os.path.getsize, files.values())), sum(map(len, sent.values()))
    pixels = [width * height for width, height in (Image.open(file).size for file in files.values())]
    kept = [name.split(" ")[0] for name in passed]
    changed = [name for name in names if name not in kept]
    likenesses = [sorted(likeness(files[name], sent[name], most) for name in changed) for most in (16384, COLUMNS[profile])]
    likenesses = ", ".join(f"{statistics.median(scores):.1f} (lowest {scores[0]:.1f})" for scores in likenesses)
    print(
        f"{profile:8} {len(names)} pictures, {before // 1000} kB to {after // 1000} kB ({after / before:.0%}), "
        f"{seconds / sum(pixels) * 1e9:.0f} ms a megapixel, {grown / max(pixels):.1f} bytes a pixel, "
        f"likeness {likenesses} in {COLUMNS[profile]} pixels"
    )
    print(f"as they are: {', '.join(passed)}" if passed else "", end="\n" if passed else "")


main()
