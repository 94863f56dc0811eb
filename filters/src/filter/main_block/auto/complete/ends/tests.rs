use super::{super::super::trial::Trial, *};
use crate::{kind::Claims, testing::words};

/// What is kept of a page that says it is this, behind two long paragraphs.
fn kept_of(end: &str, chance: f64, says: &str) -> Vec<bool> {
    let paragraph = format!("<p>kept {}</p>", words(30));
    let html = format!("<main><div>{paragraph}{paragraph}{end}</div></main>");
    let mut trial = Trial::of(&html, chance);
    trial.page.claims = Claims {
        types: vec![says.to_owned()],
        ..Claims::default()
    };
    let (page, scored) = (&trial.page, &trial.scored);
    keep(
        page,
        &trial.blocks,
        scored,
        &KindNow::of(page),
        &mut trial.kept,
    );
    trial.kept.split_off(2)
}

fn kept(end: &str, chance: f64) -> Vec<bool> {
    kept_of(end, chance, "Article")
}

#[test]
fn a_note_stays() {
    for note in [
        "<div class='notice warning'><p>The road is shut.</p></div>",
        "<div class=uwaga>Droga jest zamknięta.</div>",
        "<aside><div class=note><b>Nota</b><p>La calle está cortada.</p></div></aside>",
    ] {
        assert!(!kept(note, 0.13).contains(&false), "{note}");
        assert!(!kept(note, 0.11).contains(&true), "{note}");
        assert!(!kept_of(note, 0.13, "Product").contains(&true), "{note}");
    }
    for other in [
        "<div class=notices><p>The road is shut.</p></div>",
        "<div class=notice><p>Get our letter once a week.</p><form><input></form></div>",
        "<div class=alert><a href=/x>Another story of the day</a></div>",
        "<div class=note>Ann Lee</div>",
    ] {
        assert!(!kept(other, 0.3).contains(&true), "{other}");
    }
}

#[test]
fn the_last_figure_stays_with_its_caption_and_a_portrait_goes() {
    let figure = "<figure><img><figcaption>The pier as planned</figcaption></figure>";
    assert_eq!(kept(figure, 0.01), [true], "it needs no chance");
    let beside = format!("<div><div>{figure}</div></div>");
    assert_eq!(kept(&beside, 0.09), [false]);
    let film = figure.replace("<img>", "<video src=/a.mp4></video>");
    assert_eq!(kept(&film, 0.11), [true]);
    for other in [
        figure.replace("<img>", "<img width=120>"),
        figure.replace("<img>", "<a href=/x><img></a>"),
        figure.replace("The pier as planned", "<a href=/x>The pier as planned</a>"),
        figure.replace("<img>", ""),
    ] {
        assert_eq!(kept(&other, 0.3), [false], "{other}");
    }
}

#[test]
fn a_last_section_stays_by_its_name_in_many_languages() {
    for name in [
        "Further reading",
        "Quellen:",
        "Pour aller plus loin",
        "Литература",
        "المصادر",
        "参考文献",
        "संदर्भ",
    ] {
        let section =
            format!("<h2>{name}</h2><p>Minutes; <a href=https://a.example/>piers</a></p>");
        assert_eq!(kept(&section, 0.11), [true; 2], "{name}");
        assert_eq!(kept(&section, 0.09), [false; 2], "{name}");
    }
    let other = "<h2>About the author</h2><p>Ann writes on piers.</p>";
    assert_eq!(kept(other, 0.3), [false; 2]);
}

#[test]
fn other_articles_of_the_site_are_no_sources_but_of_a_manual() {
    let section = "<h2>Further reading</h2><ul><li><a href=/a>Ferry late again</a></ul>";
    assert_eq!(kept(section, 0.3), [false; 2]);
    assert_eq!(kept_of(section, 0.3, "APIReference"), [true; 2]);
}

#[test]
fn terms_and_tables_at_the_end_stay_whether_their_heading_is_kept_or_not() {
    let terms = "<h2>What is planned</h2><dl><dt>3 May<dd>Start of work</dl>";
    assert_eq!(kept(terms, 0.16), [true; 3]);
    assert_eq!(kept(terms, 0.14), [false; 3]);
    assert_eq!(kept(&terms.replace("What", "kept What"), 0.16), [true; 3]);
    let paragraph = "<h2>What is planned</h2><p>Start of work</p>";
    assert_eq!(kept(paragraph, 0.3), [false; 2]);
    let partly = "<h2>Sources</h2><p>kept minutes</p><p><a href=/n>Next</a></p>";
    assert_eq!(kept(partly, 0.3), [true, true, false]);
    let next = format!("{terms}<h2>More</h2><p>Another</p>");
    assert_eq!(kept(&next, 0.16), [true, true, true, false, false]);
}

#[test]
fn what_stands_far_from_the_text_is_no_end_of_it() {
    let far = |end: &str| {
        let html = format!("</div></main><section><div><div><div>{end}</div></div></div>");
        kept(&html, 0.3)
    };
    assert_eq!(far("<div class=note>The road is shut.</div>"), [false]);
    let alike = |class: &str| {
        let paragraph = format!("<p>kept {}</p>", words(30)).repeat(2);
        let html = format!(
            "<section><div class=col>{paragraph}</div></section><section><div class={class}><p class=note>The road is shut.</p></div></section>"
        );
        let mut trial = Trial::of(&html, 0.3);
        let (page, blocks) = (&trial.page, &trial.blocks);
        keep(
            page,
            blocks,
            &trial.scored,
            &KindNow::of(page),
            &mut trial.kept,
        );
        trial.kept[2]
    };
    assert!(alike("col") && !alike("foot"));
    assert_eq!(far("<h2>Terms</h2><dl><dt>Pier<dd>A wall</dl>"), [false; 3]);
}

#[test]
fn comments_are_no_last_section() {
    let plain = "<h3>Thoughts</h3><ol><li><b>Max</b> <i>3 May</i><p>Well done!</ol>";
    assert_eq!(kept(plain, 0.3), [true; 3]);
    for comments in [
        plain.replace("<li>", "<li class=comment>"),
        plain.replace("<i>", "<time>").replace("</i>", "</time>"),
        format!("<div id=comments>{plain}</div>"),
    ] {
        assert_eq!(kept(&comments, 0.3), [false; 3], "{comments}");
    }
}
