use super::*;
use crate::testing::{by_id, page, random_parts, words};

/// The tree of Figure 3: 1 holds 2 and 3, 2 holds 5 and 6, 6 holds 7 and 8; 4 stands elsewhere.
const FIGURE_3: &str = "<body>
        <div><div id=1>
            <div id=2>
                <p id=5>five five five</p>
                <div id=6><p id=7>seven seven</p><p id=8>eight eight</p></div>
            </div>
            <p id=3>three three three</p>
        </div></div>
        <div><p id=4>four, the footer</p></div>";

#[test]
fn algorithm_2_merges_the_siblings_of_figure_3() {
    let page = page(FIGURE_3);
    let mut start = vec![false; page.len()];
    for id in ["3", "4", "5", "7", "8"] {
        start[by_id(&page, id).index()] = true;
    }
    let ratios = chars_nodes_ratios(&page, &Settings::default());
    let blocks = relevant_blocks(&page, start, &ratios, |_, c| c.blocks >= 2);
    let left: Vec<usize> = (0..page.len()).filter(|&row| blocks[row]).collect();
    assert_eq!(left, [by_id(&page, "1").index(), by_id(&page, "4").index()]);
    let best = block_with_most_text(&blocks, &ratios);
    assert_eq!(best, Some(by_id(&page, "1")));
}

#[test]
fn algorithm_1_counts_characters_and_nodes_of_the_subtree() {
    // Definition 4.1: the characters of the text over the nodes of the subtree, the root of it included.
    let page = page("<div id=all><p id=one>ab cd</p><p id=two><b id=bold>efg</b> h</p></div>");
    let ratios = chars_nodes_ratios(&page, &Settings::default());
    let of = |id| ratios[by_id(&page, id).index()];
    assert_eq!(of("one"), Ratio { chars: 4, weight: 2 });
    assert_eq!(of("bold"), Ratio { chars: 3, weight: 2 });
    assert_eq!(of("two"), Ratio { chars: 4, weight: 4 });
    assert_eq!(of("all"), Ratio { chars: 8, weight: 7 });
    assert!((of("all").value() - 8.0 / 7.0).abs() < 1e-12);
}

#[test]
fn a_non_content_node_weighs_one_and_says_nothing_whatever_it_holds() {
    let page = page("<div id=all>text<nav id=menu><ul><li>menu<li>menu</ul></nav><a id=link>link</a></div>");
    let ratios = chars_nodes_ratios(&page, &Settings::default());
    let of = |id| ratios[by_id(&page, id).index()];
    assert_eq!(of("menu"), Ratio { chars: 0, weight: 1 });
    assert_eq!(of("link"), Ratio { chars: 0, weight: 1 });
    assert_eq!(of("all"), Ratio { chars: 4, weight: 4 });
}

#[test]
fn indenting_a_page_changes_no_ratio() {
    let ratios = |html: &str| -> Vec<Ratio> {
        chars_nodes_ratios(&page(html), &Settings::default()).into_iter().filter(|ratio| ratio.weight > 0).collect()
    };
    let tight = "<div><p>one two</p><ul><li>three</li><li>four</li></ul></div>";
    let loose = "<div>\n\n  <p>\n    one\n two </p>\t<ul> <li> three </li>\n<li>four</li> </ul>\n</div>\n";
    assert_eq!(ratios(tight), ratios(loose));
}

#[test]
fn a_page_without_text_outside_links_has_no_main_block() {
    let page = page("<ul><li><a href=/a>one</a><li><a href=/b>two</a></ul>");
    assert_eq!(main_block(&page, &Settings::default()), None);
}

/// Example 2.1 of López et al.: a page of the IEEE. The footer's first line is as dense as the text.
pub(crate) const IEEE: &str = "<body>
  <div id=\"maincontent\">
    <a name=\"Abstract\"><h2>Abstract</h2></a>
    <p>Most HTML documents on the web hold more than their text: there are menus and banners and notices,
      and a reader who wants the text alone has to look for it among all of these other things,
      which is why so many ways have been tried to find it, and ours delivers the best results.</p>
  </div>
  <div id=\"footer\">
    <p class=\"bottomstuff\">Copyright of the institute. All rights are reserved by it in all countries, and the use of this site means that its terms of use are agreed to.</p>
    <p class=\"links\">
      <a href=\"IEEE_Xplore.html\" target=\"blank\">Help</a> |
      <a href=\"/xpl/techform.jsp\">Contact Us</a> |
      <a href=\"/xpl/terms.jsp\">Terms</a>
    </p>
  </div>
</body>";

fn chosen(html: &str, settings: &Settings) -> (crate::analysis::AnalysedPage, Option<NodeId>) {
    let page = page(html);
    let block = main_block(&page, settings);
    (page, block)
}

