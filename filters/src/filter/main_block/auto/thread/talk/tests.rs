use super::*;
use crate::{
    kind::Claims,
    testing::{page_at, words as many},
};

const THREAD: &str = "https://forum.example.org/t/bridge/12";
const PAGE: &str = "https://example.org/item/12";

/// A post with a panel, and what stands below its text.
fn post(name: &str, minute: usize, text: &str, below: &str) -> String {
    format!(
        "<div class=post><div class=panel><a class=username href=/u/{name}>{name}</a><p>Member</p><p>From the town of {name}</p></div>\
         <div class=main><p class=when>written on 3 May 2026, 10:{minute}</p><div class=text><p>{text}</p></div>{below}</div></div>"
    )
}

/// Four posts, of which the third is short.
fn posts(below: &str) -> String {
    let said = "By a toll, for sixty years, and then by the county when nobody would pay any more. Nobody has been proud of it since.";
    let texts = [("Ann", said), ("Bo", said), ("Cy", "No."), ("Di", said)];
    let all = texts.iter().enumerate();
    all.map(|(at, (name, text))| post(name, at + 10, &text.replace("toll", name), below))
        .collect()
}

/// The texts that are kept of a page of which those with so many words are to begin with.
fn kept(address: &str, html: &str, least: f32) -> Vec<String> {
    let mut page = page_at(address, html);
    page.claims = Claims::default();
    let blocks = Blocks::of(&page, &[]);
    let list = blocks.list.iter();
    let mut kept: Vec<bool> = list.map(|block| block.stats.words >= least).collect();
    let kind = KindNow::of(&page);
    if let Some(talk) = Talk::of(&page, &blocks, &kind, &Signs::default(), &kept) {
        talk.restore(&page, &blocks, &mut kept);
        let around = Around::of(&page, &blocks, &talk, &kept);
        for index in around.gone {
            kept[index] = false;
        }
        let texts = around.texts.iter().filter_map(|&id| page.text(id));
        let mut shown: Vec<String> = texts.map(|text| text.trim().to_owned()).collect();
        shown.retain(|text| !text.is_empty());
        let all = blocks.list.iter().zip(&kept).filter(|(_, kept)| **kept);
        shown.extend(all.map(|(block, _)| blocks.text(&page, block)));
        return shown;
    }
    Vec::new()
}

#[test]
fn of_each_post_its_text_stays_and_one_name_and_one_date() {
    let kept = kept(THREAD, &posts("<p>Reply to this</p>"), 4.0);
    let signs = [
        "Ann",
        "written on 3 May 2026, 10:10",
        "Bo",
        "written on 3 May 2026, 10:11",
    ];
    assert_eq!(kept[..4], signs);
    assert_eq!(kept.len(), 4 * 3, "{kept:?}");
    assert_eq!(kept[10], "No.");
    assert!(kept[8].starts_with("By a Ann"));
}

#[test]
fn comments_below_a_post_and_what_it_quotes_stay() {
    let below = format!(
        "<blockquote><p>kari said:</p></blockquote><ul class=more><li>Not quite so, as I said</li><li>{}</li></ul>",
        many(20)
    );
    // What stands in two posts alike is none.
    let mut html = posts("");
    html = html.replacen(
        "</div></div><div class=post>",
        &format!("{below}</div></div><div class=post>"),
        1,
    );
    let kept = kept(THREAD, &html, 2.0);
    for text in ["kari said:", "Not quite so, as I said"] {
        assert!(kept.iter().any(|kept| kept == text), "{text} {kept:?}");
    }
}

#[test]
fn what_is_short_or_a_link_in_a_kept_body_stays() {
    let html = posts("").replacen(
        "</p></div></div>",
        "</p><ul><li>Toll, no</li></ul><a href=/x>Plans</a></div></div>",
        1,
    );
    let kept = kept(THREAD, &html, 4.0);
    for text in ["Toll, no", "Plans"] {
        assert!(kept.iter().any(|kept| kept == text), "{text} {kept:?}");
    }
}

