"""Tables of docs/quality.md, from what `gleaner-lab check --pages` wrote.

usage: quality.py PAGES.tsv...
       quality.py --dial RECALL.tsv... BALANCED.tsv... PRECISION.tsv...

The first prints the table by kind of page, the second that of `main_block.favor`. Figures are means over pages, and over files where there
are more than one: one for each seed of `fit.py`. Harmed are pages with a reference of which less than half comes out.
"""

import csv
import sys

KINDS = ["all", "article", "documentation", "service", "forum", "collection", "listing", "product"]
MEASURES = {
    "word F1": lambda row: float(row["F1"]),
    "precision": lambda row: float(row["precision"]),
    "recall": lambda row: float(row["recall"]),
    "harmed, %": lambda row: 100 * (float(row["recall"]) < 0.5 and float(row["reference"]) > 0),
    "kept whole, %": lambda row: 100 * (row["selected"] == "false"),
}


def read(paths):
    rows = []
    for path in paths:
        with open(path, encoding="utf-8") as file:
            rows += csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
    return rows


def mean(rows, name):
    value = sum(map(MEASURES[name], rows)) / len(rows)
    if name.endswith("%"):
        return f"{value:.1f}"
    return (f"{value:.4f}" if name == "word F1" else f"{value:.3f}").lstrip("0")


def table(head, lines):
    print(f"| {' | '.join(head)} |\n{'|---' * len(head)}|")
    for line in lines:
        print(f"| {' | '.join(line)} |")


def main():
    paths = sys.argv[1:]
    if paths[:1] == ["--dial"] and len(paths) % 3 == 1:
        each = len(paths) // 3
        settings = {name: read(paths[1 + at * each :][:each]) for at, name in enumerate(("recall", "balanced", "precision"))}
        names = list(MEASURES)[:4]
        table(["`favor`", *names], [[f"`{favor}`", *(mean(rows, name) for name in names)] for favor, rows in settings.items()])
    elif paths and paths[0] != "--dial":
        rows = read(paths)
        of = {kind: [row for row in rows if kind in ("all", row["kind"])] for kind in KINDS}
        table(["", *KINDS], [[name, *(mean(of[kind], name) for kind in KINDS)] for name in MEASURES])
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