#[test]
fn the_footer_of_the_ieee_page_does_not_join_the_text() {
    for html in [IEEE.to_owned(), IEEE.split_whitespace().collect::<Vec<_>>().join(" ")] {
        let (page, block) = chosen(&html, &Settings::default());
        let block = block.unwrap();
        assert!(page.contains(by_id(&page, "maincontent"), block));
        assert!(!page.contains(block, by_id(&page, "footer")));
    }
}

/// Example 3.2 of López et al.: "Information retrieval" at Wikipedia.
const WIKIPEDIA: &str = "<body>
  <h1 id=firstHeading class=firstHeading> Information retrieval</h1>
  <div id=content>
    <p id=ir><b>Information retrieval</b>
      (IR) is the science of searching for documents, for information within documents,
      and for metadata about documents (...)</p>
  </div>
  <div class=portal id=p-lang>
    <h5>Languages</h5> (...)</div>
  <div id=footer>
    <li id=footer-info-lastmod> This page was last modified on 15 April 2011 at 23:32.</li>
    <li id=footer-info-copyright>Text is available under the
      <a rel=license href=/l> Creative Commons Attribution-ShareAlike License</a>
      additional terms may apply. See Terms of Use for (...)</li>
  </div>
</body>";

#[test]
fn the_ratios_of_the_wikipedia_page_are_those_worked_by_hand() {
    let page = page(WIKIPEDIA);
    let ratios = chars_nodes_ratios(&page, &Settings::default());
    let of = |id| {
        let ratio = ratios[by_id(&page, id).index()];
        (ratio.chars, ratio.weight)
    };
    // "Informationretrieval": 20 characters in one text node, and the heading itself.
    assert_eq!(of("firstHeading"), (20, 2));
    // The bold words (20), then 31 + 35 + 28 characters: "(IR)isthescienceofsearchingfordocuments," and so on.
    let text = "(IR)isthescienceofsearchingfordocuments,forinformationwithindocuments,\
            andformetadataaboutdocuments(...)";
    let chars = 20 + u32::try_from(text.len()).unwrap();
    assert_eq!(of("ir"), (chars, 4));
    assert_eq!(of("content"), (chars, 5));
    // The license is a link: a node of no characters and weight 1, between two texts.
    let text = "Textisavailableundertheadditionaltermsmayapply.SeeTermsofUsefor(...)";
    assert_eq!(of("footer-info-copyright"), (u32::try_from(text.len()).unwrap(), 4));
    let modified = "Thispagewaslastmodifiedon15April2011at23:32.";
    assert_eq!(of("footer-info-lastmod"), (u32::try_from(modified.len()).unwrap(), 2));
}

#[test]
fn algorithm_2_merges_the_siblings_of_the_wikipedia_page() {
    // The heading and the content are siblings and become the body; so would the footer be one of them, if its items
    // had been merged into it first: siblings at any height are replaced.
    let page = page(WIKIPEDIA);
    let mut start = vec![false; page.len()];
    for id in ["footer-info-lastmod", "footer-info-copyright"] {
        start[by_id(&page, id).index()] = true;
    }
    let ratios = chars_nodes_ratios(&page, &Settings::default());
    let blocks = relevant_blocks(&page, start.clone(), &ratios, |_, c| c.blocks >= 2);
    let footer = by_id(&page, "footer").index();
    assert_eq!((0..page.len()).filter(|&row| blocks[row]).collect::<Vec<_>>(), [footer]);
    start[by_id(&page, "content").index()] = true;
    let blocks = relevant_blocks(&page, start, &ratios, |_, c| c.blocks >= 2);
    let body = page.body().index();
    assert_eq!((0..page.len()).filter(|&row| blocks[row]).collect::<Vec<_>>(), [body]);
}

/// Figure 2 of López, Silva, Insa (Polibits): a page of Fox News, its words replaced, without the odd tag in it.
pub(crate) const FOX_NEWS: &str = "<body>
<div id=article-section class='hnews hentry item'>
<h1 id=article-title class=entry-title>A witness tells the court what was seen that day</h1>
<div id=article-text class=article-text>
<p>The accused has shown no emotion since the trial began and listened without a word to all that was said of him on Monday.</p>
<p>The second witness, whose name was not told, had come a long way and spoke for over an hour in a low voice, as before.</p>
<p>The man, now older, had been in another town for most of the years between and had never spoken of it to anybody there.</p>
</div>
</div>
<div id=section-footer>
<p class=published>Published June 13, 2012</p>
<p class=summary>This material may not be published, broadcast, rewritten, or redistributed. All rights reserved. All market
data delayed 20 minutes</p>
</div>
</body>";

