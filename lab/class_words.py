"""How often the words of class names stand on main content, on pages whose main content is known.

usage: class_words.py DEV

DEV is the development part of WCXB. For each word of `filters/src/html/attribute_hints/class_hints.rs`: its hint, on how many domains an
element of five words and more (and at most half of the page) has it in `class` or `id`, and the mean over these domains of the share of
such elements of which more than half of the text is main content (runs of four words that the reference has). Needs lxml.
"""

import collections
import os
import re
import sys

from pages import HIDES, annotated, in_reference, parsed, texts, unpacked

RUN = 4
LEAST = 5
HINTS = os.path.join(os.path.dirname(__file__), "../filters/src/html/attribute_hints/class_hints.rs")


def hints():
    with open(HINTS, encoding="utf-8") as file:
        found = re.finditer(r'^    (\w+): ((?:"\w+"(?: \| )?)+);', file.read(), re.M)
    return {word: match[1] for match in found for word in re.findall(r'"(\w+)"', match[2])}


def main():
    known = hints()
    found = collections.defaultdict(lambda: collections.defaultdict(lambda: [0, 0]))
    for page in annotated(sys.argv[1]):
        # Where the reference is shorter than a run, nothing of the page is known to be main content.
        body = parsed(unpacked(sys.argv[1], page.name)) if len(page.reference) >= RUN else None
        if body is None:
            continue
        domain = re.sub(r"^https?://(www\.)?", "", page.url or page.name).split("/")[0]
        words, spans = texts(body, (*HIDES, "noscript"))
        sums = [0]
        for one in in_reference(words, page.reference, RUN):
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