#[test]
fn bodies_of_which_nothing_is_kept_stay_away() {
    let kept = kept(THREAD, &posts(""), 99.0);
    assert_eq!(kept.len(), 8, "{kept:?}");
}

#[test]
fn posts_are_a_talk_elsewhere_unless_they_stand_below_an_article() {
    assert!(!kept(PAGE, &posts(""), 4.0).is_empty());
    let article = format!(
        "<article><h1>Bridge</h1><p>{}</p></article>{}",
        many(200),
        posts("")
    );
    assert!(kept(PAGE, &article, 4.0).is_empty());
    let entries = posts("").replace("class=text><p>", "class=text><h2>Bridge</h2><p>");
    assert!(kept(PAGE, &entries, 4.0).is_empty());
}

#[test]
fn the_replies_inside_of_a_post_are_posts() {
    let inner = post("Bo", 11, "No, by the county.", "");
    let html = format!(
        "<div>{}{}</div>",
        post(
            "Ann",
            10,
            "By a toll, for sixty years.",
            &format!("<div class=replies>{inner}</div>")
        ),
        post("Cy", 12, "Who says so?", "")
    );
    let page = page_at(THREAD, &html);
    let blocks = Blocks::of(&page, &[]);
    let kept = vec![true; blocks.list.len()];
    let talk = Talk::of(
        &page,
        &blocks,
        &KindNow::of(&page),
        &Signs::default(),
        &kept,
    )
    .unwrap();
    assert_eq!(talk.posts.len(), 3);
    let names = Around::of(&page, &blocks, &talk, &kept).writers;
    assert_eq!(
        talk.posts
            .iter()
            .map(|post| &*names[post])
            .collect::<Vec<_>>(),
        ["Ann", "Bo", "Cy"]
    );
}

#[test]
fn names_that_nothing_marks_are_known_by_their_place() {
    let said = "By a toll, for sixty years, and then by the county when nobody would pay any more. Nobody has been proud of it since.";
    let post = |(at, name): (usize, &str)| {
        format!(
            "<div class=entry><h2>#{at} <i>2026-05-0{at} 10:59:47</i></h2><div class=in><dl><dt><b>{name}</b></dt><dd>Member</dd><dd>Posts: {at}7</dd></dl>\
             <div class=text><p>{said}</p></div></div><div class=in>Offline</div></div>"
        )
    };
    let names = ["Ann", "Bo", "Ann", "Cy"];
    let html: String = (1..).zip(names).map(post).collect();
    let kept = kept(THREAD, &html, 10.0);
    let signs = ["2026-05-01 10:59:47", "Ann", "2026-05-02 10:59:47", "Bo"];
    assert_eq!(kept[..4], signs);
    assert_eq!(kept[8..], [said; 4]);
}

#[test]
fn boxes_with_a_date_each_beside_one_list_are_no_posts() {
    let said = "By a toll, for sixty years, and then by the county when nobody would pay any more. Nobody has been proud of it since.";
    let beside = |name: &str| format!("<div class=box><b>{name}</b><p>3 May 2026, 10:12</p></div>");
    let html = format!(
        "<div class=box><b>Bridges</b><p>{}</p><p>2 May 2026, 10:12</p></div>{}{}",
        said.repeat(4),
        beside("Ships"),
        beside("Ports")
    );
    assert!(kept(THREAD, &html, 10.0).is_empty());
}

#[test]
fn the_question_has_its_name_and_its_date_though_it_is_built_another_way() {
    let said = "By a toll, for sixty years, and then by the county when nobody would pay any more. Nobody has been proud of it since.";
    let post = |name: &str, day: &str, class: &str| {
        format!(
            "<div class=post><div class='{class}'><div class='text js-text'><p>{said}</p></div><p class=date>{day} 2026, 10:12</p>\
             <p><a class=username href=/u/{name}>{name}</a></p></div></div>"
        )
    };
    let html = [
        post("Ann", "3 May", "question"),
        post("Bo", "4 May", "answer"),
        post("Cy", "5 May", "answer"),
        post("Di", "6 May", "answer"),
        post("Ed", "7 May", "answer"),
    ];
    let kept = kept(THREAD, &html.concat(), 10.0);
    assert_eq!(kept[..2], ["3 May 2026, 10:12", "Ann"]);
}

