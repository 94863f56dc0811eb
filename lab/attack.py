#!/usr/bin/env python3
"""One honest client of intercepted pages beside many that attack: what it waits, and what is left in the proxy.

    python3 lab/attack.py target/release/gleaner               every attack for ten seconds, 400 connections at most
    python3 lab/attack.py target/release/gleaner 20 slow-reader rapid-reset

Everything runs on loopback; origin, attackers and the honest client are processes of their own. A line for each attack: what
the honest client waited for a page (a new connection with its handshake for each; milliseconds, the median and the slowest of
a hundred), resident memory (MiB) and descriptors of the proxy at the height of it and after it has ended, and what the
attackers got done.
"""

import asyncio, json, os, socket, ssl, struct, subprocess, sys, tempfile, time

CONNECTIONS = 400
ATTACKERS = ["127.0.0.2", "127.0.0.3", "127.0.0.4", "127.0.0.5"]  # the honest client has an address of its own
PAGE = b"<!doctype html><title>t</title><body><p>" + b"Some words of text that are read. " * 300
BIG = 20 << 20
CLIENT_HELLO = b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"


async def origin(dir, listener):
    async def serve(reader, writer):
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                if b"/big" in head:
                    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/zip\r\nContent-Length: %d\r\n\r\n" % BIG)
                    for _ in range(BIG >> 16):
                        writer.write(bytes(1 << 16))
                        await writer.drain()
                else:
                    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n" % len(PAGE) + PAGE)
                    await writer.drain()
        except (OSError, asyncio.IncompleteReadError):
            writer.close()

    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(dir + "/origin.pem", dir + "/origin.key")
    server = await asyncio.start_server(serve, sock=listener, ssl=tls, backlog=1000)
    await server.serve_forever()


class Road:
    """The way to the origin through the proxy."""

    def __init__(self, dir, proxy, origin):
        self.proxy, self.target = proxy, "localhost:%d" % origin
        self.contexts = {}
        for protocol in ["http/1.1", "h2"]:
            self.contexts[protocol] = ssl.create_default_context(cafile=dir + "/authority/ca.cert.pem")
            self.contexts[protocol].set_alpn_protocols([protocol])

    async def tunnel(self, source):
        reader, writer = await asyncio.open_connection("127.0.0.1", self.proxy, local_addr=(source, 0))
        writer.write(f"CONNECT {self.target} HTTP/1.1\r\nHost: {self.target}\r\n\r\n".encode())
        head = await reader.readuntil(b"\r\n\r\n")
        if not head.startswith(b"HTTP/1.1 200"):
            writer.close()
            raise OSError("refused")
        return reader, writer

    async def tls(self, source, protocol="http/1.1"):
        reader, writer = await self.tunnel(source)
        await writer.start_tls(self.contexts[protocol], server_hostname="localhost")
        return reader, writer

    def get(self, path, more=""):
        return f"GET {path} HTTP/1.1\r\nHost: {self.target}\r\n{more}\r\n".encode()


def frame(kind, flags, stream, payload=b""):
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


def flood(road, kind, number):
    """One piece of a flood of HTTP/2 frames (RFC 9113 § 6)."""
    head = b"\x82\x87\x84\x01" + bytes([len(road.target)]) + road.target.encode()
    stream = number * 2 + 1
    if kind == "rapid-reset":
        return frame(1, 5, stream, head) + frame(3, 0, stream, struct.pack(">I", 8))
    if kind == "continuation":
        return frame(9, 0, 1, b"\x00\x01x\x04yyyy") if number else frame(1, 1, 1, head)
    if kind == "ping":
        return frame(6, 0, 0, bytes(8))
    if kind == "settings":
        return frame(4, 0, 0)
    return frame(0, 0, 1) if number else frame(1, 4, 1, b"\x83" + head[1:])  # empty-data


async def attack(road, kind, source, done):
    """One attacker, again and again until it is cancelled."""
    while True:
        writer = None
        try:
            if kind == "silent":
                _, writer = await road.tunnel(source)
                await asyncio.sleep(3600)
            elif kind == "half-handshake":
                reader, writer = await road.tunnel(source)
                writer.write(CLIENT_HELLO)
                await reader.read()
            elif kind == "handshakes":
                _, writer = await road.tls(source)
            elif kind == "idle":
                reader, writer = await road.tls(source)
                await reader.read()
            elif kind == "garbage":
                reader, writer = await road.tls(source)
                tcp = writer.transport.get_extra_info("socket")
                os.write(tcp.fileno(), b"\x17\x03\x03\x00\x40" + os.urandom(64) + b"\x16\x03\x03\x00\x04" + bytes(4))
                await reader.read()
            elif kind == "slow-writer":
                reader, writer = await road.tls(source)
                for byte in road.get("/", "X-Long: " + "x" * 500 + "\r\n"):
                    writer.write(bytes([byte]))
                    await asyncio.sleep(0.5)
            elif kind == "slow-reader":
                reader, writer = await road.tls(source)
                writer.write(road.get("/big"))
                while await reader.read(1024):
                    writer.transport.pause_reading()
                    await asyncio.sleep(1)
                    writer.transport.resume_reading()
            elif kind == "resets":
                reader, writer = await road.tls(source)
                writer.write(road.get("/big"))
                await reader.readexactly(100_000)
                writer.transport.abort()
            else:
                reader, writer = await road.tls(source, "h2")
                writer.write(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(4, 0, 0))
                for number in range(1 << 20):
                    writer.write(flood(road, kind, number))
                    if number % 64 == 0:
                        await writer.drain()
                        await asyncio.sleep(0)  # the others' turn
                        if reader.at_eof() or writer.transport.is_closing():
                            break
                    done["frames"] += 1
            done["rounds"] += 1
        except (OSError, ssl.SSLError, asyncio.IncompleteReadError):
            done["refused"] += 1
            await asyncio.sleep(0.05)
        finally:
            if writer:
                writer.transport.abort()


