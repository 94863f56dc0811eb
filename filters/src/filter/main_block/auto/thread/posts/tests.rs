use super::{furniture::shape, signs::Signs, *};
use crate::{
    kind::Claims,
    page::tag::Tag,
    testing::{page, page_at},
};

/// The names and dates that are taken back; blocks of five words and more count as kept.
fn taken(html: &str) -> Vec<String> {
    let page = page(html);
    let blocks = Blocks::of(&page, &[]);
    let mut kept: Vec<bool> = blocks
        .list
        .iter()
        .map(|block| block.stats.words >= 5.0)
        .collect();
    tidy(
        &page,
        &blocks,
        &KindNow::of(&page),
        &Found::default(),
        &mut kept,
    )
    .texts
    .into_iter()
    .map(|id| page.text(id).unwrap().trim().to_owned())
    .collect()
}

#[test]
fn of_a_panel_the_name_is_kept_and_of_a_post_its_date() {
    let post = |name: &str, day: &str| {
        format!(
            "<div class=post><div class=panel><a class=username href=/members/7>{name}</a><br>Junior Member<br>12</div>\
             <div class=head><span class=date>{day}</span> #7</div><div><p>what was written in this post here</p></div></div>"
        )
    };
    let html = format!("<div>{}{}</div>", post("Ann", "3 May"), post("Bo", "4 May"));
    assert_eq!(taken(&html), ["Ann", "3 May", "Bo", "4 May"]);
}

#[test]
fn the_initial_in_place_of_a_picture_is_no_name() {
    let post = |name: &str, sign: &str| {
        format!(
            "<div class=post><div itemprop=author><div><a class='avatar avatar--m' href=/members/{name}><span role=img>{sign}</span></a></div>\
             <h4><a class=username href=/members/{name}>{name}</a></h4></div><p>what was written in this post here</p></div>"
        )
    };
    let html = format!("<div>{}{}</div>", post("Ann", "A"), post("Bo", "B"));
    assert_eq!(taken(&html), ["Ann", "Bo"]);
}

#[test]
fn a_question_above_its_answers_has_a_name_too() {
    let foot = |name: &str| {
        format!(
            "<div><time>3 May</time></div><div itemprop=author><a href=/users/{name}>{name}</a><i>1,024</i></div>"
        )
    };
    let text = "<p>what was written in this post here</p>";
    let html = format!(
        "<main><div><h1>Why</h1>{text}{}</div><div><h2>2 answers</h2><div>{text}<div><a href=/users/ed>Ed</a></div>{}</div>\
         <div>{text}{}</div></div></main>",
        foot("Ann"),
        foot("Bo"),
        foot("Cy"),
    );
    assert_eq!(taken(&html), ["3 May", "Ann", "3 May", "Bo", "3 May", "Cy"]);
}

#[test]
fn what_most_posts_hold_alike_but_for_its_numbers_goes() {
    let post = |name: &str, number: usize, text: &str| {
        format!(
            "<div><h3>Re: why</h3><p><a class=username>{name}</a></p><p>Posts: {number}</p><p>{text}</p><p>Thanks!</p></div>"
        )
    };
    let html = format!(
        "<div>{}{}{}{}</div>",
        post("Ann", 12, "what was written in this post here"),
        post("Bo", 3, "something else was written in this post"),
        post("Cy", 1024, "and this is the third of the posts"),
        "<div><a class=username>Di</a><p>and this is the fourth of the posts</p></div>",
    );
    let page = page(&html);
    let blocks = Blocks::of(&page, &[]);
    let mut kept = vec![true; blocks.list.len()];
    tidy(
        &page,
        &blocks,
        &KindNow::of(&page),
        &Found::default(),
        &mut kept,
    );
    let gone: Vec<String> = blocks
        .list
        .iter()
        .zip(&kept)
        .filter(|(_, kept)| !**kept)
        .map(|(block, _)| shape(&page, blocks.texts(block)))
        .collect();
    assert_eq!(gone.len(), 9);
    assert_eq!(gone[..3], ["re:why", "posts:0", "thanks!"]);
}

#[test]
fn a_rank_below_a_name_goes_and_the_words_beside_it_stay() {
    let post = |name: &str| {
        format!(
            "<div><p>by <a class=username>{name}</a> in town<br>Senior Member<br>Velle</p><p>what {name} wrote in this post here</p></div>"
        )
    };
    let page = page(&format!(
        "<div>{}{}{}</div>",
        post("Ann"),
        post("Bo"),
        post("Cy")
    ));
    let blocks = Blocks::of(&page, &[]);
    let mut kept = vec![true; blocks.list.len()];
    let without = tidy(
        &page,
        &blocks,
        &KindNow::of(&page),
        &Found::default(),
        &mut kept,
    )
    .without;
    assert!(kept.iter().all(|&kept| kept));
    let texts: Vec<String> = without
        .iter()
        .map(|&id| page.text(id).unwrap().clone())
        .collect();
    assert_eq!(texts[..2], ["Senior Member", "Velle"]);
    assert_eq!(texts.len(), 6);
}

