"""Which pages of a set lose more than half of their main content, and how many of them could keep it.

usage: harmed.py DEV PAGES

PAGES is what `gleaner-lab check DEV FOLDS --pages PAGES` wrote. A page that was saved without half of the words of its reference (a script draws
them, or its address leads to another page by now) cannot be kept by anybody: `not in it` counts these. Prints both shares by kind, and the pages
that could be kept. Needs lxml.
"""

import collections
import sys

from pages import annotated, parsed, texts, unpacked

HARMED = 0.5


def recall(words, reference):
    common = collections.Counter(words) & collections.Counter(reference)
    return sum(common.values()) / len(reference)


def main():
    dev, path = sys.argv[1:]
    with open(path, encoding="utf-8") as file:
        lines = [line.split("\t") for line in file.read().splitlines()[1:]]
    kept = {line[0]: float(line[4]) for line in lines}
    kinds, listed = collections.defaultdict(lambda: [0, 0, 0]), []
    for page in annotated(dev):
        if page.name not in kept:
            continue
        is_harmed = kept[page.name] < HARMED
        body = parsed(unpacked(dev, page.name)) if is_harmed else None
        is_in_it = body is not None and recall(texts(body)[0], page.reference) >= HARMED
        for kind in ("all", page.kind):
            kinds[kind][0] += 1
            kinds[kind][1] += is_harmed
            kinds[kind][2] += is_harmed and not is_in_it
        if is_in_it:
            listed.append(f"{page.name}\t{page.kind}\t{kept[page.name]:.2f}\t{page.url}")
    print("| | pages | harmed | not in it | harmed of the others |\n|---|---|---|---|---|")
    for kind, (pages, harmed, lost) in sorted(kinds.items(), key=lambda kind: (kind[0] != "all", kind)):
        share = 100 * (harmed - lost) / max(pages - lost, 1)
        print(f"| {kind} | {pages} | {100 * harmed / pages:.1f} % ({harmed}) | {lost} | {share:.1f} % ({harmed - lost}) |")
    print("\n".join(listed))


if __name__ == "__main__":
    main()
