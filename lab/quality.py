"""The tables and the plot of docs/quality.md, from what `gleaner-lab check` wrote.

usage: quality.py PAGES.tsv
       quality.py --dial RECALL.tsv BALANCED.tsv PRECISION.tsv PLOT.svg

The first prints the tables in Markdown: what goes wrong by type, and the fifty worst pages. The second prints the table of
`main_block.favor` and draws it.
"""

import csv
import sys

TYPES = ["article", "documentation", "service", "forum", "collection", "listing", "product"]
FAULTS = ["too big", "mixed", "too small", "wrong place", "empty reference", "not in the HTML", "good"]
WORST = 50


def read(path):
    with open(path, encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    for row in rows:
        for name in ("F1", "precision", "recall", "reference", "in page"):
            row[name] = float(row[name])
    return rows


def fault(row):
    if row["reference"] == 0:
        return "empty reference"
    if row["in page"] < 0.5:
        return "not in the HTML"
    precise, complete = row["precision"] >= 0.9, row["recall"] >= 0.9
    if precise and complete:
        return "good"
    if complete:
        return "too big"
    if precise:
        return "too small"
    return "wrong place" if row["F1"] < 0.3 else "mixed"


def reason(row):
    if row["reference"] == 0:
        return "the annotators marked nothing"
    if row["in page"] < 0.5:
        return "its text is drawn by scripts"
    if row["selected"] == "false":
        return "left whole"
    return "too much kept" if row["recall"] >= 0.9 else "another part of the page"


def faults(rows):
    print("| | " + " | ".join(FAULTS) + " |")
    print("|---" * (len(FAULTS) + 1) + "|")
    count = lambda name: str(sum(fault(row) == name for row in rows))
    print("| pages | " + " | ".join(map(count, FAULTS)) + " |")
    for label, kinds in [("loss of F1, all", TYPES)] + [(kind, [kind]) for kind in TYPES]:
        lost = lambda name: sum(1 - r["F1"] for r in rows if fault(r) == name and r["kind"] in kinds) / len(rows)
        print(f"| {label} | " + " | ".join(f"{lost(name):.4f}" for name in FAULTS) + " |")


def worst(rows):
    print("| page | type | F1 | precision | recall | why |\n|---|---|---|---|---|---|")
    for row in sorted(rows, key=lambda row: (row["F1"], row["page"]))[:WORST]:
        figures = " | ".join(f"{row[name]:.2f}" for name in ("F1", "precision", "recall"))
        print(f"| {row['page']} | {row['kind']} | {figures} | {reason(row)} |")


def means(rows):
    mean = lambda name: sum(row[name] for row in rows) / len(rows)
    harmed = sum(row["recall"] < 0.5 and row["reference"] > 0 for row in rows) / len(rows)
    return mean("F1"), mean("precision"), mean("recall"), harmed


def dial(paths, plot):
    points = [(name, *means(read(path))) for name, path in zip(("recall", "balanced", "precision"), paths)]
    print("| `favor` | F1 | precision | recall | harmed |\n|---|---|---|---|---|")
    for name, f1, precision, recall, harmed in points:
        print(f"| `{name}` | {f1:.3f} | {precision:.3f} | {recall:.3f} | {100 * harmed:.1f} % |".replace("0.", "."))
    x = lambda recall: 60 + 420 * (recall - 0.84) / 0.14
    y = lambda precision: 260 - 220 * (precision - 0.78) / 0.12
    out = [
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 520 310" font-family="sans-serif" font-size="12" role="img" '
        'aria-label="Precision over recall for the three settings of main_block.favor">',
        '<rect width="520" height="310" fill="white"/>',
    ]
    for step in range(8):
        at = 0.84 + 0.02 * step
        out.append(
            f'<line x1="{x(at):.0f}" y1="40" x2="{x(at):.0f}" y2="260" stroke="#ddd"/>'
            f'<text x="{x(at):.0f}" y="276" text-anchor="middle">{at:.2f}</text>'
        )
    for step in range(7):
        at = 0.78 + 0.02 * step
        out.append(
            f'<line x1="60" y1="{y(at):.0f}" x2="480" y2="{y(at):.0f}" stroke="#ddd"/>'
            f'<text x="52" y="{y(at) + 4:.0f}" text-anchor="end">{at:.2f}</text>'
        )
    places = [(x(recall), y(precision)) for _, _, precision, recall, _ in points]
    joined = " ".join(f"{left:.0f},{top:.0f}" for left, top in places)
    out.append(f'<polyline fill="none" stroke="#1a5fb4" stroke-width="2" points="{joined}"/>')
    for (name, f1, *_), (left, top) in zip(points, places):
        label = f"{name}, F1 {f1:.3f}".replace("0.", ".")
        side = (-10, 4, "end") if name == "recall" else (10, -8, "start")
        out.append(
            f'<circle cx="{left:.0f}" cy="{top:.0f}" r="5" fill="#1a5fb4"/>'
            f'<text x="{left + side[0]:.0f}" y="{top + side[1]:.0f}" text-anchor="{side[2]}">{label}</text>'
        )
    out.append(
        '<text x="270" y="298" text-anchor="middle">recall</text>'
        '<text x="14" y="150" transform="rotate(-90 14 150)" text-anchor="middle">precision</text></svg>'
    )
    with open(plot, "w", encoding="utf-8") as file:
        file.write("\n".join(out) + "\n")


def main():
    arguments = sys.argv[1:]
    if len(arguments) == 5 and arguments[0] == "--dial":
        dial(arguments[1:4], arguments[4])
    elif len(arguments) == 1:
        rows = read(arguments[0])
        faults(rows)
        print()
        worst(rows)
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
