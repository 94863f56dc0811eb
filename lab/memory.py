#!/usr/bin/env python3
"""Memory of the proxy in bursts of large pages: at the peak, and what stays ten seconds after.

    python3 lab/memory.py target/release/gleaner 60 1       60 clients at once, pages of 1 MB, all of it markup
    python3 lab/memory.py target/release/gleaner 60 FOLDER  the 60 largest pages of a folder with html/*.html.gz

Everything runs on loopback. A line for each of three bursts: bytes of the pages, resident memory after and at the peak (MiB),
and what became of the pages.
"""

import collections, glob, gzip, http.server, os, socketserver, subprocess, sys, tempfile, threading, time, urllib.request

MARKUP = b'<div class="x"><p>Some words of <b>text</b> that <a href="/a">are</a> read, and more of them.</p></div>\n'
SETTLE_SECONDS = 11  # the allocator gives back what was not used for ten


def pages(what):
    if os.path.isdir(what):
        files = sorted(glob.glob(what + "/html/*.html.gz"), key=os.path.getsize, reverse=True)[:60]
        return [gzip.open(file).read() for file in files]
    count = int(float(what) * 1e6 / len(MARKUP))
    return [b"<!doctype html><html><body>" + MARKUP * count + b"</body></html>"]


def serve(contents):
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_):
            pass

        def do_GET(self):
            content = contents[int(self.path[1:]) % len(contents)]
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

    class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
        daemon_threads = True
        request_queue_size = 256

    server = Server(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_port


def resident(process):
    with open(f"/proc/{process.pid}/status") as status:
        fields = dict(line.split(":", 1) for line in status)
    return [int(fields[name].split()[0]) // 1024 for name in ("VmRSS", "VmHWM")]


def burst(proxy, port, clients):
    answers = []

    def get(number):
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({"http": f"http://{proxy}"}))
        answer = opener.open(f"http://127.0.0.1:{port}/{number}", timeout=300)
        answer.read()
        answers.append(answer.headers.get("Gleaner", "none").split("; kept")[0])

    threads = [threading.Thread(target=get, args=(number,)) for number in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return dict(collections.Counter(answers))


def main():
    program, clients, what = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    contents = pages(what)
    port = serve(contents)
    size = sum(len(contents[number % len(contents)]) for number in range(clients)) >> 20
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as config:
        config.write(f'access: {{ allow_targets: ["127.0.0.1:{port}"] }}\nlog: {{ level: warn }}\n')
        config.flush()
        command = [program, "--config", config.name, "--listen", "127.0.0.1:0"]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        try:
            proxy = next(line.split()[1] for line in process.stdout if line.strip().startswith("proxy"))
            print("idle", resident(process)[0], "MiB", flush=True)
            for _ in range(3):
                start = time.monotonic()
                answers = burst(proxy, port, clients)
                took = time.monotonic() - start
                time.sleep(SETTLE_SECONDS)
                after, peak = resident(process)
                print(f"{size} MiB of pages in {took:.1f} s: peak {peak}, after {after} MiB; {answers}", flush=True)
        finally:
            process.terminate()
            process.wait()


main()
