use super::*;
use crate::testing::page;

const TEXT: &str = "The bridge over the harbour opened on a clear morning in May, eleven months late. \
    Nobody who had waited for it complained about that.";

/// Which texts stay of a page of which all were kept.
fn kept(html: &str) -> Vec<bool> {
    let page = page(html);
    let blocks = Blocks::of(&page, &[]);
    let all = vec![true; blocks.list.len()];
    super::super::proposed(&page, &blocks, 0.5, all, drop)
}

#[test]
fn a_text_for_another_width_of_screen_goes() {
    let html = format!(
        "<div class=wide><h2>Bridge</h2><p>{TEXT}</p></div><div class=narrow><h2>Bridge</h2><div><p>{TEXT}</p></div></div><p>After it.</p>"
    );
    assert_eq!(kept(&html), [true, true, false, false, true]);
    // Three of them, and a label between two.
    let one = format!("<div><p>{TEXT}</p></div>");
    let three = format!("{one}{one}<b>More</b>{one}");
    assert_eq!(kept(&three), [true, false, true, false]);
}

#[test]
fn a_long_copy_may_leave_a_box_out() {
    let texts: Vec<String> = (0..12).map(|n| format!("<p>{n}. {TEXT}</p>")).collect();
    let (first, rest) = (texts[..5].concat(), texts[5..].concat());
    let texts = texts.concat();
    let html = format!(
        "<div class=wide>{first}<p>A box of its own.</p>{rest}</div><i>Menu</i><div class=narrow><div>{texts}</div></div>"
    );
    let mut expected = vec![true; 14];
    expected.extend([false; 12]);
    assert_eq!(kept(&html), expected);
    // The box of the copy stays, and so do texts that differ here and there.
    let html = format!(
        "<div class=wide>{texts}</div><div class=narrow><div>{first}<p>A box of its own.</p>{rest}</div></div>"
    );
    let stays = kept(&html).iter().filter(|is| **is).count();
    assert_eq!(stays, 13);
    let other = texts.replace("3. The", "Three: The");
    let html = format!("<div class=wide>{texts}</div><i>Menu</i><div class=narrow><div>{other}</div></div>");
    assert_eq!(kept(&html).iter().filter(|is| !**is).count(), 0);
}

#[test]
fn of_three_copies_one_stays_though_each_lacks_something() {
    let texts: Vec<String> = (0..24).map(|n| format!("<p>{n}. {TEXT}</p>")).collect();
    let without = |gone: usize| {
        let mut texts = texts.clone();
        texts.remove(gone);
        texts.concat()
    };
    let html = format!(
        "<div class=wide>{}</div><div class=middle><div>{}</div></div><div class=narrow><div>{}</div></div>",
        texts.concat(),
        without(12),
        without(23)
    );
    assert_eq!(kept(&html).iter().filter(|is| **is).count(), 24);
}

#[test]
fn what_is_said_of_something_else_under_a_heading_of_its_own_stays() {
    let html = format!(
        "<div><h3>Adults</h3><div><p>{TEXT}</p></div></div><div><h3>Children</h3><div><p>{TEXT}</p></div></div>"
    );
    assert_eq!(kept(&html), [true; 4]);
    let unfolds = |name: &str| format!("<details open><summary>{name}</summary><p>{TEXT}</p></details>");
    assert_eq!(kept(&[unfolds("Kerlin"), unfolds("Arnau")].concat()), [true; 4]);
}

#[test]
fn a_chorus_stays_behind_every_verse() {
    let chorus = format!("<div class=verse><p>{TEXT}</p></div>");
    let verse =
        "<div class=verse><p>The granite came in summer, the barge was painted blue, and nobody asked.</p></div>";
    assert_eq!(kept(&format!("{chorus}{verse}{chorus}")), [true; 3]);
    assert_eq!(kept(&format!("{chorus}{chorus}")), [true, false]);
}

#[test]
fn what_an_author_says_twice_stays() {
    let refrain = format!("<div><p>{TEXT}</p><p>{TEXT}</p></div>");
    assert_eq!(kept(&refrain), [true, true]);
    let rows = format!("<table><tr><td><p>{TEXT}</p><tr><td><p>{TEXT}</p></table>");
    assert_eq!(kept(&rows), [true, true]);
    let offers = format!(
        "<div><h2>First offer</h2><p>Twelve days of walking.</p><div><p>{TEXT}</p></div></div>\
         <div><h2>Second offer</h2><p>Nine days by boat.</p><div><p>{TEXT}</p></div></div>"
    );
    assert_eq!(kept(&offers), [true; 6]);
    let labels = "<div><b>Read more</b></div><div><b>Read more</b></div>";
    assert_eq!(kept(labels), [true, true]);
}

#[test]
fn thousands_of_equal_texts_take_no_longer_than_their_number() {
    let html = "<div><b>same</b></div>".repeat(20_000);
    assert_eq!(kept(&html).len(), 20_000);
}
