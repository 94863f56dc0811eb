"""What is lost of the main content that no count of words sees: pictures, lists, embedded posts, times of posts; by kind of page.

usage: losses.py DEV TEXTS [--list]

TEXTS is what `gleaner-lab check DEV FOLDS --texts TEXTS` wrote. A thing is inside the main content where most of the 30 words before it and
most of the 30 after it stand in runs of four words that the reference has too; a list, where most of its own do too. Shares are means over the
pages that have such things, with how many these are. Needs lxml.

- pictures: large ones by size and name; kept where what comes out has a picture with that file name, sizes aside. Those in links to one
  page without a word between them show one thing, from several sides or in several colours, and count as one: a card keeps the first.
  `not there`: of the pictures that come out, those that stand more than 60 words before or after all main content.
- lists: two items and more, 4 to 400 words, most of them outside of links, and not of controls (tabs, options, fields, buttons: a page
  without scripts has no use for them); lost where less than half of its items come out. An item comes out where all of its words do in a row,
  or more than half of them in runs of four: a day, a label or a button in it may go. `between kept`: of the lists whose neighbours come out
  on both sides, those that are lost.
- posts: those of other networks, as quotations with a link or in frames; lost where nothing that comes out has their address.
- times: `<time>` on pages of threads, a moment once, none of a change, of a member or with Bootstrap's class for what is not shown; lost where neither its words nor its day come out.
"""

import collections
import datetime
import os
import re
import sys
from urllib.parse import parse_qs, unquote, urlsplit

from pages import annotated, in_reference, parsed, texts, tokens, unpacked, written

RUN = 4
NEAR = 30
SMALL = 60
# Signs, portraits of authors and goods on offer are no pictures of the text.
CLUTTER = re.compile(
    r"avatar|author|profile|swatch|icon|logo|emoji|badge|promo|sticker|\bstars?\b|rating|pixel|sprite|spacer|blank|button|flag", re.I
)
SOURCES = ("src", "data-src", "data-lazy-src", "data-original", "data-lazy", "data-url", "data-image", "srcset", "data-srcset", "data-lazy-srcset")
EMBEDDED = re.compile(r"twitter-tweet|instagram-media|tiktok-embed|fb-post|bluesky-embed|reddit-embed|mastodon-embed|text-post-media")
OTHER_TIMES = {"edited", "modified", "joined", "since", "seen", "active"}
FRAMES = re.compile(r"//(platform\.twitter\.com/embed|www\.instagram\.com/(p|reel)/|www\.facebook\.com/plugins/post|embed\.bsky\.app|www\.redditmedia\.com)")


def file_name(address):
    """The name of a picture's file without its ending and size. Services that make pictures smaller are asked for the address of one."""
    address = urlsplit(address.strip())
    asked_for = parse_qs(address.query).get("url", [""])[0]
    path = unquote(urlsplit(asked_for).path if "." in asked_for else address.path)
    name = path.rstrip("/").rsplit("/", 1)[-1].lower()
    name = re.sub(r"\.(jpe?g|png|gif|webp|avif|jfif|bmp)$", "", name)
    return re.sub(r"[-_@](\d+x\d*|x?\d+w?|\d+x|scaled|large|medium|small)$", "", name)


def addresses(element):
    for name in SOURCES:
        value = element.get(name) or ""
        if value and not value.startswith("data:"):
            for candidate in re.split(r",\s+", value) if "srcset" in name else [value]:
                if candidate.strip():
                    yield candidate.split()[0]


def names(element):
    """The names of the files of a picture, those of the sources beside it included."""
    parent = element.getparent()
    around = [element, *(parent.findall("source") if parent is not None and parent.tag == "picture" else [])]
    try:
        return {name for one in around for address in addresses(one) for name in [file_name(address)] if len(name) > 2}
    except ValueError:
        return set()


def shelf_link(element, page):
    """The address of the page that a picture leads to, from where no other picture is meant; None where it leads nowhere."""
    link = next(element.iterancestors("a"), None)
    to = (link.get("href") or "").split("#")[0].strip() if link is not None else ""
    leads_to_picture = re.search(r"\.(jpe?g|png|gif|webp|avif)([?#]|$)", to, re.I)
    return to if to and to != page and not leads_to_picture else None


