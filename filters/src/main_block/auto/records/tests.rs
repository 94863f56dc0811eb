use super::*;
use crate::{
    main_block::auto::text,
    testing::{by_id, page},
};

/// What is shown of each post beside its text, where only what is called its words is kept.
fn shown(html: &str) -> Vec<String> {
    let page = page(html);
    let blocks = TextBlocks::from_page(&page, &text::hashes(""));
    let records = Records::from_page(&page, &blocks, true);
    let in_words = |id: NodeId| page.self_and_ancestors(id).any(|up| page.first_class(up) == "words");
    let kept: Vec<bool> = blocks.list.iter().map(|block| in_words(block.container)).collect();
    let texts = records.posts(&page, &blocks, &kept).texts;
    texts.into_iter().map(|id| page.joined([id].into_iter())).collect()
}

/// A post with its name and its day in a line above its words.
fn post(name: &str, day: &str, words: &str) -> String {
    format!(
        "<li class=post><p class=head><a class=username href=/u/{name}>{name}</a> <time>{day}</time></p>\
         <div class=words>{words}</div></li>"
    )
}

#[test]
fn a_post_keeps_its_own_name_and_day_whatever_it_mentions() {
    let others = post("marit", "2 May", "<p>That is how it should be.") + &post("ovenbird", "3 May", "<p>Seconded.");
    for words in [
        "<p>Wet hands.",
        "<p><a class=username href=/u/marit>@marit</a> is right about the water.",
        "<p>What <a href=/u/marit>marit</a> says of the dough is right, and I would add only that it needs a day of rest before \
         anybody cuts it, however loud the children are.",
        "<p>On 2/5/2026 <a href=/u/marit>marit</a> said:</p><blockquote>That is how it should be.</blockquote><p>Thanks.",
        "<p>Wet hands.<p class=date>Edited 19 June 2026",
    ] {
        let shown = shown(&format!("<ol>{}{others}</ol>", post("ann", "1 May", words)));
        assert_eq!(shown, ["ann", "1 May", "marit", "2 May", "ovenbird", "3 May"], "{words}");
    }
}

#[test]
fn a_name_or_day_that_is_kept_is_not_shown_twice() {
    let named = |name: &str| post(name, "1 May", &format!("<p class=author>{name}</p><p>Words of {name}."));
    assert_eq!(shown(&[named("ann"), named("marit"), named("bo")].concat()), ["1 May", "1 May", "1 May"]);
}

#[test]
fn a_post_is_signed_in_what_the_page_marks_as_one() {
    let post = |name: &str| {
        format!(
            "<li id={name} itemscope itemtype=https://schema.org/Comment><a itemprop=author href=/u/{name}>{name}</a>\
             <div class=content><div class=words><p>A word of <a href=/u/bo>@bo</a> and a <time>3 May</time>.</div></div></li>"
        )
    };
    let page = page(&format!("<ul>{}{}{}</ul>", post("ann"), post("marit"), post("bo")));
    let blocks = TextBlocks::from_page(&page, &text::hashes(""));
    let records = Records::from_page(&page, &blocks, true);
    assert_eq!(records.signed, ["ann", "marit", "bo"].map(|id| by_id(&page, id)));
}

#[test]
fn posts_of_names_behind_white_space_outweigh_the_many_dated_rows_in_them() {
    let space = " ".repeat(300);
    let post = |name: &str| {
        let row = "<div class=row><time>1 May</time></div>";
        let rows = row.repeat(5);
        format!(
            "<article class=post><div class=row><div class=byline>{space}<i></i>{name}</div>\
             <div class=words>Words of {name} about bread.</div><time>1 May</time></div>{rows}</article>"
        )
    };
    let posts = ["Former Member", "marit", "bo"].map(post).concat();
    let page = page(&posts);
    let blocks = TextBlocks::from_page(&page, &text::hashes(""));
    let records = Records::from_page(&page, &blocks, true);
    let is_post = |&id: &NodeId| page.tag(id) == Some(Tag::Article);
    assert!(records.signed.len() == 3 && records.signed.iter().all(is_post));
    assert_eq!(shown(&posts)[..2], ["Former Member", "1 May"]);
}
