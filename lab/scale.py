#!/usr/bin/env python3
"""What two copies behind HAProxy, and Squid over ICAP, cost and carry. Beside it stands docs/scale.md.

    python3 lab/scale.py target/release/gleaner machine            # a copy alone: processor time and memory by kind of request
    python3 lab/scale.py target/release/gleaner model              # openings of pages on one core and on two, beside 9,000 connections, and on two copies (root)
    python3 lab/scale.py target/release/gleaner replicas           # two copies behind HAProxy beside one, a third of a core each (root)
    python3 lab/scale.py target/release/gleaner via                # what ten rules of upstream.via cost a request, in instructions (valgrind)
    python3 lab/scale.py target/release/gleaner icap [COUNT]       # COUNT (100000) transactions by Squid, bypass=0
    python3 lab/scale.py target/release/gleaner soak [MINUTES]     # mixed requests at 50 a second, a copy restarted every five minutes

Needs nginx, wrk, haproxy and squid (Debian: nginx-light wrk haproxy squid-openssl; valgrind for `via`). Everything is on loopback.
"""

import http.client, os, random, re, shutil, signal, socket, statistics, subprocess, sys, tempfile, threading, time

HERE = os.path.dirname(os.path.abspath(__file__))
PAGE = open(os.path.join(HERE, "../docs/demo/page.html"), encoding="utf-8").read()
SQUID_LINES = open(os.path.join(HERE, "../contrib/squid.conf"), encoding="utf-8").read()
PICTURE_BYTES = 20_000
SECONDS = 10
CONNECTIONS = 32
# A quota in each 100 ms, so that a copy is full before the rest of this machine is.
QUOTA = 30
TICKS = os.sysconf("SC_CLK_TCK")
# What a browser asks for beside a page (HTTP Archive 2024, median).
BESIDE_PAGE = 70
# What 20,000 open files allow: a connection of a client and one to an origin.
PEOPLE = 9_000
DOCUMENT = {"Accept": "text/html", "Sec-Fetch-Dest": "document", "User-Agent": "Mozilla/5.0"}
running = []


def port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def start(*command):
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    running.append(process)
    return process


def listens(at):
    for _ in range(300):
        try:
            return socket.create_connection(("127.0.0.1", at), 1).close()
        except OSError:
            time.sleep(0.05)
    sys.exit(f"nothing listens on port {at}")


def cpu(process):
    with open(f"/proc/{process.pid}/stat") as stat:
        fields = stat.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def resident(process):
    with open(f"/proc/{process.pid}/status") as status:
        return int(re.search(r"VmRSS:\s+(\d+)", status.read()).group(1)) / 1024


def origin(folder):
    at = port()
    os.makedirs(f"{folder}/www")
    os.chmod(folder, 0o755)
    with open(f"{folder}/www/page.html", "w", encoding="utf-8") as page:
        page.write(PAGE)
    with open(f"{folder}/www/picture.png", "wb") as picture:
        picture.write(b"\x89PNG" + bytes(PICTURE_BYTES - 4))
    with open(f"{folder}/nginx.conf", "w") as config:
        config.write(
            f"daemon off; worker_processes 1; pid {folder}/nginx.pid; error_log {folder}/nginx.log; events {{ worker_connections 4096; }}\n"
            f"http {{ access_log off; keepalive_requests 1000000; types {{ text/html html; image/png png; }}\n"
            f"server {{ listen 127.0.0.1:{at} backlog=4096; root {folder}/www; }} }}\n"
        )
    start("nginx", "-c", f"{folder}/nginx.conf")
    listens(at)
    return at


RULES = """upstream:
  via:
  - { hosts: [onion], proxy: 'socks5://127.0.0.1:9050' }
  - { hosts: [intranet.example, 10.1.0.0/16], proxy: direct }
  - { hosts: [payroll.example], proxy: refuse }
  - { clients: [192.168.1.40], proxy: 'socks5://10.8.0.1:1080' }
  - { hosts: [a.example, b.example, c.example], proxy: 'http://10.8.0.2:3128' }
  - { hosts: [d.example], proxy: 'http://10.8.0.3:3128' }
  - { hosts: [e.example], proxy: 'http://10.8.0.4:3128' }
  - { hosts: [f.example], clients: [192.168.1.0/24], proxy: 'http://10.8.0.5:3128' }
  - { clients: [192.168.2.0/24], proxy: 'http://10.8.0.6:3128' }
  - { hosts: [g.example], proxy: 'http://10.8.0.7:3128' }
"""


