use super::*;
use crate::testing::{by_id, ids, page, words};

fn found(html: &str, settings: &Settings) -> Vec<String> {
    let page = page(html);
    ids(&page, &link_lists(&page, settings))
}

#[test]
fn quotas_are_those_worked_by_hand() {
    // The inner block: 2 anchors of 2 tags, 8 of 8 characters. The outer one by itself: one bold tag, 4 + 4 characters.
    // Together, a tenth less for the step: 1.8 anchors of 2.8 tags, 7.2 of 15.2 characters.
    let html = "<div id=out><b>bold</b>bare<div id=in><a href=/1>link</a><a href=/2>link</a></div></div>";
    let page = page(html);
    let settings = Settings::paper();
    let structure = Structure::new(&page, &settings.structural);
    let quotas = own_quotas(&page, &structure, &settings);
    let own = |id| quotas[by_id(&page, id).index()];
    let inner = Quota { anchors: 2.0, tags: 2.0, linked: 8.0, chars: 8.0 };
    assert_eq!(own("in"), inner);
    let mut outer = own("out");
    assert_eq!(outer, Quota { anchors: 0.0, tags: 1.0, linked: 0.0, chars: 8.0 });
    outer.add(inner, 1.0 - settings.decay);
    assert!((outer.anchors / outer.tags - 1.8 / 2.8).abs() < 1e-12);
    assert!((outer.linked / outer.chars - 7.2 / 15.2).abs() < 1e-12);
    // .64 and .47: over both thresholds, so the outer one goes as a whole; judged from within only the inner one is
    // a list, and what is left of the outer one has no link.
    assert_eq!(found(html, &settings), ["out"]);
    assert_eq!(found(html, &Settings::default()), ["in"]);
}

#[test]
fn finds_the_lists_that_the_paper_names() {
    let text = words(60);
    let link = "<a href=/x>link</a>";
    for list in [
        format!("<table id=list><tr><td><table><tr><td>{link}</td><td>{link}</td></tr></table></td></tr></table>"),
        format!("<div id=list><div>{link}</div><div>{link}</div></div>"),
        format!("<p id=list>{link} | {link} | {link}</p>"),
        format!("<ul id=list><li>{link}</li><li>{link}</li></ul>"),
    ] {
        let html = format!("<div id=text><p>{text} <a href=/y>one</a> {text}</p></div>{list}");
        assert_eq!(found(&html, &Settings::paper()), ["list"], "{list}");
    }
}

#[test]
fn one_point_is_for_the_system_to_decide() {
    // One link, the only tag, in a long text: anchors over tags is 1, linked over all characters is not .4.
    let html = format!("<p id=p>{} <a href=/x>link</a></p>", words(30));
    let with = |on_one| Settings { on_one, ..Settings::paper() };
    assert!(found(&html, &with(OnOne::Keep)).is_empty());
    assert_eq!(found(&html, &with(OnOne::Remove)), ["p"]);
    assert!(found(&html, &with(OnOne::RemoveIfLinked)).is_empty());
}

#[test]
fn a_front_page_of_teasers_is_not_emptied_from_within() {
    let teaser = "<div><p><a href=/x>A headline of five words</a></p>\
            <p>Two lines that tell what it is about, somewhat longer than the headline above.</p></div>";
    let html = format!("<div id=all>{}</div>", teaser.repeat(8));
    let page = page(&html);
    let gone: usize = link_lists(&page, &Settings::default()).iter().map(|&id| page.chars(id)).sum();
    assert!(gone * 2 < page.chars(page.body()));
    assert!(!found(&html, &Settings::default()).contains(&"all".to_owned()));
}

#[test]
fn lists_of_linked_images_are_found_where_that_is_asked_for() {
    let image = "<li><a href=/x><img src=i width=80 height=60></a></li>";
    let html = format!("<p>{}</p><ul id=list>{}</ul>", words(30), image.repeat(4));
    assert!(found(&html, &Settings::default()).is_empty());
    let settings = Settings { image_lists: true, ..Settings::default() };
    assert_eq!(found(&html, &settings), ["list"]);
    // Of different sizes they are pictures of something.
    let mixed = html.replacen("80", "640", 1);
    assert!(found(&mixed, &settings).is_empty());
}

#[test]
fn a_block_that_repeats_on_a_domain_is_judged_more_strictly() {
    // .3 of the characters are linked: content by itself.
    let bar = "<div id=bar>Latest from us this week <a href=/x>sign up now</a></div>";
    let html = |n: usize| format!("{bar}<div id=text><p>{}</p></div>", words(40 + n));
    assert!(found(&html(0), &Settings::default()).is_empty());
    let mut domain = domain::Domain::default();
    for n in 0..4 {
        domain.learn(&domain::survey(&page(&html(n))));
    }
    let mut page = page(&html(9));
    page.domain = Some(std::sync::Arc::new(domain));
    let lists = link_lists(&page, &Settings::default());
    assert_eq!(ids(&page, &lists), ["bar"]);
}

#[test]
fn lists_of_images_are_compared_with_those_of_other_pages_of_the_domain() {
    // Logos of many sizes, on every page the same; by themselves no list.
    let logos = "<li><a href=/x><img src=i width=80 height=60></a></li><li><a href=/x><img src=i width=90 height=30></a></li>\
        <li><a href=/x><img src=i width=50 height=50></a></li>";
    // As many pictures of one size on every page, of another size on each.
    let pictures = |n: usize| format!("<li><a href=/x><img src=i width={n} height={n}></a></li>").repeat(3);
    let html = |n: usize| {
        format!("<p>{}</p><ul id=logos>{logos}</ul><ul id=pictures>{}</ul>", words(30 + n), pictures(300 + n))
    };
    let mut domain = domain::Domain::default();
    let with = |domain: &domain::Domain, is_compared| {
        let mut page = page(&html(9));
        page.domain = Some(std::sync::Arc::new(domain.clone()));
        let settings = Settings {
            image_lists: true,
            image_lists_by_domain: is_compared,
            domain_strength: 0.0,
            ..Settings::default()
        };
        ids(&page, &link_lists(&page, &settings))
    };
    domain.learn(&domain::survey(&page(&html(0))));
    domain.learn(&domain::survey(&page(&html(1))));
    // Of two pages nothing is concluded: each page is judged by itself.
    assert_eq!(with(&domain, true), ["pictures"]);
    domain.learn(&domain::survey(&page(&html(2))));
    assert_eq!(with(&domain, true), ["logos"]);
    assert_eq!(with(&domain, false), ["pictures"]);
}
