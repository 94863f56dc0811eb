#!/usr/bin/env python3
"""Tunnels of which one end has closed, as many as one client may have: after the bound a new one is opened.

    python3 lab/half_closed.py target/release/gleaner           the bound of four minutes
    python3 lab/half_closed.py target/release/gleaner 10        timeouts.half_closed_seconds: 10

A client opens 1,024 tunnels, sends a byte through each and closes its side; the server never closes its own. A line each for what a new
tunnel gets then, how long it takes until one is opened, and how many tunnels the server is left with. Ends with an error where
that takes more than a tenth longer than the bound.
"""

import os, resource, socket, subprocess, sys, tempfile, threading, time

TUNNELS = 1024
BOUND = int(sys.argv[2]) if len(sys.argv) > 2 else 240


def main():
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    listener = socket.create_server(("127.0.0.1", 0), backlog=1024)
    target = "127.0.0.1:%d" % listener.getsockname()[1]
    accepted = []

    def accept():
        while True:
            accepted.append(listener.accept()[0])

    threading.Thread(target=accept, daemon=True).start()
    with tempfile.TemporaryDirectory() as dir:
        with open(dir + "/c.yaml", "w") as file:
            file.write(f"listen: 0\nauthority: {{ dir: authority }}\naccess: {{ allow_targets: ['127.0.0.1:1024-65535'] }}\n"
                       f"limits: {{ connections_per_client: {TUNNELS} }}\ntimeouts: {{ half_closed_seconds: {BOUND} }}\n")
        proxy = subprocess.Popen([os.path.abspath(sys.argv[1]), "serve", "--config", dir + "/c.yaml"], cwd=dir,
                                 stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        try:
            at = next(line.split()[1] for line in proxy.stdout if line.strip().startswith("proxy "))
            address = ("127.0.0.1", int(at.rsplit(":", 1)[1]))

            def tunnel():
                client = socket.create_connection(address, timeout=10)
                client.sendall(f"CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n\r\n".encode())
                return client, client.recv(4096).split(b"\r\n")[0].decode()

            tunnels = []
            for _ in range(TUNNELS):
                client, answer = tunnel()
                assert answer.startswith("HTTP/1.1 200"), answer
                client.sendall(b"x")
                client.shutdown(socket.SHUT_WR)
                tunnels.append(client)
            start = time.monotonic()
            client, answer = tunnel()
            print(f"beside {TUNNELS} half-closed tunnels: {answer}", flush=True)
            client.close()
            while time.monotonic() - start < 2 * BOUND:
                time.sleep(0.2)
                client, answer = tunnel()
                if answer.startswith("HTTP/1.1 200"):
                    break
                client.close()
            took = time.monotonic() - start
            time.sleep(2)
            open_now = sum(is_open(server) for server in accepted)
            print(f"after {took:.1f} s: {answer}; {open_now} of {len(accepted)} tunnels are open at the server")
            if not answer.startswith("HTTP/1.1 200") or took > BOUND * 1.1:
                sys.exit(f"later than {BOUND * 1.1:.0f} s")
        finally:
            proxy.kill()
            proxy.wait()


def is_open(server):
    """Whether the other side still takes bytes; it has said its last in any case."""
    try:
        server.send(b"y")
        time.sleep(0.001)
        server.send(b"y")
        return True
    except OSError:
        return False


main()