class Copy:
    """A running Gleaner."""

    def __init__(self, binary, folder, name, more="", settings="", limits="", before=()):
        self.port, self.health, self.icap = port(), port(), port()
        self.command = (*before, binary, "serve", "--config", f"{folder}/{name}.yaml")
        with open(f"{folder}/{name}.yaml", "w") as config:
            listen = f"{{ address: '127.0.0.1:{self.port}'{more} }}"
            config.write(
                f"listen: [{listen}]\nhealth: {{ listen: '127.0.0.1:{self.health}' }}\nicap: {{ listen: '127.0.0.1:{self.icap}' }}\n"
                f"authority: {{ dir: {folder}/authority }}\nlimits:\n  drain_seconds: 3\n  connections_per_client: 4096\n{limits}"
                f"access: {{ allow_targets: ['127.0.0.1:1-65535'] }}\n{settings}"
            )
        self.start()

    def start(self):
        self.process = start(*self.command)
        listens(self.port)


def haproxy(folder, copies):
    at = port()
    servers = "".join(
        f"  server s{index} 127.0.0.1:{copy.port} send-proxy-v2 check port {copy.health} inter 500 fall 1 rise 1\n"
        for index, copy in enumerate(copies)
    )
    with open(f"{folder}/haproxy.cfg", "w") as config:
        config.write(
            "defaults\n  mode tcp\n  timeout connect 2s\n  timeout client 1m\n  timeout server 1m\n  option redispatch\n  retries 3\n"
            f"frontend proxy\n  bind 127.0.0.1:{at}\n  default_backend copies\n"
            f"backend copies\n  balance roundrobin\n  option httpchk GET /readyz\n{servers}"
        )
    start("haproxy", "-f", f"{folder}/haproxy.cfg")
    listens(at)
    time.sleep(2)
    return at


def load(folder, at, url, seconds=SECONDS, fields=None, beside=None):
    """Requests a second, how many, and how many failed; after each there are BESIDE_PAGE for another address, if any."""
    given = ", ".join(f'["{name}"] = "{value}"' for name, value in (fields or {}).items())
    turn = f"turn = turn % {BESIDE_PAGE + 1} + 1 if turn > 1 then return wrk.format('GET', '{beside}') end " if beside else ""
    with open(f"{folder}/load.lua", "w") as script:
        script.write(f'turn = 0 request = function() {turn}return wrk.format("GET", "{url}", {{ {given} }}) end\n')
    out = subprocess.run(
        ["wrk", "-t1", f"-c{CONNECTIONS}", f"-d{seconds}s", "-s", f"{folder}/load.lua", f"http://127.0.0.1:{at}"],
        capture_output=True, text=True, check=True,
    ).stdout
    errors = sum(int(count) for line in re.findall(r"(?:Socket errors|Non-2xx).*", out) for count in re.findall(r"\d+(?!xx)\b", line.replace("Non-2xx or 3xx", "")))
    requests = int(re.search(r"(\d+) requests in", out).group(1))
    return float(re.search(r"Requests/sec:\s+([\d.]+)", out).group(1)), requests, errors


def machine(binary, folder):
    site = origin(folder)
    copy = Copy(binary, folder, "one")
    print(f"memory at rest {resident(copy.process):.0f} MB")
    for name, path, fields in [("picture", "picture.png", {}), ("page", "page.html", DOCUMENT)]:
        load(folder, copy.port, f"http://127.0.0.1:{site}/{path}", 2, fields)
        before = cpu(copy.process)
        rate, requests, errors = load(folder, copy.port, f"http://127.0.0.1:{site}/{path}", fields=fields)
        used = cpu(copy.process) - before
        print(f"{name}: {used / requests * 1e6:.0f} µs of processor, {requests / used:.0f} for each core and second, {errors} failed")
    print(f"an open connection: {kept_open(copy, site, ['127.0.0.1'] * 1000)[0]:.1f} KB")


