"""What the profiles make of a folder of pictures: bytes before and after, and the processor time for a megapixel.

    python3 lab/pictures.py target/release/gleaner FOLDER [PROFILE]...

Asks a proxy of its own for each picture in turn, from a server of its own, as a page in a browser would.
"""

import http.client
import http.server
import os
import re
import subprocess
import sys
import tempfile
import threading
import time


PAGE = b"<title>Clocks</title><article><h1>Clocks</h1><p>" + b"A clock shows the time to all who look. " * 30 + b"</article>"


def processor_seconds(process):
    fields = open(f"/proc/{process}/stat").read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


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
        with tempfile.TemporaryDirectory() as home:
            config = os.path.join(home, "config.yaml")
            scale = "pictures: { scale: on }, " if profile == "phone" else ""
            with open(config, "w", encoding="utf-8") as file:
                file.write(
                    "listen: 127.0.0.1:18118\nlog: { level: error }\naccess: { allow_targets: ['127.0.0.1:1-65535'] }\n"
                    f"profiles: {{ {profile}: {{ {scale}}} }}\nsites: [{{ hosts: ['127.0.0.1'], profile: {profile} }}]\n"
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
    start, before, after, passed = processor_seconds(proxy.pid), 0, 0, []
    for name in names:
        connection = http.client.HTTPConnection("127.0.0.1", 18118, timeout=30)
        headers = {"Sec-Fetch-Dest": "image", "Accept": "image/webp,*/*", "Referer": page, "Connection": "close"}
        connection.request("GET", page + name, headers=headers)
        answer = connection.getresponse()
        size, said = len(answer.read()), answer.getheader("gleaner") or ""
        before, after = before + os.path.getsize(os.path.join(folder, name)), after + size
        if not said.startswith("scaled"):
            passed.append(f"{name} ({said.removeprefix('passed; reason=')})")
    seconds = processor_seconds(proxy.pid) - start
    print(f"{profile:8} {len(names)} pictures, {before // 1000} kB to {after // 1000} kB ({after / before:.0%}), {seconds / len(names) * 1000:.0f} ms each", end="")
    print(f"; as they are: {', '.join(passed)}" if passed else "")


main()
