"""What the profiles make of a folder of pictures: bytes before and after, processor time for a megapixel, memory and likeness.

    python3 lab/pictures.py target/release/gleaner FOLDER [PROFILE[:SETTINGS]]...

SETTINGS (JSON) are laid over those of the profile: 'e-ink:{ "dither": true }'.

Asks a proxy of its own for each picture in turn, from a server of its own, as a page in a browser would. Memory is the most that
the proxy grew by, for a pixel of the largest picture. Likeness is SSIMULACRA2 (100: the same; 70: high quality) against the original
at the size and in the colours that are shown: as it is sent, and in the column of a narrow screen. Needs `pip install ssimulacra2`, which brings Pillow.
"""

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


def main():
    binary, folder, *profiles = sys.argv[1:]
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
        with tempfile.TemporaryDirectory() as home:
            config = os.path.join(home, "config.yaml")
            own = {"scale": "on", **json.loads(settings or "{}")}
            with open(config, "w", encoding="utf-8") as file:
                file.write(
                    "listen: 127.0.0.1:18118\nlog: { level: error }\naccess: { allow_targets: ['127.0.0.1:1-65535'] }\n"
                    f"profiles: {{ {profile}: {{ pictures: {json.dumps(own)} }} }}\nsites: [{{ hosts: ['127.0.0.1'], profile: {profile} }}]\n"
                )
            environment = dict(os.environ, XDG_DATA_HOME=home, XDG_CONFIG_HOME=home)
            proxy = subprocess.Popen([binary, "serve", "--config", config], env=environment, stdout=subprocess.DEVNULL)
            try:
                measure(profile, proxy, server.server_port, names, folder)
            finally:
                proxy.terminate()
                proxy.wait()


def measure(profile, proxy, port, names, folder):
    for _ in range(100):
        try:
            http.client.HTTPConnection("127.0.0.1", 18118, timeout=5).connect()
            break
        except OSError:
            time.sleep(0.1)
    page = f"http://127.0.0.1:{port}/"
    connection = http.client.HTTPConnection("127.0.0.1", 18118, timeout=30)
    connection.request("GET", page, headers={"Accept": "text/html"})
    connection.getresponse().read()
    start, sent, passed = processor_seconds(proxy.pid), {}, []
    at_rest = memory(proxy.pid, "VmRSS")
    for name in names:
        connection = http.client.HTTPConnection("127.0.0.1", 18118, timeout=30)
        headers = {"Sec-Fetch-Dest": "image", "Accept": "image/webp,*/*", "Referer": page, "Connection": "close"}
        connection.request("GET", page + name, headers=headers)
        answer = connection.getresponse()
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
