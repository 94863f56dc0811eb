"""Fits the forest of `main_block.algorithm: auto` and writes it as the compact table that ships.

usage: fit.py EXPORT FOREST [FOLDS [SEED]]

EXPORT is what `gleaner-lab export` wrote. FOREST is written from all pages. Where FOLDS is named, five more forests
are written there, each from the pages of four folds, and the word F1 of every page is measured by the forest that has
not seen its domain. SEED is that of the forest that ships, 5; means of figures are taken over 3, 4 and 5. Deterministic: fixed seed, one
thread count. Needs numpy and lightgbm 4 (pip install lightgbm).
"""

import json
import os
import struct
import sys

import lightgbm
import numpy

# Chosen by five folds over domains on WCXB dev, 2026-11-23. 150 trees at twice the rate are .001 worse and vary more with the seed;
# 1,150 trees of four fits together are .0008 better (docs/quality.md).
TREES = 300
# What a page of snippets weighs beside one whose main content is known as a whole.
SNIPPETS = 0.5
PARAMETERS = {
    "objective": "cross_entropy",
    "num_leaves": 15,
    "learning_rate": 0.04,
    "min_data_in_leaf": 100,
    "feature_fraction": 0.4,
    "bagging_fraction": 0.6,
    "bagging_freq": 1,
    "lambda_l2": 5.0,
    "max_bin": 63,
    "feature_pre_filter": False,
    "deterministic": True,
    "force_row_wise": True,
    "num_threads": 1,
    "seed": 5,
    "verbose": -1,
}


class Export:
    """Features and labels of every text block."""

    def __init__(self, folder):
        with open(os.path.join(folder, "meta.json")) as file:
            meta = json.load(file)
        self.names, self.pages = meta["names"], meta["pages"]
        blocks = sum(page["blocks"] for page in self.pages)
        read = lambda name: numpy.fromfile(os.path.join(folder, name), dtype="<f4")
        self.features = read("features.f32").reshape(blocks, len(self.names))
        matched, self.words = read("labels.f32").reshape(blocks, 2).T
        self.share = numpy.where(self.words > 0, matched / numpy.maximum(self.words, 1), 0)
        counts = [page["blocks"] for page in self.pages]
        self.page = numpy.repeat(numpy.arange(len(self.pages)), counts)
        self.is_snippets = numpy.array([page["kind"] == "snippets" for page in self.pages])[self.page]
        self.fold = numpy.array([page["fold"] for page in self.pages])[self.page]

    def weights(self):
        """Every page weighs the same; a word weighs what it changes in F1: one over the length of the reference."""
        per_page = lambda values: numpy.bincount(self.page, weights=values, minlength=len(self.pages))
        everything = per_page(self.words)
        reference = numpy.maximum(per_page(self.words * self.share), 0.15 * everything)
        weights = 1000 * self.words / numpy.maximum(reference, 1)[self.page]
        return weights * numpy.where(self.is_snippets, SNIPPETS, 1)


def fit(export, dataset, rows):
    return lightgbm.train(PARAMETERS, dataset.subset(rows), TREES)


def write(model, names, path):
    """magic, columns, their names, trees; a tree: inner nodes (column, threshold, left, right), leaves. A child below 0
    is a leaf: -1 the first."""
    trees = model.dump_model()["tree_info"]
    out = bytearray(b"GLF1")
    listed = "\n".join(names).encode()
    out += struct.pack("<HHH", len(names), len(trees), len(listed)) + listed
    for tree in trees:
        inner, leaves = [], []

        def place(node):
            if "leaf_value" in node:
                leaves.append(node["leaf_value"])
                return -len(leaves)
            index = len(inner)
            inner.append(None)
            left, right = place(node["left_child"]), place(node["right_child"])
            assert node["decision_type"] == "<="
            inner[index] = (node["split_feature"], node["threshold"], left, right)
            return index

        place(tree["tree_structure"])
        out += struct.pack("<B", len(inner))
        for column, threshold, left, right in inner:
            out += struct.pack("<Bfbb", column, threshold, left, right)
        for leaf in leaves:
            out += struct.pack("<f", leaf)
    with open(path, "wb") as file:
        file.write(out)
    print(f"{path}: {len(trees)} trees, {len(out)} bytes")


def main():
    if len(sys.argv) > 4:
        PARAMETERS["seed"] = int(sys.argv[4])
    export = Export(sys.argv[1])
    dataset = lightgbm.Dataset(
        export.features, export.share, weight=export.weights(), params=PARAMETERS, free_raw_data=False
    ).construct()
    has_words = (export.words > 0) & (export.weights() > 0)
    if len(sys.argv) > 3:
        os.makedirs(sys.argv[3], exist_ok=True)
        for fold in range(5):
            rows = numpy.nonzero(has_words & (export.fold != fold))[0]
            model = fit(export, dataset, rows)
            write(model, export.names, os.path.join(sys.argv[3], f"{fold}.forest"))
    model = fit(export, dataset, numpy.nonzero(has_words)[0])
    write(model, export.names, sys.argv[2])
    gain = model.feature_importance("gain")
    for column in numpy.argsort(-gain)[:20]:
        print(f"  {export.names[column]}: {gain[column] / gain.sum():.3f}")


if __name__ == "__main__":
    main()