#[test]
fn the_article_of_the_fox_news_page_is_found_without_the_footer() {
    // Example 4.2: paragraphs are siblings and become their container, this and the title become the article; the
    // footer has no sibling in the set and less text.
    let page = page(FOX_NEWS);
    let mut start = vec![false; page.len()];
    let text = by_id(&page, "article-text");
    let summary = by_id(&page, "section-footer");
    for id in page
        .live_children(text)
        .chain(page.live_children(summary).filter(|&id| page.tag(id).is_some()).skip(1))
        .chain([by_id(&page, "article-title")])
        .filter(|&id| page.tag(id).is_some())
    {
        start[id.index()] = true;
    }
    let ratios = chars_nodes_ratios(&page, &Settings::default());
    let blocks = relevant_blocks(&page, start, &ratios, |_, c| c.blocks >= 2);
    assert_eq!(blocks.iter().filter(|is_block| **is_block).count(), 2);
    let article = by_id(&page, "article-section");
    assert_eq!(block_with_most_text(&blocks, &ratios), Some(article));
}

#[test]
fn the_fox_news_page_is_read_with_the_odd_tag_that_the_figure_has() {
    // `<title="Abstract">` is an element of that name to a parser of HTML 5, and its end tag is none.
    let odd = "<title=\"Abstract\">The trial goes on after a day of testimony | A newspaper</title>\n<p>The accused";
    for html in [FOX_NEWS.to_owned(), FOX_NEWS.replace("<p>The accused", odd)] {
        let (page, block) = chosen(&html, &Settings::default());
        let block = block.unwrap();
        assert!(page.contains(by_id(&page, "article-section"), block));
        let paragraphs = page.live(block).filter(|&id| page.tag(id) == Some(Tag::P)).count();
        assert_eq!(paragraphs, 3);
    }
}

#[test]
fn recall_or_precision_is_whole_wherever_the_choice_is_above_or_below_what_is_wanted() {
    // § 5: "either the recall, the precision, or both, are 100%", but for a block that is neither ancestor nor descendant.
    for seed in 0..20 {
        let page = page(&random_parts(seed).concat());
        let Some(block) = main_block(&page, &Settings::default()) else {
            continue;
        };
        let nodes = |root| page.live(root).count();
        for wanted in page.live(page.body()).filter(|&id| page.tag(id).is_some()) {
            let both = page.live(block).filter(|&id| page.contains(wanted, id)).count();
            let is_whole = both == nodes(wanted) || both == nodes(block);
            let is_related = page.contains(wanted, block) || page.contains(block, wanted);
            assert!(if is_related { is_whole } else { both == 0 }, "seed {seed}");
        }
    }
}

#[test]
fn each_paragraph_in_a_wrapper_of_its_own_leaves_one_paragraph_until_the_block_is_grown() {
    let card = |id| format!("<div><div id={id}>{}</div></div>", words(40));
    let html = format!("<main id=main>{}{}{}</main><p>{}</p>", card("a"), card("b"), card("c"), words(2));
    let settings = |dial| Settings { start: Start::Top, top: 3, dial, ..Settings::default() };
    let (page, block) = chosen(&html, &settings(0.0));
    assert!(page.contains(by_id(&page, "a"), block.unwrap()));
    assert_eq!(main_block(&page, &settings(RELAXED)), Some(by_id(&page, "main")));
}

#[test]
fn increase_goes_to_the_parent_and_decrease_to_the_densest_child() {
    let with = |adjust| Settings { adjust, ..Settings::default() };
    let (page, block) = chosen(FOX_NEWS, &with(0));
    let block = block.unwrap();
    let more = adjusted(&page, block, &with(1));
    assert_eq!(more, page.parent(block));
    let ratios = chars_nodes_ratios(&page, &Settings::default());
    let less = adjusted(&page, block, &with(-1));
    assert_eq!(page.parent(less), block);
    assert!(page.live_children(block).all(|child| ratios[child.index()].value() <= ratios[less.index()].value()));
    // Above the body and below a text there is nothing.
    assert_eq!(adjusted(&page, block, &with(100)), page.body());
    assert!(page.contains(block, adjusted(&page, block, &with(-100))));
}

#[test]
fn white_space_between_tags_and_words_changes_no_choice() {
    for seed in 0..40 {
        let parts = random_parts(seed);
        let tight = page(&parts.concat());
        let loose = page(&parts.join("\n\t  ").replace(' ', "\n    "));
        let found = |page: &Page| {
            let all = chars_nodes_ratios(page, &Settings::default());
            let ratios: Vec<Ratio> = all.into_iter().filter(|ratio| ratio.weight > 0).collect();
            let block = main_block(page, &Settings::default());
            (ratios, block.map(|block| page.chars(block)))
        };
        assert_eq!(found(&tight), found(&loose), "seed {seed}");
    }
}

