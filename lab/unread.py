#!/usr/bin/env python3
"""What the proxy holds for one client that asks for much over HTTP/2 and reads none of it.

    python3 lab/unread.py target/release/gleaner           100 streams of 8 MB
    python3 lab/unread.py target/release/gleaner 2000000   of 2 MB

A line each for pages (which are rewritten, or pass) and for downloads (which pass): resident memory (MiB) of a proxy whose client has
read as many of them to their ends, so that the C library keeps what the work takes; with the unread streams; and ten seconds after their
connection has ended; then how many of the streams had begun.
"""

import asyncio, os, ssl, struct, subprocess, sys, tempfile

import attack

STREAMS = 100
HEADS = 20.0  # seconds; of streams that are not read, those of a server with HTTP/1.1 come one by one
LENGTH = int(sys.argv[2]) if len(sys.argv) > 2 else 8_000_000


async def burst(road, path, reads):
    """Asks for all at once, and waits for the heads of the answers, or reads all to the end."""
    reader, writer = await road.tls("127.0.0.1", "h2")
    window = (1 << 31) - 1 if reads else 65535
    settings = attack.frame(4, 0, 0, struct.pack(">HI", 4, window))
    writer.write(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + settings)
    if reads:
        writer.write(attack.frame(8, 0, 0, struct.pack(">I", window - 65535)))
    target = road.target.encode()
    for number in range(STREAMS):
        at = f"{path}/{number}".encode()
        head = b"\x82\x87\x04" + bytes([len(at)]) + at + b"\x01" + bytes([len(target)]) + target
        writer.write(attack.frame(1, 5, number * 2 + 1, head))
    await writer.drain()
    left, until = STREAMS, asyncio.get_running_loop().time() + HEADS
    while left:
        try:
            start = await (reader.readexactly(9) if reads else asyncio.wait_for(reader.readexactly(9), until - asyncio.get_running_loop().time()))
        except asyncio.TimeoutError:
            break
        await reader.readexactly(int.from_bytes(start[:3], "big"))
        kind, ends = start[3], start[4] & 1
        left -= kind in (0, 1) and ends if reads else kind == 1
    return writer, STREAMS - left


async def main():
    dir = tempfile.mkdtemp(prefix="gleaner-unread-")
    attack.certificates(dir)
    text = b"<p>Enough words for a paragraph of a page that somebody wants to read, and then does not.</p>\n"
    page = b"<!doctype html><title>t</title><body>" + text * (LENGTH // len(text))

    async def serve(reader, writer):
        try:
            while True:
                kind = b"text/html" if b"/page" in await reader.readuntil(b"\r\n\r\n") else b"application/zip"
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n" % (kind, len(page)) + page)
                await writer.drain()
        except (OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            writer.close()

    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(dir + "/origin.pem", dir + "/origin.key")
    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=tls, backlog=1000)
    port = server.sockets[0].getsockname()[1]
    with open(dir + "/c.yaml", "w") as file:
        file.write(f"listen: 0\nhttps: {{ intercept: on }}\nauthority: {{ dir: {dir}/authority }}\n"
                   f"upstream: {{ extra_ca_file: {dir}/ca.pem }}\naccess: {{ allow_targets: ['127.0.0.1:1024-65535'] }}\n")
    for what in ["/page", "/download"]:
        proxy = subprocess.Popen([os.path.abspath(sys.argv[1]), "serve", "--config", dir + "/c.yaml"], stdout=subprocess.PIPE,
                                 stderr=subprocess.DEVNULL, env={**os.environ, "RUST_LOG": "off"}, text=True)
        try:
            at = next(line.split()[1] for line in proxy.stdout if line.strip().startswith("proxy "))
            road = attack.Road(dir, int(at.rsplit(":", 1)[1]), port)
            (await burst(road, what, True))[0].transport.abort()
            before = attack.held(proxy.pid).split()[0]
            writer, begun = await burst(road, what, False)
            await asyncio.sleep(3)
            unread = attack.held(proxy.pid).split()[0]
            writer.transport.abort()
            await asyncio.sleep(10)
            print(f"{what[1:]:10} {before:>8} {unread:>8} {attack.held(proxy.pid).split()[0]:>8} {begun:>5}", flush=True)
        finally:
            proxy.kill()
            proxy.wait()
    subprocess.run(["rm", "-r", dir], check=True)


asyncio.run(main())