def kept_open(copy, site, addresses):
    """Kilobytes for each of the connections from these addresses, which have had a response and stay; and the connections."""
    before, kept = resident(copy.process), []
    for address in addresses:
        one = socket.create_connection(("127.0.0.1", copy.port), source_address=(address, 0))
        one.sendall(b"GET http://127.0.0.1:%d/picture.png HTTP/1.1\r\nHost: x\r\n\r\n" % site)
        received = b""
        while len(received) < PICTURE_BYTES:
            received += one.recv(65536) or sys.exit(f"connection {len(kept)} was closed: {received[:200]}")
        kept.append(one)
    return (resident(copy.process) - before) * 1024 / len(kept), kept


def openings(folder, site, at, processes):
    """Processor milliseconds of these for one opening of a page: the page and what is beside it. And openings a second."""
    pages, before = f"http://127.0.0.1:{site}", sum(map(cpu, processes))
    rate, requests, errors = load(folder, at, f"{pages}/page.html", fields=DOCUMENT, beside=f"{pages}/picture.png")
    used = (sum(map(cpu, processes)) - before) / requests * (BESIDE_PAGE + 1) * 1e3
    return f"{used:.2f} ms of processor for an opening, {rate / (BESIDE_PAGE + 1):.0f} a second, {errors} failed"


def model(binary, folder):
    # The load, the origin and the balancer inherit it: the first core is for a copy alone.
    os.sched_setaffinity(0, {1})
    site = origin(folder)
    limits = f"  connections: {PEOPLE + 1000}\n"
    for name, cores in [("one core", "0"), ("two cores", "0,1")]:
        copy = Copy(binary, folder, cores, limits=limits, before=("taskset", "-c", cores))
        for _ in range(3):
            print(f"{name}: {openings(folder, site, copy.port, [copy.process])}", flush=True)
    size, people = kept_open(copy, site, [f"127.1.{number // 250}.{number % 250 + 1}" for number in range(PEOPLE)])
    print(f"{len(people)} people, a connection each: {size:.1f} KB for each")
    print(f"two cores, beside them: {openings(folder, site, copy.port, [copy.process])}")
    copies = [Copy(binary, folder, name, ", proxy_protocol: [127.0.0.1]", before=("taskset", "-c", str(core))) for core, name in enumerate(("left", "right"))]
    balancer = haproxy(folder, copies)
    for _ in range(3):
        print(f"two copies on a core each, behind HAProxy: {openings(folder, site, balancer, [copy.process for copy in copies])}", flush=True)


def capped(copy, name):
    """Gives a copy its share of a core, by version 1 or 2 of the kernel's control groups."""
    root = "/sys/fs/cgroup/cpu" if os.path.isdir("/sys/fs/cgroup/cpu") else "/sys/fs/cgroup"
    group = f"{root}/gleaner-lab-{name}"
    os.makedirs(group, exist_ok=True)
    limits = {"cpu.cfs_period_us": 100_000, "cpu.cfs_quota_us": QUOTA * 1000} if root.endswith("cpu") else {"cpu.max": f"{QUOTA * 1000} 100000"}
    for file, value in limits.items():
        with open(f"{group}/{file}", "w") as setting:
            setting.write(str(value))
    with open(f"{group}/cgroup.procs", "w") as members:
        members.write(str(copy.process.pid))