#[test]
fn a_long_signature_is_not_taken_for_the_body() {
    let post = |name: &str, text: &str| {
        format!(
            "<div class=post><p class=author><a class=username href=/u/{name}>{name}</a> 3 May 2026, 10:12</p><div class=main>\
             <div class=text>{text}</div><div class=signature><p>{}</p></div></div></div>",
            many(12)
        )
    };
    let said = "By a toll, for sixty years, and then by the county.";
    let html = [post("Ann", said), post("Bo", "No."), post("Cy", said)];
    let kept = kept(THREAD, &html.concat(), 10.0);
    assert_eq!(kept[kept.len() - 3..], [said, "No.", said]);
}

#[test]
fn who_liked_a_post_goes_and_a_comment_stays() {
    let likes = |at: usize| {
        let names = ["Di", "Ed", "Flo"].iter().take(at);
        let names: Vec<String> = names
            .map(|name| format!("<a class=username href=/u/{name}>{name}</a>"))
            .collect();
        format!(
            "<p class=likes>{} and 4 others like this.</p>",
            names.join(", ")
        )
    };
    let said = "By a toll, for sixty years, and then by the county when nobody would pay any more.";
    let comment = "<p class=note>Not so, says <a class=username href=/u/Di>Di</a> on 3 May</p>";
    let html = [
        post("Ann", 10, said, &likes(3)),
        post("Bo", 11, said, &likes(2)),
        post("Cy", 12, said, comment),
    ];
    let kept = kept(THREAD, &html.concat(), 2.0);
    assert!(
        !kept.iter().any(|text| text.contains("like this")),
        "{kept:?}"
    );
    assert!(
        kept.iter().any(|text| text.contains("Not so, says")),
        "{kept:?}"
    );
}

#[test]
fn a_heading_with_the_name_of_the_writer_is_not_shown_beside_the_name() {
    let said = "By a toll, for sixty years, and then by the county when nobody would pay any more.";
    let post = |name: &str| {
        format!(
            "<div class=post><h3><a class=username href=/u/{name}>{name}</a> <i>Old Hand</i></h3><div class=text><p>{said}</p></div>\
             <p><a class=username href=/u/{name}>{name}</a>, 3 May 2026, 10:12</p></div>"
        )
    };
    let kept = kept(THREAD, &["Ann", "Bo", "Cy"].map(post).concat(), 2.0);
    assert!(
        !kept.iter().any(|text| text.contains("Old Hand")),
        "{kept:?}"
    );
    assert!(kept.iter().any(|text| text == "Ann"), "{kept:?}");
}

#[test]
fn of_two_posts_too_the_rest_of_the_panel_goes() {
    let said = "By a toll, for sixty years, and then by the county when nobody would pay any more.";
    let html = [post("Ann", 10, said, ""), post("Bo", 11, "No.", "")];
    let kept = kept(THREAD, &html.concat(), 2.0);
    assert!(
        !kept.iter().any(|text| text.contains("From the town")),
        "{kept:?}"
    );
    assert!(kept.iter().any(|text| text == "No."), "{kept:?}");
}

#[test]
fn posts_are_known_by_dates_that_a_script_would_write() {
    let said = "By a toll, for sixty years, and then by the county when nobody would pay any more.";
    let post = |name: &str| {
        format!(
            "<div class=post><p><a href=/user/{name}><span class=avatar>{}</span> <span>Offline</span></a></p><p><a href=/user/{name}>{name}</a> \
             <a class=ago title=2026-05-03T10:12:00Z></a></p><div class=text><p>{said}</p></div><p class=foot>{}</p></div>",
            &name[..1],
            name.len()
        )
    };
    let kept = kept(THREAD, &["Ann", "Bo", "Cyril"].map(post).concat(), 5.0);
    let date = "2026-05-03 10:12";
    assert_eq!(
        kept,
        ["Ann", date, "Bo", date, "Cyril", date, said, said, said]
    );
}

