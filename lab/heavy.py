#!/usr/bin/env python3
"""A page that is made to cost much, 130,000 times `<ul><li>b</ul>` (1.8 MB, 4 kB gzipped): what it costs, and what honest pages wait.

    python3 lab/heavy.py target/release/gleaner

A table with bounds: the proxy's processor time for the page, how long its client waits for the answer, and how long an honest
page of another site waits beside three and beside forty of them (which come all at once, from one client and one site), the
longest of five. Ends with an error where a bound is broken, or where an honest page was not rewritten.
"""

import gzip, http.client, http.server, os, subprocess, sys, tempfile, threading, time

ARTICLE = "<p>" + "Some words of an article that a person reads, sentence after sentence. " * 20
HONEST = ("<!DOCTYPE html><title>Honest</title>" + ARTICLE * 8).encode()
HEAVY = gzip.compress(("<!DOCTYPE html><title>Lists</title>" + ARTICLE + "<ul><li>b</ul>" * 130_000).encode())
PROCESSOR, ANSWER, HONEST_WAIT = 1.2, 2.0, 1.0  # seconds


class Origin(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        body = HEAVY if self.path.startswith("/heavy") else HONEST
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        if body is HEAVY:
            self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def origin():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Origin)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_address[1]


def get(proxy, url):
    """How long it took, and what the proxy says it did."""
    start = time.monotonic()
    connection = http.client.HTTPConnection("127.0.0.1", proxy, timeout=120)
    connection.request("GET", url, headers={"Accept": "text/html", "Accept-Encoding": "gzip", "Sec-Fetch-Dest": "document"})
    response = connection.getresponse()
    response.read()
    connection.close()
    return time.monotonic() - start, response.getheader("Gleaner", "")


def processor_time(pid):
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def settled(pid):
    """The processor time once the proxy rests."""
    last = -1.0
    while (now := processor_time(pid)) != last:
        last = now
        time.sleep(0.5)
    return now


def beside(proxy, pid, heavy, honest, count):
    """The longest wait for an honest page beside so many heavy ones."""
    clients = [threading.Thread(target=get, args=(proxy, f"{heavy}/{count}/{n}")) for n in range(count)]
    for client in clients:
        client.start()
    time.sleep(0.3)  # all of them are there
    waited, left = 0, 0
    for _ in range(5):
        took, action = get(proxy, honest)
        if not action.startswith("rewritten"):
            sys.exit(f"an honest page beside {count} heavy ones: {action}")
        waited = max(waited, took)
        left = max(left, sum(client.is_alive() for client in clients))
    for client in clients:
        client.join()
    settled(pid)
    return waited, left


def main():
    with tempfile.TemporaryDirectory() as dir:
        with open(dir + "/c.yaml", "w") as file:
            file.write("listen: 0\nauthority: { dir: authority }\naccess: { allow_targets: ['127.0.0.1:1024-65535'] }\n")
        proxy = subprocess.Popen([os.path.abspath(sys.argv[1]), "serve", "--config", dir + "/c.yaml"], cwd=dir,
                                 stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        try:
            at = next(line.split()[1] for line in proxy.stdout if line.strip().startswith("proxy "))
            port = int(at.rsplit(":", 1)[1])
            # Sites are told apart by their names.
            heavy, honest = f"http://127.0.0.1:{origin()}/heavy", f"http://localhost:{origin()}/"
            alone, action = min(get(port, honest) for _ in range(5))
            before = settled(proxy.pid)
            answer, heavy_action = get(port, heavy)
            cost = settled(proxy.pid) - before
            three, _ = beside(port, proxy.pid, heavy, honest, 3)
            forty, left = beside(port, proxy.pid, heavy, honest, 40)
        finally:
            proxy.terminate()
            proxy.wait()
    rows = [("processor time of a heavy page", cost, PROCESSOR), (f"its answer ({heavy_action})", answer, ANSWER),
            (f"an honest page alone ({action})", alone, None), ("beside three heavy ones", three, HONEST_WAIT),
            (f"beside forty ({left} unanswered then)", forty, HONEST_WAIT)]
    for what, seconds, bound in rows:
        print(f"{what:60} {seconds:6.2f} s" + (f"   at most {bound:.1f} s" if bound else ""))
    if any(bound and seconds > bound for _, seconds, bound in rows):
        sys.exit("a bound is broken")


main()