def replicas(binary, folder):
    site = origin(folder)
    url = f"http://127.0.0.1:{site}/picture.png"
    behind = ", proxy_protocol: [127.0.0.1]"
    copies = [Copy(binary, folder, name, behind) for name in ("one", "two")]
    alone = Copy(binary, folder, "alone")
    balancer = haproxy(folder, copies)
    single = haproxy(folder, copies[:1])
    # Without a quota: what the header of the balancer costs.
    costs = {"alone": [], "behind HAProxy": []}
    for _ in range(5):
        for name, at, copy in [("alone", alone.port, alone), ("behind HAProxy", single, copies[0])]:
            before = cpu(copy.process)
            _, requests, _ = load(folder, at, url, 4)
            costs[name].append((cpu(copy.process) - before) / requests * 1e6)
    for name, values in costs.items():
        print(f"{name}: {statistics.median(values):.1f} µs of the copy's processor for a request")
    for index, copy in enumerate([*copies, alone]):
        capped(copy, str(index))
    ratios = []
    for _ in range(3):
        one, _, errors_one = load(folder, alone.port, url)
        two, _, errors_two = load(folder, balancer, url)
        ratios.append(two / one)
        print(f"one copy {one:.0f}, two behind HAProxy {two:.0f} requests a second: {two / one:.2f}; {errors_one + errors_two} failed")
    print(f"median {statistics.median(ratios):.2f}")


def via(binary, folder):
    """Instructions for a request, by the difference of two numbers of them: other work on the machine does not move it."""
    site = origin(folder)
    figures = []
    for name, settings in [("none", ""), ("ten", RULES)]:
        counts = []
        for requests in (500, 2500):
            log = f"{folder}/{name}{requests}.log"
            before = ("valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", f"--log-file={log}")
            copy = Copy(binary, folder, f"{name}{requests}", settings=settings, before=before)
            client = http.client.HTTPConnection("127.0.0.1", copy.port)
            for _ in range(requests):
                client.request("GET", f"http://127.0.0.1:{site}/picture.png", headers={"User-Agent": "Mozilla/5.0", "Accept": "image/*"})
                client.getresponse().read()
            copy.process.terminate()
            copy.process.wait()
            with open(log) as opened:
                counts.append(int(re.search(r"Collected : (\d+)", opened.read()).group(1)))
        figures.append((counts[1] - counts[0]) / 2000)
    print(f"without rules {figures[0]:.0f} instructions for a request, with ten {figures[1]:.0f}: {figures[1] / figures[0] * 100 - 100:.1f} % more")


def icap(binary, folder, count):
    site = origin(folder)
    copy = Copy(binary, folder, "one")
    at = port()
    with open(f"{folder}/squid.conf", "w") as config:
        lines = SQUID_LINES.replace("127.0.0.1:1344", f"127.0.0.1:{copy.icap}").replace("bypass=1", "bypass=0")
        config.write(
            f"http_port 127.0.0.1:{at}\n{lines}http_access allow all\ncache deny all\ncache_mem 8 MB\npid_filename none\naccess_log none\n"
            f"cache_log {folder}/cache.log\ncoredump_dir {folder}\nnetdb_filename none\nshutdown_lifetime 0 seconds\n"
        )
    os.chmod(folder, 0o777)
    start("squid", "-n", f"scale{at}", "-N", "-f", f"{folder}/squid.conf")
    listens(at)
    time.sleep(1)
    done = failed = 0
    while done < count:
        for path, fields in [("picture.png", {}), ("page.html", DOCUMENT)]:
            before = cpu(copy.process)
            _, requests, errors = load(folder, at, f"http://127.0.0.1:{site}/{path}", 5, fields)
            # One REQMOD and one RESPMOD each.
            done, failed = done + 2 * requests, failed + errors
            print(f"{path}: {requests} requests, {(cpu(copy.process) - before) / requests * 1e6:.0f} µs of processor each, {errors} failed")
    with open(f"{folder}/cache.log") as log:
        print(f"{done} transactions, {failed} failed, {log.read().count('suspended')} times suspended; memory {resident(copy.process):.0f} MB")
    print(f"a picture's 204: {statistics.median(answer_times(copy.icap)) * 1e3:.2f} ms")