async def attackers(road, kind, seconds):
    done = {"rounds": 0, "refused": 0, "frames": 0}
    several = kind in ["rapid-reset", "continuation", "ping", "settings", "empty-data", "handshakes", "resets", "garbage"]
    count = 20 if several else CONNECTIONS
    tasks = [asyncio.create_task(attack(road, kind, ATTACKERS[n % len(ATTACKERS)], done)) for n in range(count)]
    await asyncio.sleep(seconds)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    print(json.dumps(done))


async def honest(road, seconds):
    waited, end = [], time.monotonic() + seconds
    while time.monotonic() < end:
        start = time.monotonic()
        reader, writer = await road.tls("127.0.0.1")
        writer.write(road.get("/", "Connection: close\r\n"))
        answer = await reader.read()
        assert answer.startswith(b"HTTP/1.1 200") and b"leaner: rewritten" in answer, answer[:300]
        waited.append((time.monotonic() - start) * 1000)
        writer.transport.abort()
    waited.sort()
    print(json.dumps([len(waited), waited[len(waited) // 2], waited[int(len(waited) * 0.99)]]))


def certificates(dir):
    def openssl(*arguments):
        subprocess.run(["openssl", *arguments], cwd=dir, check=True, capture_output=True)

    curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
    openssl("req", "-x509", *curve, "-keyout", "ca.key", "-out", "ca.pem", "-days", "9", "-subj", "/CN=origins",
            "-addext", "basicConstraints=critical,CA:TRUE")
    openssl("req", *curve, "-keyout", "origin.key", "-out", "origin.csr", "-subj", "/CN=localhost")
    with open(dir + "/ext", "w") as file:
        file.write("subjectAltName=DNS:localhost\nextendedKeyUsage=serverAuth\n")
    openssl("x509", "-req", "-in", "origin.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "9",
            "-extfile", "ext", "-out", "origin.pem")


def held(pid):
    with open(f"/proc/{pid}/status") as file:
        kib = next(int(line.split()[1]) for line in file if line.startswith("VmRSS"))
    return f"{kib / 1024:6.1f} {len(os.listdir(f'/proc/{pid}/fd')):4}"


def main():
    program = os.path.abspath(sys.argv[1])
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 10
    kinds = sys.argv[3:] or ["silent", "half-handshake", "idle", "slow-writer", "slow-reader", "handshakes", "resets", "garbage",
                             "rapid-reset", "continuation", "ping", "settings", "empty-data"]
    dir = tempfile.mkdtemp(prefix="gleaner-attack-")
    certificates(dir)
    servers, ports = [], {}
    # Two, so that nobody waits for an origin that others keep busy.
    for client in ["honest", "attackers"]:
        listener = socket.create_server(("127.0.0.1", 0), backlog=1000)
        ports[client] = listener.getsockname()[1]
        command = [sys.executable, __file__, "origin", dir, str(listener.fileno())]
        servers.append(subprocess.Popen(command, pass_fds=[listener.fileno()], stderr=subprocess.DEVNULL))
    with open(dir + "/c.yaml", "w") as file:
        file.write(f"listen: 0\nhttps: {{ intercept: on }}\nauthority: {{ dir: {dir}/authority }}\n"
                   f"upstream: {{ extra_ca_file: {dir}/ca.pem }}\naccess: {{ allow_targets: ['127.0.0.1:1024-65535'] }}\n")
    proxy = subprocess.Popen([program, "serve", "--config", dir + "/c.yaml"], stdout=subprocess.PIPE,
                             stderr=subprocess.DEVNULL, env={**os.environ, "RUST_LOG": "off"}, text=True)
    try:
        at = next(line.split()[1] for line in proxy.stdout if line.strip().startswith("proxy "))

        def start(what, *arguments):
            command = [sys.executable, __file__, what, dir, at.rsplit(":", 1)[1], str(ports[what]), *arguments]
            return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)

        def wait_for(client):
            count, median, slowest = json.loads(client.communicate()[0])
            return f"{count:5} {median:7.1f} {slowest:7.1f}"

        print("attack          pages  median     p99    MiB  fds  after  fds  the attackers")
        print(f"{'none':15} {wait_for(start('honest', str(seconds)))} {held(proxy.pid)}", flush=True)
        for kind in kinds:
            attackers = start("attackers", kind, str(seconds))
            time.sleep(1)  # all of them are there
            client = start("honest", str(seconds - 3))
            time.sleep(seconds - 3)
            height = held(proxy.pid)
            waited = wait_for(client)
            done = attackers.communicate()[0].strip()
            time.sleep(3)  # what was left is noticed
            print(f"{kind:15} {waited} {height} {held(proxy.pid)}  {done}", flush=True)
        time.sleep(12)  # the allocator gives back what was not used for ten
        print(f"{'none':15} {wait_for(start('honest', str(seconds)))} {held(proxy.pid)}")
    finally:
        proxy.kill()
        for server in servers:
            server.kill()
        subprocess.run(["rm", "-r", dir], check=True)


if __name__ == "__main__":
    what = sys.argv[1]
    if what == "origin":
        asyncio.run(origin(sys.argv[2], socket.socket(fileno=int(sys.argv[3]))))
    elif what in ["attackers", "honest"]:
        road = Road(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
        asyncio.run(attackers(road, sys.argv[5], float(sys.argv[6])) if what == "attackers" else honest(road, float(sys.argv[5])))
    else:
        main()