#[test]
fn what_is_shown_already_is_not_taken_twice() {
    let post = "<li><div><a class=author>Ann</a> wrote this on the first <time>3 May</time></div>\
                <p>what was written in this post here</p></li>";
    assert!(taken(&format!("<ol>{post}{post}</ol>")).is_empty());
}

#[test]
fn names_beside_text_that_is_not_kept_stay_away() {
    let article = "<main><p>the text of the only article is here</p><a class=author>Ann</a></main>";
    let list = "<ul><li><a href=/u/bo>Bo</a> new<li><a href=/u/cy>Cy</a> new</ul>";
    assert!(taken(&format!("{article}{list}")).is_empty());
}

#[test]
fn the_way_to_log_in_is_no_name() {
    let page = page(
        "<div><div><h3>Sign up or <a href='/users/login?to=here'>log in</a> to write to us</h3><p>and more of the same</p></div>\
         <div><a href=/users/12/ann>Ann</a><p>what was written in this post here</p></div></div>",
    );
    let names = signs::Signs::default();
    let names = names.names(&page);
    let texts: Vec<String> = names
        .iter()
        .map(|name| page.start_of_text(name.element, 9, 99))
        .collect();
    assert_eq!(texts, ["Ann"]);
}

#[test]
fn what_the_entries_of_a_list_have_in_common_stays() {
    let entry = |name: &str| {
        format!(
            "<div><p><a class=author>{name}</a></p><p>what was written in this paper</p><p>Subject: words</p></div>"
        )
    };
    let mut page = page_at(
        "https://example.org/a/b",
        &format!(
            "<div>{}</div>",
            ["Ann", "Bo", "Cy", "Ed"].map(entry).concat()
        ),
    );
    page.claims = Claims {
        types: vec!["ItemList".to_owned()],
        ..Claims::default()
    };
    let blocks = Blocks::of(&page, &[]);
    let mut kept = vec![true; blocks.list.len()];
    tidy(
        &page,
        &blocks,
        &KindNow::of(&page),
        &Found::default(),
        &mut kept,
    );
    assert!(kept.iter().all(|&kept| kept));
}

#[test]
fn the_day_somebody_came_is_no_date_and_a_link_with_a_time_is_a_sure_one() {
    let post = |name: &str, year: usize| {
        format!(
            "<div class=post><a class=username href=/members/7>{name}</a> <span class=join-date>Joined {year}</span>\
             <div><a class=date-created href=#post-7><time>Jan 3</time></a></div><p>what was written in this post here</p></div>"
        )
    };
    let html = format!("<div>{}{}</div>", post("Ann", 2007), post("Bo", 2012));
    assert_eq!(taken(&html), ["Ann", "Jan 3", "Bo", "Jan 3"]);
}

#[test]
fn the_head_of_a_thread_does_not_tell_again_who_began_it() {
    let post = |name: &str| {
        format!(
            "<div class=post><p><a class=username href=/u/{name}>{name}</a> <time>3 May</time></p>\
             <div class=text><p>{} {name}</p></div></div>",
            "what was written in this post here, at some length. ".repeat(3)
        )
    };
    let head = |name: &str, text: &str| {
        format!(
            "<div><h1>How was the bridge of the harbour paid for?</h1><p><a class=username href=/u/{name}>{name}</a> 3 May</p>{text}</div>"
        )
    };
    let names = |head: &str| {
        let html = format!(
            "{head}<div>{}{}{}</div>",
            post("Ann"),
            post("Bo"),
            post("Cy")
        );
        let mut page = page_at("https://forum.example.org/t/bridge/12", &html);
        page.claims = Claims::default();
        page.headline.node = page
            .live(page.body())
            .find(|&id| page.tag(id) == Some(Tag::H1));
        let blocks = Blocks::of(&page, &[]);
        let list = blocks.list.iter();
        let mut kept: Vec<bool> = list.map(|block| block.stats.words >= 5.0).collect();
        let kind = KindNow::of(&page);
        let signs = Signs::default();
        let talk = Talk::restored(&page, &blocks, &kind, &signs, &mut kept);
        let found = Found { talk, signs };
        let thread = tidy(&page, &blocks, &kind, &found, &mut kept);
        let names = thread.texts.into_iter().filter_map(|id| page.text(id));
        let is_name = |text: &String| !text.trim().is_empty() && !text.contains("May");
        names
            .map(|text| text.trim().to_owned())
            .filter(is_name)
            .collect::<Vec<_>>()
    };
    assert_eq!(names(&head("Ann", "")), ["Ann", "Bo", "Cy"]);
    // Who asked stands above, and others answer.
    assert_eq!(names(&head("Di", "")), ["Di", "Ann", "Bo", "Cy"]);
    let asked = "<p>what was asked here in a few words more</p>";
    assert_eq!(names(&head("Ann", asked)), ["Ann", "Ann", "Bo", "Cy"]);
}
