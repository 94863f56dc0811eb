use super::*;
use crate::testing::page;

/// Pages and the Markdown that they must become, one under the other.
const PAIRS: &[(&str, &str, &str)] = &[
    (
        "headings and paragraphs",
        "<h1>One</h1><p>Two\n three.</p><h2>Four <em>five</em></h2>six",
        "# One\n\nTwo three.\n\n## Four *five*\n\nsix\n",
    ),
    (
        "emphasis without its white space",
        "<p>a<b> b </b>c <i><b>d</b></i> <b><strong>e</strong></b> <b> </b>f <del>g</del>",
        "a **b** c ***d*** **e** f ~~g~~\n",
    ),
    (
        "cells over several rows",
        "<table><tr><th rowspan=2>a<th colspan=2>b<tr><td>c<td>d<tr><td>e<td>f<td>g</table>",
        "| a | b |  |\n| --- | --- | --- |\n|  | c | d |\n| e | f | g |\n",
    ),
    ("a formula without a source", "<p>It is <math><msup><mi>x</mi><mn>2</mn></msup></math> big.", "It is x^2 big.\n"),
    ("hard breaks", "<p>one<br>two<br><b>three<br>four</b>", "one\\\ntwo\\\n**three**\\\n**four**\n"),
    (
        "lists",
        "<ul><li>a<li>b<ul><li>c<ol start=3><li>d<li>e</ol></ul><li>f</ul><p>end",
        "- a\n- b\n  - c\n    3. d\n    4. e\n- f\n\nend\n",
    ),
    ("paragraphs in items", "<ol><li><p>a</p><p>b</p></li><li><p>c</p></li></ol>", "1. a\n\n   b\n\n2. c\n"),
    ("code in an item", "<ul><li>See<pre>x\n  y</pre></li></ul>", "- See\n\n  ```\n  x\n    y\n  ```\n"),
    (
        "code with its language and backticks in it",
        "<pre><code class='hl language-rust'>let a = 1;\n\n```\n</code></pre>",
        "````rust\nlet a = 1;\n\n```\n````\n",
    ),
    ("code in a line", "<p>Call <code>a * b</code> or <code>`x`</code>.", "Call `a * b` or `` `x` ``.\n"),
    (
        "quotes",
        "<blockquote><p>a</p><blockquote>b</blockquote><ul><li>c</ul></blockquote>d",
        "> a\n>\n> > b\n>\n> - c\n\nd\n",
    ),
    (
        "links and images",
        "<p><a href='/a (b)'>the <b>link</b></a> <a>no link</a> <img src=/i.png alt='an [image]'> \
         <a href=/x><img src=/j.png alt=j></a><img src='data:image/gif;base64,AA'>",
        "[the **link**](https://example.org/a%20%28b%29) no link ![an \\[image\\]](https://example.org/i.png) \
         [![j](https://example.org/j.png)](https://example.org/x)\n",
    ),
    (
        "a link around blocks",
        "<a href=/x><h2>Head</h2><p>Text</p></a>",
        "## [Head](https://example.org/x)\n\n[Text](https://example.org/x)\n",
    ),
    (
        "a table of data",
        "<table><caption>Woods</caption><tr><th>Wood<th>Hard|soft</tr><tr><td>Ash<td><p>very</p><p>hard</p></tr>\
         <tr><td colspan=2>Oak</table><p>end",
        "Woods\n\n| Wood | Hard\\|soft |\n| --- | --- |\n| Ash | very hard |\n| Oak |  |\n\nend\n",
    ),
    ("a table that lays out a page", "<table><tr><td>left<td><p>right</p></table>", "left\n\nright\n"),
    (
        "characters that would mean something",
        "<p>1 * 2 * 3, snake_case, _x_, [a], &lt;b&gt;, 3 &lt; 4, AT&amp;T, &amp;amp; \\ ~~no~~",
        "1 \\* 2 \\* 3, snake_case, \\_x\\_, \\[a\\], \\<b>, 3 < 4, AT\\&T, \\&amp; \\\\ \\~\\~no\\~\\~\n",
    ),
    (
        "lines that would begin a block",
        "<p># a<p>- b<p>1. c<p>&gt; d<p>+ e<p>2026. A year<p>#tag<p>-5<p>---",
        "\\# a\n\n\\- b\n\n1\\. c\n\n\\> d\n\n\\+ e\n\n2026\\. A year\n\n#tag\n\n-5\n\n\\---\n",
    ),
    (
        "terms and their descriptions",
        "<dl><dt>Mortise<dd>The hole<dt>Tenon<dd>What fits it</dl>",
        "**Mortise**\n\nThe hole\n\n**Tenon**\n\nWhat fits it\n",
    ),
    (
        "formulas, footnotes and a rule",
        "<p>H<sub>2</sub>O<sup><a href='#f'>1</a></sup> <math><mi>y</mi><annotation encoding='application/x-tex'>x^2</annotation></math>\
         <hr><math display=block><annotation encoding='application/x-tex'>\\sum</annotation></math>",
        "H<sub>2</sub>O<sup>[1](https://example.org/#f)</sup> $x^2$\n\n---\n\n$$\\sum$$\n",
    ),
    (
        "formulas that a script would set",
        "<p>So \\(a_1 * b_2\\) and $$\\frac{x}{[y]}$$ hold, \\( does not, and a pair of $$.<table><tr><th>a<tr><td>\\[|x|\\]</table>",
        "So $a_1 * b_2$ and $$\\frac{x}{[y]}$$ hold, \\\\( does not, and a pair of $$.\n\n| a |\n| --- |\n| $$\\|x\\|$$ |\n",
    ),
    (
        "films, sounds and frames",
        "<p>a<video src=/v.mp4 title='The weir, in [spring]'></video>b<video><source src=/w.webm>old browser</video>\
         <audio src=/a.ogg></audio><iframe src='https://player.example/embed/4'></iframe><iframe src=about:blank></iframe>\
         <video src=blob:x></video><iframe></iframe>",
        "a\n\n[The weir, in \\[spring\\]](https://example.org/v.mp4)\n\nb\n\n[w.webm](https://example.org/w.webm)\n\n\
         [a.ogg](https://example.org/a.ogg)\n\n[player.example](https://player.example/embed/4)\n",
    ),
    (
        "how characters are read",
        "<p>The <ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp>字 <rt>ji</rt></ruby> and <ruby>東京<rt>とうきょう</rt></ruby>で<ruby>x<rt></rt></ruby>",
        "The 漢(kan)字(ji) and 東京(とうきょう)でx\n",
    ),
    (
        "items that number themselves, and a list directly in a list",
        "<ol start=5><li>five<li value=10>ten<li>eleven</ol><ol><li>one<ol><li>one one</ol><li>two</ol><ul><li>a</li><ul><li>b</li></ul><li>c</li></ul>",
        "5. five\n10. ten\n11. eleven\n\n1. one\n   1. one one\n2. two\n\n- a\n  - b\n- c\n",
    ),
    ("a quotation in a line", "<p>He said: <q>No <b>more</b></q>.", "He said: “No **more**”.\n"),
    (
        "two line breaks in a row",
        "<p>one<br><br>- two<br>three<ul><li>four<br> <br>five</ul>",
        "one\n\n\\- two\\\nthree\n\n- four\n\n  five\n",
    ),
    (
        "what is never shown",
        "<p>a<script>b</script><style>c</style><svg><title>d</title></svg><template>e</template>",
        "a\n",
    ),
    ("nothing", "", ""),
];

#[test]
fn pages_become_the_markdown_that_was_written_for_them() {
    let mut failures = Vec::new();
    for (name, html, expected) in PAIRS {
        let page = page(html);
        let actual = from_subtree(&page, page.body());
        if actual != *expected {
            failures.push(format!("{name}\n--- expected\n{expected}\n--- actual\n{actual}"));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn deep_nesting_costs_no_more_than_its_text() {
    let html = format!("{}x", "<ul><li>a<blockquote>".repeat(100));
    let page = page(&html);
    let markdown = from_subtree(&page, page.body());
    assert!(markdown.contains('x'));
    assert!(markdown.len() < 20_000, "{}", markdown.len());
}

#[test]
fn a_panel_has_its_name_above_it() {
    let mut page = page("<p>Wood</p><section id=p><p>Hard and heavy.</p></section>");
    let panel = crate::testing::by_id(&page, "p");
    page.panels = vec![(panel, "Oak".to_owned())];
    let markdown = from_subtree(&page, page.body());
    assert_eq!(markdown, "Wood\n\n**Oak**\n\nHard and heavy.\n");
}
