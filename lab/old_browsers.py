#!/usr/bin/env python3
"""What old browsers and e-readers get at the reader's address, of pages whose main content is known.

    python3 lab/old_browsers.py target/release/gleaner DEV [PAGES [SEED [BOOKS]]]

PAGES (60) of DEV are drawn by SEED (1), kinds in proportion, and come from an origin here. Shown are the pages in HTML 3.2 that `onsgmls` finds faults
in, their bytes beside the content, and how far browsers of terminals show the same words of them as of the reader page (F1); whether they have
the same words there as in the proxy, and how much longer they take; and of BOOKS (0) pages, the books that `epubcheck` finds faults in.
Of the programs (onsgmls, lynx, w3m, links2, elinks, java and epubcheck), those that are not installed are left out.
"""

import collections, pathlib, re, shutil, statistics, subprocess, sys, tempfile, time, urllib.error, urllib.parse, urllib.request

from agents import draw, serve, start
from pages import parsed, texts, tokens

DTD = "/usr/share/xml/w3c-sgml-lib/schema/dtd/REC-html32-19970114"
DUMPS = {"lynx": ["-dump", "-nolist", "-width=100"], "w3m": ["-dump", "-cols", "100"], "links2": ["-dump", "-width", "100"], "elinks": ["-dump", "-no-references", "-no-numbering"]}
RUNS = 5


def fetched(url, proxy=None, **fields):
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({"http": proxy} if proxy else {}))
    begun = time.monotonic()
    with opener.open(urllib.request.Request(url, headers={"Accept": "text/html", **fields})) as answer:
        return answer.read(), time.monotonic() - begun


def content(page):
    """A page without its bar."""
    return re.sub(rb"(?s)<header>.*?</header>|(?<=<body>\n)<p>.*?<hr>", b"", page, count=1)


def f1(one, other):
    one, other = collections.Counter(one), collections.Counter(other)
    return 2 * (one & other).total() / max(1, (one + other).total())


def faults(page):
    """What onsgmls says of a page."""
    with tempfile.TemporaryDirectory() as folder:
        catalog, none = pathlib.Path(folder, "catalog"), pathlib.Path(folder, "none")
        # None of its named characters are used.
        none.write_text("")
        catalog.write_text(f'PUBLIC "-//W3C//DTD HTML 3.2 Final//EN" "{DTD}/HTML32.dtd"\nPUBLIC "ISO 8879-1986//ENTITIES Added Latin 1//EN//HTML" "{none}"\n')
        checker = ["env", "SP_CHARSET_FIXED=YES", "SP_ENCODING=UTF-8", "onsgmls", "-s", "-E0", "-c", catalog, "-"]
        checked = subprocess.run(checker, input=page, capture_output=True)
    return checked.stderr.decode()


def compare(site, read, pages):
    """A page in the reader's address, in HTML 3.2 there, and in the proxy."""
    proxy = read.removesuffix("/read")
    invalid, beside, alike, same, longer = [], [], collections.defaultdict(list), [], []
    for page in pages:
        address = site + page.name
        at = {form: f"{read}?{urllib.parse.urlencode({'url': address, 'as': form})}" for form in ["reader", "plain"]}
        try:
            plain, reader, proxied = fetched(at["plain"])[0], fetched(at["reader"])[0], fetched(address, proxy)[0]
        except urllib.error.HTTPError as error:
            print(f"{page.name}: {error}")
            continue
        if shutil.which("onsgmls") and faults(plain):
            invalid.append(page.name)
        beside.append(len(plain) - len(content(plain)) + len(plain.split(b"<body>")[0]))
        for browser in filter(shutil.which, DUMPS):
            words = []
            for form in [plain, reader]:
                with tempfile.NamedTemporaryFile(suffix=".html") as file:
                    file.write(content(form))
                    file.flush()
                    words.append(tokens(subprocess.run([browser, *DUMPS[browser], file.name], capture_output=True).stdout.decode(errors="replace")))
            alike[browser].append((f1(*words), page.name))
        same.append((f1(*[texts(parsed(content(form)))[0] for form in (reader, proxied)]), page.name))
        times = [(fetched(at["reader"])[1], fetched(address, proxy)[1]) for _ in range(RUNS)]
        longer.append(statistics.median(there - here for there, here in times) * 1000)
    print(f"{len(beside)} pages; HTML 3.2 with faults: {len(invalid)} {' '.join(invalid)}")
    print(f"bytes beside the content: median {statistics.median(beside):.0f}, most {max(beside)}")
    for name, found in [*alike.items(), ("reader page in the proxy", same)]:
        print(f"{name}: F1 of words: mean {statistics.mean(value for value, _ in found):.4f}, least {min(found)}")
    print(f"longer than in the proxy (ms): median {statistics.median(longer):.1f}, most {max(longer):.1f}")


def check_books(site, read, pages, folder):
    files = []
    for page in pages:
        try:
            book = fetched(f"{read}?{urllib.parse.urlencode({'url': site + page.name, 'as': 'epub', 'images': 'none'})}")[0]
        except urllib.error.HTTPError:
            continue
        files.append(folder / f"{page.name}.epub")
        files[-1].write_bytes(book)
    faulty = [file.stem for file in files if subprocess.run(["java", "-jar", shutil.which("epubcheck"), "--failonwarnings", file], capture_output=True).returncode]
    print(f"{len(files)} books; with faults: {len(faulty)} {' '.join(faulty)}")


def main():
    program, dev = sys.argv[1:3]
    count, seed, books = [int(given) for given in sys.argv[3:]] + [60, 1, 0][len(sys.argv) - 3 :]
    site = serve(dev)
    with tempfile.TemporaryDirectory() as folder:
        running, read = start(program, pathlib.Path(folder))
        try:
            compare(site, read, draw(dev, count, seed))
            if books:
                check_books(site, read, draw(dev, books, seed), pathlib.Path(folder))
        finally:
            running.terminate()
            running.wait()


main()
