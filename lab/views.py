#!/usr/bin/env python3
"""How long the views of the bar take, beside the page itself, through the proxy and on this machine alone.

    python3 lab/views.py target/release/gleaner DEV [EVERY]

DEV is the folder of the pages (`html/*.html.gz`), of which each EVERYth (40) is loaded, and then each view that its bar links to.
"""

import functools, glob, gzip, html, http.server, re, statistics, subprocess, sys, tempfile, threading, time, urllib.request

VIEWS = ["Less", "More", "Next block", "Text", "Why"]


class Origin(http.server.BaseHTTPRequestHandler):
    """Serves each page at its number."""

    protocol_version = "HTTP/1.1"

    def __init__(self, pages, *rest):
        self.pages = pages
        super().__init__(*rest)

    def do_GET(self):
        body = self.pages[int(self.path[1:])]
        self.send_response(200)
        self.send_header("content-type", "text/html; charset=utf-8")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def measure(proxy, origin, count):
    """Milliseconds of the pages that have a bar, and of their views by name."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({"http": "http://" + proxy}))

    def get(url):
        begun = time.perf_counter()
        with opener.open(urllib.request.Request(url, headers={"accept": "text/html"})) as response:
            text = response.read().decode("utf-8", "replace")
        return text, (time.perf_counter() - begun) * 1e3

    times = {name: [] for name in ["the page itself", *VIEWS]}
    for number in range(count):
        text, taken = get(f"{origin}/{number}")
        bar = re.search(r'<nav id="gleaner-controls".*?</nav>', text, re.S)
        if not bar:
            continue
        times["the page itself"].append(taken)
        for name in VIEWS:
            # Its words are in the page's language: English ones are followed.
            link = re.search(r'href="([^"]*)">' + name + "</a>", bar[0])
            if link:
                times[name].append(get(html.unescape(link[1]))[1])
    return times


def main(program, folder, every=40):
    files = sorted(glob.glob(folder + "/html/*.html.gz"))[:: int(every)]
    pages = [gzip.open(file).read() for file in files]
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Origin, pages))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as work:
        with open(work + "/config.yaml", "w") as config:
            config.write(f"listen: 127.0.0.1:0\naccess: {{ allow_targets: ['127.0.0.1:{server.server_port}'] }}\nauthority: {{ dir: {work}/ca }}\n")
        command = [program, "--config", work + "/config.yaml", "serve"]
        proxy = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        try:
            address = next(line.split()[1] for line in proxy.stdout if line.strip().startswith("proxy "))
            times = measure(address, f"http://127.0.0.1:{server.server_port}", len(pages))
        finally:
            proxy.terminate()
    print(f"{len(pages)} pages of {sum(map(len, pages)) // len(pages) // 1000} kB in the mean\n")
    print("| | pages | median | 95 of 100 | most |\n|---|---|---|---|---|")
    for name, taken in times.items():
        taken.sort()
        print(f"| {name} | {len(taken)} | {statistics.median(taken):.0f} ms | {taken[int(len(taken) * 0.95)]:.0f} ms | {taken[-1]:.0f} ms |")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(*sys.argv[1:4])