def is_small(element):
    sides = [re.match(r"\d+", element.get(side) or "") for side in ("width", "height")]
    if any(side and int(side[0]) < SMALL for side in sides):
        return True
    around = [element, *list(element.iterancestors())[:2]]
    called = " ".join(filter(None, (one.get(name) for one in around for name in ("class", "id"))))
    sources = " ".join(addresses(element))
    return bool(CLUTTER.search(called) or CLUTTER.search(sources) or re.search(r"\.svg(\?|$)", sources))


def days(moment):
    """The day of a moment (ISO 8601) as pages say it."""
    try:
        day = datetime.date.fromisoformat(moment[:10])
    except ValueError:
        return []
    names = (day.strftime("%b").lower(), day.strftime("%B").lower())
    return [f"{day:%Y %m %d}", *(wording for name in names for wording in (f"{name} {day.day} {day.year}", f"{day.day} {name} {day.year}"))]


def is_control(element, items, spans):
    """Whether a list is there to be operated: of most items the words are those of a tab, an option or a button, or beside a field."""
    around = [element, *list(element.iterancestors())[:2]]
    if any(one.tag == "fieldset" or one.get("role") in ("tablist", "listbox", "menu") for one in around):
        return True
    words = lambda one: spans[one][1] - spans[one][0]
    is_named = lambda one: one.tag in ("button", "label") or one.get("role") in ("tab", "option", "button")
    is_field = lambda one: one.tag in ("input", "select", "textarea")
    is_operated = lambda item: any(is_field(one) or is_named(one) and 2 * words(one) > words(item) for one in item.iter("*"))
    return 2 * sum(map(is_operated, items)) > len(items)


class Place:
    """Where the main content of a page stands."""

    def __init__(self, is_main):
        found = [at for at, one in enumerate(is_main) if one]
        self.first, self.last = (found[0], found[-1]) if found else (0, 0)
        self.sums = [0]
        for one in is_main:
            self.sums.append(self.sums[-1] + one)

    def share(self, start, end):
        start, end = max(start, 0), min(end, len(self.sums) - 1)
        return (self.sums[end] - self.sums[start]) / (end - start) if end > start else 0

    def is_near(self, span):
        return self.first - 2 * NEAR <= span[0] <= self.last + 2 * NEAR

    def holds(self, span):
        return self.share(span[0] - NEAR, span[0]) > 0.5 and self.share(span[1], span[1] + NEAR) > 0.5


