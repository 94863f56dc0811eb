"""How often the words of class names stand on main content, on pages whose main content is known.

usage: class_words.py DEV

DEV is the development part of WCXB. For each word of `filters/src/html/attribute_hints/class_hints.rs`: its hint, on how many domains an
element of five words and more (and at most half of the page) has it in `class` or `id`, and the mean over these domains of the share of
such elements of which more than half of the text is main content (runs of four words that the reference has). Needs lxml.
"""

import collections
import glob
import gzip
import json
import os
import re
import sys

import lxml.etree
import lxml.html

RUN = 4
LEAST = 5
HINTS = os.path.join(os.path.dirname(__file__), "../filters/src/html/attribute_hints/class_hints.rs")


def hints():
    with open(HINTS, encoding="utf-8") as file:
        found = re.finditer(r'^    (\w+): ((?:"\w+"(?: \| )?)+);', file.read(), re.M)
    return {word: match[1] for match in found for word in re.findall(r'"(\w+)"', match[2])}


def tokens(text):
    return re.findall(r"\w+", text.replace("\xad", "").lower())


def texts(body):
    """The words of the page, and for each element the range of its own."""
    words, spans = [], {}
    for event, element in lxml.etree.iterwalk(body, events=("start", "end")):
        is_element = isinstance(element.tag, str)
        if event == "start" and is_element:
            spans[element] = [len(words), None]
            if element.tag not in ("script", "style", "noscript", "template") and element.text:
                words.extend(tokens(element.text))
        elif event == "end":
            if is_element:
                spans[element][1] = len(words)
            if element.tail and element is not body:
                words.extend(tokens(element.tail))
    return words, spans


def main():
    known = hints()
    found = collections.defaultdict(lambda: collections.defaultdict(lambda: [0, 0]))
    for path in sorted(glob.glob(os.path.join(sys.argv[1], "ground-truth", "*.json"))):
        name = os.path.basename(path)[:-5]
        with open(path, encoding="utf-8") as file:
            told = json.load(file)
        reference = tokens(told["ground_truth"].get("main_content") or "")
        runs = {tuple(reference[at : at + RUN]) for at in range(len(reference) - RUN + 1)}
        with gzip.open(os.path.join(sys.argv[1], "html", f"{name}.html.gz")) as file:
            html = file.read().decode("utf-8", "replace").encode("utf-8")
        parser = lxml.html.HTMLParser(encoding="utf-8", huge_tree=True)
        body = lxml.html.document_fromstring(html, parser=parser).find("body") if runs and html.strip() else None
        if body is None:
            continue
        domain = re.sub(r"^https?://(www\.)?", "", told.get("url") or name).split("/")[0]
        words, spans = texts(body)
        is_main = [0] * len(words)
        for at in range(len(words) - RUN + 1):
            if tuple(words[at : at + RUN]) in runs:
                is_main[at : at + RUN] = [1] * RUN
        sums = [0]
        for one in is_main:
            sums.append(sums[-1] + one)
        for element, (start, end) in spans.items():
            if not LEAST <= end - start <= len(words) / 2:
                continue
            names = (element.get("class") or "") + " " + (element.get("id") or "")
            names = re.sub(r"([a-z])([A-Z])", r"\1 \2", names)
            for word in {word.lower() for word in re.findall("[A-Za-z]+", names)} & known.keys():
                count = found[word][domain]
                count[0] += 1
                count[1] += 2 * (sums[end] - sums[start]) > end - start
    rows = []
    for word, domains in found.items():
        share = sum(main / count for count, main in domains.values()) / len(domains)
        rows.append((known[word], -share, word, len(domains)))
    print("hint\tword\tdomains\ton main content")
    for hint, share, word, domains in sorted(rows):
        print(f"{hint}\t{word}\t{domains}\t{-share:.2f}")


if __name__ == "__main__":
    main()
