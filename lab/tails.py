"""How many words of what is kept stand after the end of the article.

usage: tails.py DEV TEXTS [SNIPPETS TEXTS]

TEXTS is what `gleaner-lab check DEV FOLDS --texts TEXTS` wrote, and the second what `gleaner-lab snippets SNIPPETS --texts TEXTS` wrote. Of the
articles of DEV the end is behind the last run of six words that the reference has too. Of SNIPPETS only some texts are known: there the
tail begins with the first text that must not be kept, behind the last one that must. Needs lxml.
"""

import json
import os
import re
import sys

from pages import annotated, in_reference, tokens, written

RUN = 6
# The share of a page's words from which its tail is long.
LONG = 1 / 3


def of_articles(dev, folder):
    for name, kind, _, reference in annotated(dev):
        text = written(folder, f"{name}.txt") if kind == "article" else None
        words = tokens(text or "")
        found = in_reference(words, reference, RUN)
        if True in found:
            yield name, len(words), found[::-1].index(True)


def of_snippets(snippets, folder):
    with open(os.path.join(snippets, "labels.json"), encoding="utf-8") as file:
        labels = json.load(file)
    squeezed = lambda text: " ".join(text.split())
    for name, told in sorted(labels.items()):
        text = squeezed(written(folder, f"{name}.txt") or "")
        ends = [text.rfind(wanted) + len(wanted) for wanted in map(squeezed, told["with"]) if wanted in text]
        if not ends:
            continue
        starts = [text.find(unwanted, max(ends)) for unwanted in map(squeezed, told["without"])]
        starts = [start for start in starts if start >= 0]
        yield name, len(tokens(text)), len(tokens(text[min(starts) :])) if starts else 0


def tell(title, pages, lists):
    pages = list(pages)
    words, after = sum(page[1] for page in pages), sum(page[2] for page in pages)
    long = [page for page in pages if page[2] > LONG * page[1]]
    print(f"{title}: {len(pages)} pages, {words} words, {after} after the end ({100 * after / max(words, 1):.2f} %), "
          f"more than a third on {len(long)} ({100 * len(long) / max(len(pages), 1):.1f} %)")
    if lists:
        for name, words, after in sorted(pages, key=lambda page: -page[2])[:lists]:
            print(f"  {name}\t{after} of {words}")


def main():
    arguments = [argument for argument in sys.argv[1:] if argument != "--list"]
    lists = 40 if "--list" in sys.argv else 0
    tell("articles", of_articles(*arguments[:2]), lists)
    if arguments[2:]:
        tell("snippets", of_snippets(*arguments[2:4]), lists)


if __name__ == "__main__":
    main()