#[test]
fn elsewhere_comments_that_are_kept_anyway_are_whole() {
    let article = format!("<article><h1>Bridge</h1><p>{}</p></article>", many(200));
    let said = format!("By a toll, says he. {}", many(50));
    let comments = [
        post("Ann", 10, &said, ""),
        post("Bo", 11, &said, ""),
        post("Cy", 12, "No.", ""),
        post("Di", 13, &said, ""),
    ];
    let html = format!("{article}{}", comments.concat());
    let kept = kept(PAGE, &html, 20.0);
    assert!(kept.iter().any(|text| text == "No."), "{kept:?}");
}

#[test]
fn teasers_that_are_signed_and_dated_are_no_talk() {
    let teaser = |name: &str| {
        format!(
            "<div class=item><p><a href=/{name}>How {name} crossed the bridge, and what came of it</a></p>\
             <p class=by><a class=author href=/author/{name}>{name}</a> 3 May 2026</p></div>"
        )
    };
    let html = ["Ann", "Bo", "Cy", "Di"].map(teaser).concat();
    assert!(kept(PAGE, &html, 2.0).is_empty());
}

#[test]
fn a_page_of_tables_without_a_class_has_posts() {
    let said = "By a toll, for sixty years, and then by the county when nobody would pay any more.";
    let post = |(at, name): (usize, &str)| {
        format!(
            "<table><tr><td><b>{name}</b><br>Posts: {at}1<br>From: Port Ewe</td><td><font>Posted on {at} May 2026</font><hr><p>{said}</p></td></tr></table>"
        )
    };
    let html: String = (1..).zip(["Ann", "Bo", "Cy"]).map(post).collect();
    let kept = kept(THREAD, &html, 2.0);
    assert!(kept.iter().any(|text| text == "Bo"), "{kept:?}");
    assert!(
        !kept.iter().any(|text| text.contains("Port Ewe")),
        "{kept:?}"
    );
    assert_eq!(kept.iter().filter(|text| *text == said).count(), 3);
}

#[test]
fn rows_of_which_only_the_cells_have_a_class_are_posts() {
    let said = "By a toll, for sixty years, and then by the county when nobody would pay any more.";
    let post = |(at, name): (usize, &str)| {
        format!(
            "<tr><td class=row1><span class=who><b>{name}</b></span><br><span class=about>Guru<br>Joined: 0{at} Jan 2003<br>Posts: {at}7</span></td>\
             <td class=row1><table><tr><td><span class=about>Posted: Fri May 0{at}, 2024 10:15 am</span></td></tr><tr><td><hr></td></tr>\
             <tr><td><span class=said>{said}</span></td></tr></table></td></tr>\
             <tr><td class=row1>Back to top</td><td class=row1>Profile</td></tr>"
        )
    };
    let rows: String = (1..).zip(["Ann", "Bo", "Cy"]).map(post).collect();
    let kept = kept(THREAD, &format!("<table class=list>{rows}</table>"), 2.0);
    assert!(kept.iter().any(|text| text == "Bo"), "{kept:?}");
    for gone in ["Guru", "Joined"] {
        assert!(!kept.iter().any(|text| text.contains(gone)), "{kept:?}");
    }
}

#[test]
fn who_changed_an_answer_is_not_named_beside_its_writer() {
    let said = "By a toll, for sixty years, and then by the county when nobody would pay any more.";
    let card = |name: &str, when: &str, mark: &str| {
        format!(
            "<div class=card><p>{when}</p><div class=who {mark}><a class=username href=/u/{name}>{name}</a> 912</div></div>"
        )
    };
    let post = |name: &str, also: &str| {
        let card = card(name, "answered 3 May 2026, 10:12", "itemprop=author");
        format!("<div class=post><div class=text><p>{said}</p></div>{also}{card}</div>")
    };
    let editor = card("Fin", "edited 4 May", "");
    let html = [post("Ann", ""), post("Bo", &editor), post("Cy", "")];
    let kept = kept(THREAD, &html.concat(), 1.0);
    assert!(!kept.iter().any(|text| text.contains("Fin")), "{kept:?}");
    assert!(kept.iter().any(|text| text == "Bo"), "{kept:?}");
}
