#!/usr/bin/env python3
"""The longest wait of a request while long lists are loaded again.

    taskset -c 0 python3 lab/reload.py target/release/gleaner               16 MiB of rules, three reloads
    taskset -c 0 python3 lab/reload.py target/release/gleaner 4             4 MiB

The proxy inherits the one processor of `taskset`. A client asks for the proxy's own address without a pause; a line for each
reload: how long that took (from the save to the new rules in force), how many requests were answered meanwhile, and the
longest wait of one. No compiled rules are found from before: each reload has other rules.
"""

import http.client, os, random, subprocess, sys, tempfile, time

KINDS = ["||%s.example^", "||%s.example^$third-party", "/%s/banner*$image", "||%s.example/ads/$script,domain=a.example|b.example"]
BOUND = 0.2  # seconds


def rules(mib, seed):
    rng = random.Random(seed)
    lines, size = [], 0
    while size < mib << 20:
        line = rng.choice(KINDS) % "".join(rng.choices("abcdefghijklmnopqrstuvwxyz0123456789", k=14))
        lines.append(line)
        size += len(line) + 1
    return "\n".join(lines) + "\n"


def save(file, text):
    with open(file + ".new", "w") as new:
        new.write(text)
    os.replace(file + ".new", file)


def main():
    program = os.path.abspath(sys.argv[1])
    mib = int(sys.argv[2]) if len(sys.argv) > 2 else 16
    with tempfile.TemporaryDirectory() as dir:
        list_file = dir + "/list.txt"
        save(list_file, rules(mib, 0))
        with open(dir + "/config.yaml", "w") as file:
            file.write(f"listen: 0\nauthority: {{ dir: authority }}\nblocking: {{ lists: ['{list_file}'], dir: '{dir}/lists' }}\n")
        proxy = subprocess.Popen(
            [program, "--config", dir + "/config.yaml"], cwd=dir, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        try:
            line = next(line for line in proxy.stdout if line.strip().startswith(b"proxy "))
            port = int(line.strip().rsplit(b":", 1)[1])
            os.set_blocking(proxy.stderr.fileno(), False)
            worst = 0
            for turn in range(1, 4):
                text = rules(mib, turn)
                connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
                log, answered, longest = b"", 0, 0
                save(list_file, text)
                start = time.monotonic()
                while b"is in force" not in log:
                    asked = time.monotonic()
                    connection.request("GET", "/", headers={"Host": "gleaner.internal"})
                    connection.getresponse().read()
                    longest = max(longest, time.monotonic() - asked)
                    answered += 1
                    log += proxy.stderr.read() or b""
                    if time.monotonic() - start > 120:
                        sys.exit("the change did not take effect:\n" + log.decode())
                took = time.monotonic() - start
                print(f"{mib} MiB, reload of {took:.1f} s: {answered} requests, the longest wait {1000 * longest:.0f} ms")
                worst = max(worst, longest)
            if worst > BOUND:
                sys.exit(f"more than {1000 * BOUND:.0f} ms")
        finally:
            proxy.terminate()
            proxy.wait()


main()