#[test]
fn turning_the_dial_towards_recall_never_takes_less_text() {
    for seed in 0..40 {
        let page = page(&random_parts(seed).concat());
        let ratios = chars_nodes_ratios(&page, &Settings::default());
        let chars: Vec<u32> = [-1.0, -0.7, -0.3, 0.0, 0.3, 0.7, 1.0]
            .into_iter()
            .filter_map(|dial| {
                let settings = Settings { dial, ..Settings::default() };
                main_block(&page, &settings).map(|block| ratios[block.index()].chars)
            })
            .collect();
        assert!(chars.is_sorted(), "seed {seed}: {chars:?}");
    }
}

#[test]
fn the_dial_at_its_end_takes_the_whole_body() {
    let settings = Settings { dial: 1.0, ..Settings::default() };
    let (page, block) = chosen(FOX_NEWS, &settings);
    assert_eq!(block, Some(page.body()));
}

#[test]
fn of_equal_blocks_the_first_is_taken() {
    let text = words(50);
    let html = format!("<div><p id=a>{text}</p></div><div><p id=b>{text}</p></div>");
    let settings = Settings { start: Start::Top, top: 2, ..Settings::default() };
    let (page, block) = chosen(&html, &settings);
    assert!(page.contains(by_id(&page, "a"), block.unwrap()));
}

/// Four paragraphs of 12, 8, 4 and 4 characters: with their texts, ratios of 12, 8, 4, 4 and half of each.
const FOUR: &str = "<body><div><p id=a>aaaaaaaaaaaa</p></div><div><p id=b>bbbbbbbb</p></div>\
    <div><p id=c>cccc</p></div><div><p id=d>dddd</p></div>";

#[test]
fn the_start_set_has_its_four_forms() {
    let page = page(FOUR);
    let ratios = chars_nodes_ratios(&page, &Settings::default());
    let started = |start, change: fn(&mut Settings)| {
        let mut settings = Settings { start, ..Settings::default() };
        change(&mut settings);
        let marks = start_set(&page, &ratios, &settings);
        ["a", "b", "c", "d"].into_iter().filter(|id| marks[by_id(&page, id).index()]).collect::<String>()
    };
    // Texts 12, 8, 4, 4; paragraphs 6, 4, 2, 2; divisions 4, 2.7, 1.3, 1.3; the body 28 / 13: a mean of 4.07.
    assert_eq!(started(Start::AboveMean, |_| ()), "ab");
    // The two highest are the texts of 12 and 8; three take in the paragraph of the first.
    assert_eq!(started(Start::Top, |s| s.top = 1), "a");
    assert_eq!(started(Start::Top, |s| s.top = 2), "ab");
    assert_eq!(started(Start::Top, |s| s.top = 3), "ab");
    // A third of 12 is 4: the texts of 4 reach it.
    assert_eq!(started(Start::Share, |s| s.share = 0.34), "ab");
    assert_eq!(started(Start::Share, |s| s.share = 1.0 / 3.0), "abcd");
    // 13 nodes; the highest tenth is one of them, the highest quarter three.
    assert_eq!(started(Start::Percentile, |s| s.percentile = 90.0), "a");
    assert_eq!(started(Start::Percentile, |s| s.percentile = 75.0), "ab");
}

#[test]
fn a_node_with_a_single_child_has_the_lower_ratio() {
    // § 4: "the CNR of a node n with a single child n1 is always smaller than CNR(n1) because n can not contain text".
    let mut seen = 0;
    for seed in 0..50 {
        let page = page(&random_parts(seed).concat());
        let ratios = chars_nodes_ratios(&page, &Settings::default());
        let is_counted = |id: &NodeId| ratios[id.index()].weight > 0;
        for id in page.live(page.body()).filter(is_counted) {
            let mut children = page.live_children(id).filter(is_counted);
            if let (Some(child), None) = (children.next(), children.next()) {
                let (own, below) = (ratios[id.index()], ratios[child.index()]);
                assert!(own.chars == 0 || own.value() < below.value());
                seen += 1;
            }
        }
    }
    assert!(seen > 100, "{seen}");
}

#[test]
fn which_elements_say_nothing_is_a_setting() {
    let page = page("<p id=p>one <a href=/x>two</a></p>");
    let of = |non_content: &[&str]| {
        let settings =
            Settings { non_content: non_content.iter().map(|&name| name.to_owned()).collect(), ..Settings::default() };
        chars_nodes_ratios(&page, &settings)[by_id(&page, "p").index()]
    };
    let (with, without) = (of(&["a"]), of(&[]));
    assert_eq!((with.chars, with.weight), (3, 3));
    assert_eq!((without.chars, without.weight), (6, 4));
    let settings = Settings { non_content: vec!["aa".to_owned()], ..Settings::default() };
    let error = settings.check().unwrap_err();
    assert_eq!(error.key, "main_block.cnr.non_content");
}
