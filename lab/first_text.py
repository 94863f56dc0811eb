#!/usr/bin/env python3
"""How long a reader looks at nothing: the time to the first and to the last text of pages that come slowly, with and without us.

    python3 lab/first_text.py target/release/gleaner

The origin sends the head of a page and its first paragraph at once, then the other paragraphs with a pause before each. A line
for each kind of page: seconds to the first and to the last paragraph, direct and through the proxy, and what the proxy did.
"""

import os, socket, subprocess, sys, tempfile, threading, time

WORDS = "Enough words for a paragraph of an article that somebody wants to read while the rest of it is still on its way. " * 3
# Pauses in seconds before the second paragraph and those after it.
PAGES = {
    "at once": [0],
    "streamed, 0.2 s between parts": [0.2] * 10,
    "pauses once for 0.5 s": [0.5],
    "pauses once for 1 s": [1],
    "pauses once for 2.7 s": [2.7],
    "pauses once for 5 s": [5],
    "pauses once for 15 s": [15],
    "pauses four times for 2 s": [2] * 4,
    "a line of 2 kB/s": [0.17] * 60,
}


def serve(listener):
    def one(stream):
        path = stream.recv(65536).split(b" ", 2)[1].decode()
        pauses = list(PAGES.values())[int(path.rsplit("/", 1)[1])]
        send = lambda text: stream.sendall(text.encode())
        send("HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nConnection: close\r\n\r\n")
        send(f"<!doctype html><html><head><title>A page</title></head><body><main><h1>A page</h1><p>first {WORDS}</p>")
        for pause in pauses[:-1]:
            time.sleep(pause)
            send(f"<p>{WORDS}</p>")
        time.sleep(pauses[-1])
        send(f"<p>last {WORDS}</p></main></body></html>")
        stream.close()

    while True:
        threading.Thread(target=one, args=(listener.accept()[0],), daemon=True).start()


def look(address, url, host):
    """Seconds to the first and to the last paragraph, and what the proxy says of the page."""
    start, got, first, last = time.monotonic(), b"", None, None
    with socket.create_connection(address) as stream:
        stream.sendall(f"GET {url} HTTP/1.1\r\nHost: {host}\r\nAccept: text/html\r\nConnection: close\r\n\r\n".encode())
        while data := stream.recv(65536):
            got += data
            first = first or (b"first Enough" in got and time.monotonic() - start) or None
            last = last or (b"last Enough" in got and time.monotonic() - start) or None
    head = got.split(b"\r\n\r\n")[0].decode().lower()
    action = next((line[9:] for line in head.splitlines() if line.startswith("gleaner: ")), "")
    return first or 0, last or 0, action.split("; kept")[0][:30]


def main():
    listener = socket.create_server(("127.0.0.1", 0), backlog=64)
    threading.Thread(target=serve, args=(listener,), daemon=True).start()
    origin = "127.0.0.1:%d" % listener.getsockname()[1]
    with tempfile.TemporaryDirectory() as dir:
        with open(dir + "/config.yaml", "w") as file:
            file.write("listen: 0\nauthority: { dir: authority }\naccess: { allow_targets: ['127.0.0.1:1-65535'] }\n")
        proxy = subprocess.Popen(
            [os.path.abspath(sys.argv[1]), "--config", dir + "/config.yaml"],
            cwd=dir, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )
        try:
            line = next(line for line in proxy.stdout if line.strip().startswith(b"proxy "))
            ours = ("127.0.0.1", int(line.strip().rsplit(b":", 1)[1]))
            print("| page | direct: first text, last | through the proxy | |\n|---|---|---|---|")
            for number, name in enumerate(PAGES):
                direct = look(listener.getsockname(), f"/{number}", origin)
                through = look(ours, f"http://{origin}/{number}", origin)
                print(f"| {name} | {direct[0]:.1f}, {direct[1]:.1f} s | {through[0]:.1f}, {through[1]:.1f} s | {through[2]} |", flush=True)
        finally:
            proxy.terminate()
            proxy.wait()


main()