def measure(html, out_html, out_text, page):
    """Counts by name: (things, of which are well)."""
    kind, reference = page.kind, page.reference
    body, kept = parsed(html), parsed(out_html.encode("utf-8"))
    if body is None or kept is None:
        return
    words, spans = texts(body)
    place = Place(in_reference(words, reference, RUN))
    came_out = Place(in_reference(words, tokens(out_text), RUN))
    flow = " " + " ".join(tokens(out_text)) + " "
    # Where one element ends in a word, a browser sees no gap.
    letters = flow.replace(" ", "")
    place_of = {}
    near, outside = set(), set()
    for element in body.iter("img"):
        own = names(element)
        if not own or is_small(element):
            continue
        is_inside = place.holds(spans[element])
        (near if place.is_near(spans[element]) else outside).update(own)
        if is_inside:
            link = shelf_link(element, page.url)
            place_of[frozenset(own)] = (link, spans[element][0]) if link else frozenset(own)
    shown = [own for element in kept.iter("img") if (own := names(element)) and not is_small(element)]
    all_shown = set().union(*shown) if shown else set()
    pictures = collections.defaultdict(set)
    for own, key in place_of.items():
        pictures[key] |= own
    for own in pictures.values():
        yield "pictures", bool(own & all_shown), sorted(own)[0]
    for own in shown:
        if own & (near | outside):
            yield "not there", not own & near, sorted(own)[0]
    for element in body.iter("ul", "ol"):
        start, end = spans[element]
        items = [item for item in element if item.tag == "li" and spans[item][1] > spans[item][0]]
        linked = sum(spans[link][1] - spans[link][0] for link in element.iter("a"))
        if len(items) < 2 or not 4 <= end - start <= 400 or 2 * linked > end - start or element.getparent().tag == "li":
            continue
        if is_control(element, items, spans):
            continue
        if place.holds((start, end)) and place.share(start, end) > 0.5:
            is_out = lambda span: "".join(words[slice(*span)]) in letters or came_out.share(*span) > 0.5
            said = [is_out(spans[item]) for item in items]
            is_there = 2 * sum(said) >= len(said)
            yield "lists", is_there, " ".join(words[start : start + 8])
            if came_out.holds((start, end)):
                yield "between kept", is_there, " ".join(words[start : start + 8])
    for element in body.iter("blockquote", "iframe", "div"):
        source = element.get("src") or ""
        if not (element.tag == "iframe" and FRAMES.search(source) or EMBEDDED.search(element.get("class") or "")):
            continue
        links = [source] if element.tag == "iframe" else [link.get("href") or "" for link in element.iter("a")]
        links += [element.get("cite") or "", element.get("data-instgrm-permalink") or "", element.get("data-href") or ""]
        marks = {mark for link in links for mark in re.findall(r"(?:status|p|reel|video|posts?)/([\w-]+)|[?&]id=(\d+)", link)}
        marks = {one for mark in marks for one in mark if one}
        if marks and place.holds(spans[element]):
            yield "posts", any(mark in out_html for mark in marks), sorted(marks)[0]
    if kind == "forum":
        seen, shown_days = set(), collections.Counter((element.get("datetime") or "")[:10] for element in kept.iter("time"))
        for element in body.iter("time"):
            start, end = spans[element]
            said = " ".join(words[start:end])
            # Of a change or of a member, or for machines.
            is_other = element.get("itemprop") == "dateModified" or OTHER_TIMES & set(words[start - 2 : start])
            is_other = is_other or "d-none" in (element.get("class") or "").split()
            moment = element.get("datetime") or said
            is_inner = next(element.iterancestors("time"), None) is not None
            if end == start or moment in seen or is_other or is_inner:
                continue
            if place.share(end, end + NEAR) > 0.5 or place.share(start - NEAR, start) > 0.5:
                seen.add(moment)
                wordings = [said, *days(moment)]
                found = next((wording for wording in wordings if f" {wording} " in flow), None)
                if found:
                    flow = flow.replace(f" {found} ", " ", 1)
                is_shown = found or shown_days[moment[:10]] > 0
                shown_days[moment[:10]] -= 1
                yield "times", bool(is_shown), said


def main():
    dev, folder = [argument for argument in sys.argv[1:] if argument != "--list"]
    shares = collections.defaultdict(lambda: collections.defaultdict(list))
    for page in annotated(dev):
        name, kind = page.name, page.kind
        out_text, out_html = written(folder, f"{name}.txt"), written(folder, f"{name}.html")
        if not out_html:
            continue
        html = unpacked(dev, name)
        counts = collections.defaultdict(lambda: [0, 0])
        for what, is_so, which in measure(html, out_html, out_text, page):
            counts[what][0] += 1
            counts[what][1] += is_so
            if "--list" in sys.argv and is_so == (what == "not there"):
                print(f"{name}\t{kind}\t{what}\t{which}")
        for what, count in counts.items():
            for group in ("all", kind):
                shares[group][what].append(count)
    print("| | pictures kept | kept ones not there | lists lost | between kept | posts lost | times lost |\n|---|---|---|---|---|---|---|")
    for kind in sorted(shares, key=lambda kind: (kind != "all", kind)):
        cells = []
        for what in ("pictures", "not there", "lists", "between kept", "posts", "times"):
            pages = shares[kind][what]
            mean = sum(so / count for count, so in pages) / max(len(pages), 1)
            mean = 1 - mean if what in ("lists", "between kept", "posts", "times") else mean
            cells.append(f"{100 * mean:.1f} % ({sum(count for count, _ in pages)})" if pages else "–")
        print(f"| {kind} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