def answer_times(at):
    asked = b"GET http://a.example/x.png HTTP/1.1\r\nHost: a.example\r\n\r\n"
    answered = b"HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\n"
    sections = f"req-hdr=0, res-hdr={len(asked)}, res-body={len(asked) + len(answered)}".encode()
    message = b"RESPMOD icap://x/respmod ICAP/1.0\r\nHost: x\r\nPreview: 0\r\nEncapsulated: %s\r\n\r\n%s%s0\r\n\r\n" % (sections, asked, answered)
    with socket.create_connection(("127.0.0.1", at)) as one:
        one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for _ in range(1000):
            began = time.monotonic()
            one.sendall(message)
            assert b" 204 " in one.recv(4096)
            yield time.monotonic() - began


def soak(binary, folder, minutes):
    site = origin(folder)
    copies = [Copy(binary, folder, name, ", proxy_protocol: [127.0.0.1]") for name in ("one", "two")]
    balancer = haproxy(folder, copies)
    end, times, lost, lock = time.monotonic() + minutes * 60, [], [], threading.Lock()

    def client(seed):
        chance, connection = random.Random(seed), None
        while time.monotonic() < end:
            time.sleep(chance.expovariate(5))
            path, fields = chance.choice([("picture.png", {}), ("picture.png", {}), ("page.html", DOCUMENT)])
            began = time.monotonic()
            for attempt in range(2):
                kept = connection is not None
                try:
                    connection = connection or http.client.HTTPConnection("127.0.0.1", balancer, timeout=30)
                    connection.request("GET", f"http://127.0.0.1:{site}/{path}", headers=fields)
                    response = connection.getresponse()
                    body = response.read()
                    if response.status != 200 or not body:
                        raise OSError(f"{response.status}")
                    if response.will_close or chance.random() < 0.05:
                        connection.close()
                        connection = None
                    break
                except (OSError, http.client.HTTPException) as error:
                    connection.close()
                    connection = None
                    # A kept connection may end between two requests; clients then open another (RFC 9112 § 9.3.1).
                    if not kept or attempt:
                        with lock:
                            lost.append(repr(error))
                        break
            with lock:
                times.append(time.monotonic() - began)

    clients = [threading.Thread(target=client, args=(seed,)) for seed in range(10)]
    for one in clients:
        one.start()
    turn, restarts, next_restart = 0, 0, time.monotonic() + 300
    while time.monotonic() < end:
        time.sleep(1)
        if time.monotonic() > next_restart:
            copy = copies[turn % 2]
            print(f"after {(turn + 1) * 5} min: {len(times)} requests, {len(lost)} lost, {', '.join(f'{resident(one.process):.0f} MB' for one in copies)}", flush=True)
            copy.process.send_signal(signal.SIGTERM)
            copy.process.wait()
            copy.start()
            turn, restarts, next_restart = turn + 1, restarts + 1, next_restart + 300
    for one in clients:
        one.join()
    times.sort()
    print(f"{minutes} min: {len(times)} requests, {len(lost)} lost {lost[:3]}, {restarts} restarts; slowest {times[-1] * 1e3:.0f} ms, 99.9 % within {times[int(len(times) * 0.999)] * 1e3:.0f} ms")
    print("memory " + ", ".join(f"{resident(one.process):.0f} MB" for one in copies))


def main():
    if len(sys.argv) < 3 or sys.argv[2] not in ("machine", "model", "replicas", "via", "icap", "soak"):
        sys.exit(__doc__)
    os.environ["PATH"] += ":/usr/sbin"
    for program in ("nginx", "wrk", "haproxy", "squid"):
        shutil.which(program) or sys.exit(f"{program} is not installed: apt install nginx-light wrk haproxy squid-openssl")
    binary, number = os.path.abspath(sys.argv[1]), sys.argv[3:]
    folder = tempfile.mkdtemp()
    try:
        match sys.argv[2]:
            case "machine":
                machine(binary, folder)
            case "model":
                model(binary, folder)
            case "replicas":
                replicas(binary, folder)
            case "via":
                via(binary, folder)
            case "icap":
                icap(binary, folder, int(number[0]) if number else 100_000)
            case _:
                soak(binary, folder, int(number[0]) if number else 60)
    finally:
        for process in running:
            process.terminate()
        for process in running:
            process.wait()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
