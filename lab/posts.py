#!/usr/bin/env python3
"""How many connections an origin sees for POSTs over HTTP/1.1 that follow one another with a pause, as of a page that reports or saves.

    python3 lab/posts.py target/release/gleaner           25 POSTs a second apart
    python3 lab/posts.py target/release/gleaner 0.3       with less between them

A line each for plain HTTP and for an intercepted connection, for an origin that says for how long it keeps connections and one that
does not. One connection is right; ends with an error where there are more.
"""

import asyncio, os, ssl, subprocess, sys, tempfile

import attack

POSTS = 25
PAUSE = float(sys.argv[2]) if len(sys.argv) > 2 else 1.0


class Origin:
    def __init__(self, fields):
        self.fields, self.connections = fields, 0

    async def serve(self, reader, writer):
        self.connections += 1
        try:
            while True:
                await reader.readuntil(b"\r\n\r\n")
                await reader.readexactly(2)
                writer.write(b"HTTP/1.1 200 OK\r\n" + self.fields + b"Content-Length: 2\r\n\r\nok")
                await writer.drain()
        except (OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            writer.close()

    async def listen(self, tls):
        server = await asyncio.start_server(self.serve, "127.0.0.1", 0, ssl=tls)
        return server.sockets[0].getsockname()[1]


async def posts(reader, writer, url, host):
    for _ in range(POSTS):
        writer.write(f"POST {url} HTTP/1.1\r\nHost: {host}\r\nContent-Length: 2\r\n\r\nhi".encode())
        head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\nok"), 10)
        assert head.startswith(b"HTTP/1.1 200"), head
        await asyncio.sleep(PAUSE)
    writer.transport.abort()


async def measure(dir, proxy, fields, intercepted):
    tls = None
    if intercepted:
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(dir + "/origin.pem", dir + "/origin.key")
    origin = Origin(fields)
    road = attack.Road(dir, proxy, await origin.listen(tls))
    if intercepted:
        await posts(*await road.tls("127.0.0.1"), "/", road.target)
    else:
        await posts(*await asyncio.open_connection("127.0.0.1", proxy), f"http://{road.target}/", road.target)
    what = f"{'intercepted' if intercepted else 'plain'}, {fields.decode().strip() or 'nothing said'}"
    return f"{what:40} {origin.connections}", origin.connections


async def main():
    dir = tempfile.mkdtemp(prefix="gleaner-posts-")
    attack.certificates(dir)
    with open(dir + "/c.yaml", "w") as file:
        file.write(f"listen: 0\nhttps: {{ intercept: on }}\nauthority: {{ dir: {dir}/authority }}\n"
                   f"upstream: {{ extra_ca_file: {dir}/ca.pem }}\naccess: {{ allow_targets: ['127.0.0.1:1024-65535'] }}\n")
    proxy = subprocess.Popen([os.path.abspath(sys.argv[1]), "serve", "--config", dir + "/c.yaml"], stdout=subprocess.PIPE,
                             stderr=subprocess.DEVNULL, env={**os.environ, "RUST_LOG": "off"}, text=True)
    try:
        at = next(line.split()[1] for line in proxy.stdout if line.strip().startswith("proxy "))
        port = int(at.rsplit(":", 1)[1])
        kinds = [(fields, intercepted) for intercepted in [False, True] for fields in [b"", b"Keep-Alive: timeout=5\r\n"]]
        lines = await asyncio.gather(*(measure(dir, port, *kind) for kind in kinds))
    finally:
        proxy.kill()
        proxy.wait()
        subprocess.run(["rm", "-r", dir], check=True)
    print(f"connections for {POSTS} POSTs, {PAUSE} s apart")
    for line, _ in lines:
        print(line)
    if any(connections > 1 for _, connections in lines):
        sys.exit("more than one")


asyncio.run(main())
