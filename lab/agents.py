#!/usr/bin/env python3
"""What programs get of pages whose main content is known: the Markdown and the book (EPUB) of the reader's address.

    npm install gpt-tokenizer
    python3 lab/agents.py target/release/gleaner DEV [PAGES [SEED]]

PAGES (120) of DEV are drawn by SEED (1), kinds in proportion, and come from an origin here. Shown are the tokens (o200k) of the Markdown beside those
of the page, the share of the words of the main content that the Markdown has, pages that lose over half of them, and the time and size of books
without pictures. Needs node and, in the folder that it is started in, its package `gpt-tokenizer`.
"""

import collections, http.server, json, pathlib, random, statistics, subprocess, sys, tempfile, threading, time, urllib.error, urllib.parse, urllib.request

from pages import annotated, tokens, unpacked

COUNT = """const {encode} = require("gpt-tokenizer/cjs/encoding/o200k_base");
const texts = JSON.parse(require("fs").readFileSync(0));
console.log(JSON.stringify(texts.map(text => encode(text, {disallowedSpecial: new Set()}).length)))"""


def draw(dev, count, seed):
    """Pages, kinds in proportion."""
    kinds = {}
    for page in annotated(dev):
        kinds.setdefault(page.kind, []).append(page)
    every, chance = sum(map(len, kinds.values())), random.Random(seed)
    return [page for kind in sorted(kinds) for page in chance.sample(kinds[kind], round(count * len(kinds[kind]) / every))]


def serve(dev):
    class Site(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            name = self.path.strip("/")
            body = unpacked(dev, name) if name.isdigit() else b""
            self.send_response(200 if body else 404)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    site = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Site)
    threading.Thread(target=site.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{site.server_port}/"


def start(program, folder):
    """A proxy, and its reader's address."""
    with http.server.HTTPServer(("127.0.0.1", 0), None) as free:
        port = free.server_port
    (folder / "config.yaml").write_text(
        f"listen: 127.0.0.1:{port}\nauthority: {{ dir: '{folder}/authority' }}\n"
        "access: { allow_targets: ['127.0.0.1:1-65535'] }\nread: { targets: ['127.0.0.1:1-65535'] }\nagents: { front_matter: false }\n"
    )
    running = subprocess.Popen([program, "--config", folder / "config.yaml", "serve"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    read = f"http://127.0.0.1:{port}/read"
    while True:
        try:
            urllib.request.urlopen(read).close()
            return running, read
        except urllib.error.URLError:
            time.sleep(0.1)


def main():
    program, dev = sys.argv[1:3]
    count, seed = [int(given) for given in sys.argv[3:]] + [120, 1][len(sys.argv) - 3 :]
    site, failed, measured = serve(dev), 0, []
    with tempfile.TemporaryDirectory() as folder:
        running, read = start(program, pathlib.Path(folder))
        try:
            for page in draw(dev, count, seed):
                def get(form):
                    query = urllib.parse.urlencode({"url": site + page.name, "as": form, "images": "none"})
                    begun = time.monotonic()
                    with urllib.request.urlopen(f"{read}?{query}") as answer:
                        body = answer.read()
                    return body, time.monotonic() - begun

                try:
                    markdown = get("markdown")[0].decode()
                    book, seconds = get("epub")
                    # Of the time, what the page itself takes.
                    seconds -= min(get("reader")[1] for _ in range(3))
                except urllib.error.HTTPError:
                    failed += 1
                    continue
                html = unpacked(dev, page.name).decode("utf-8", "replace")
                have = collections.Counter(tokens(markdown))
                wanted = collections.Counter(page.reference)
                measured.append((html, markdown, (wanted & have).total() / wanted.total(), seconds, len(book)))
        finally:
            running.terminate()
            running.wait()
    htmls, markdowns, recalls, seconds, sizes = zip(*measured)
    texts = json.dumps([*htmls, *markdowns])
    counts = json.loads(subprocess.run(["node", "-e", COUNT], input=texts, capture_output=True, text=True, check=True).stdout)
    shares = [after / before for before, after in zip(counts, counts[len(htmls) :])]
    print(f"{len(measured)} pages, and {failed} that cannot be read")
    print(f"tokens of Markdown beside the page: median {statistics.median(shares):.1%}")
    print(f"recall of the main content: mean {statistics.mean(recalls):.3f}, median {statistics.median(recalls):.3f}")
    print(f"pages that lose over half: {sum(recall < 0.5 for recall in recalls)}")
    print(f"book, beside the page: median {statistics.median(seconds) * 1000:.0f} ms, worst {max(seconds) * 1000:.0f} ms; median {statistics.median(sizes) / 1000:.0f} KB, worst {max(sizes) / 1000:.0f} KB")


if __name__ == "__main__":
    main()
