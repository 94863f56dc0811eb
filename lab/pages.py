"""Pages whose main content is known, for the measures of this folder. Needs lxml."""

import collections
import glob
import gzip
import json
import os
import re

import lxml.etree
import lxml.html

HIDES = ("script", "style", "template")

# A page, with the words of what people said its main content is.
Page = collections.namedtuple("Page", "name kind url reference")


def tokens(text):
    return re.findall(r"\w+", text.replace("\xad", "").lower())


def parsed(html):
    """The body of a page, or None."""
    parser = lxml.html.HTMLParser(encoding="utf-8", huge_tree=True)
    text = html.decode("utf-8", "replace").encode("utf-8")
    return lxml.html.document_fromstring(text, parser=parser).find("body") if text.strip() else None


def texts(body, hides=HIDES):
    """The words of a page, and for each element the range of its own; those of `hides` have none."""
    words, spans = [], {}
    for event, element in lxml.etree.iterwalk(body, events=("start", "end")):
        is_element = isinstance(element.tag, str)
        if event == "start" and is_element:
            spans[element] = [len(words), None]
            if element.tag not in hides and element.text:
                words.extend(tokens(element.text))
        elif event == "end":
            if is_element:
                spans[element][1] = len(words)
            if element.tail and element is not body:
                words.extend(tokens(element.tail))
    return words, spans


def in_reference(words, reference, run):
    """Which words stand in a run of so many words that the reference has too."""
    runs = {tuple(reference[at : at + run]) for at in range(len(reference) - run + 1)}
    found = [False] * len(words)
    for at in range(len(words) - run + 1):
        if tuple(words[at : at + run]) in runs:
            found[at : at + run] = [True] * run
    return found


def annotated(dev):
    """The pages of a set like WCXB whose reference is not empty."""
    for path in sorted(glob.glob(os.path.join(dev, "ground-truth", "*.json"))):
        with open(path, encoding="utf-8") as file:
            told = json.load(file)
        reference = tokens(told["ground_truth"].get("main_content") or "")
        if reference:
            yield Page(os.path.basename(path)[:-5], told["_internal"]["page_type"]["primary"], told.get("url"), reference)


def unpacked(dev, name):
    with gzip.open(os.path.join(dev, "html", f"{name}.html.gz")) as file:
        return file.read()


def written(folder, name):
    """A file that `gleaner-lab` wrote, or None."""
    path = os.path.join(folder, name)
    if not os.path.exists(path):
        return None
    with open(path, encoding="utf-8") as file:
        return file.read()
