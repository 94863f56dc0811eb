use super::*;
use crate::{
    filter::main_block::auto::thread,
    kind::KindNow,
    testing::{page, page_at},
};

const TEXT: &str = "The bridge over the harbour opened on a clear morning in May, eleven months late. \
    Nobody who had waited for it complained about that.";

/// Which texts stay of a page of which all were kept.
fn kept(html: &str) -> Vec<bool> {
    let page = page(html);
    let blocks = Blocks::of(&page, &[]);
    let mut kept = vec![true; blocks.list.len()];
    drop(&page, &blocks, None, &mut kept);
    kept
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
    let html = format!(
        "<div class=wide>{texts}</div><i>Menu</i><div class=narrow><div>{other}</div></div>"
    );
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
    let unfolds =
        |name: &str| format!("<details open><summary>{name}</summary><p>{TEXT}</p></details>");
    assert_eq!(
        kept(&[unfolds("Kerlin"), unfolds("Arnau")].concat()),
        [true; 4]
    );
}

#[test]
fn what_is_sung_again_stays() {
    let chorus = format!("<div class='verse chorus'><p>{TEXT}</p></div>");
    let verse = "<div class=verse><p>The granite came in summer, the barge was painted blue, and nobody asked.</p></div>";
    assert_eq!(kept(&format!("{chorus}{verse}{chorus}")), [true; 3]);
    assert_eq!(kept(&format!("{chorus}{chorus}")), [true, false]);
    let lines = chorus.replace(", ", ",<br>").replace(" the ", "<br>the ");
    assert_eq!(kept(&format!("{lines}{lines}")), [true; 2]);
    let narrow = lines.replace("verse chorus", "narrow");
    assert_eq!(kept(&format!("{lines}{narrow}")), [true, false]);
    // Nor is what is for another screen.
    for (one, other) in [("", "mobile"), ("x-hidden-mobile", "x-hidden-desktop")] {
        let of = |name: &str| lines.replace("verse chorus", &format!("verse {name}"));
        assert_eq!(kept(&format!("{}{}", of(one), of(other))), [true, false]);
    }
    let style = "<style>.d01{display:block}.d02{display:none}</style>";
    let of = |name: &str| lines.replace("verse chorus", &format!("verse {name}"));
    let html = format!("{style}{}{}", of("d01"), of("d02"));
    assert_eq!(kept(&html), [true, false]);
    let answer = "<div class=verse><p>For the dockers.</p></div>";
    assert_eq!(kept(&format!("{chorus}{answer}{chorus}")), [true; 3]);
    // A label between two copies is no verse.
    let label = "<div class=verse><b>More</b></div>";
    assert_eq!(
        kept(&format!("{chorus}{label}{chorus}")),
        [true, true, false]
    );
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

#[test]
fn of_a_post_and_its_preview_the_post_stays() {
    let post = |name: &str, text: &str| {
        format!(
            "<div class=post><p><a class=username href=/u/{name}>{name}</a> 3 May 2026, 10:12</p>\
             <div class=text><p>{text}</p></div></div>"
        )
    };
    let html = format!(
        "<div class=preview><div>{TEXT}</div></div>{}{}{}",
        post("Ann", TEXT),
        post("Bo", "Nobody but the county."),
        post("Cy", "That was long ago, and nobody remembers.")
    );
    let page = page_at("https://forum.example.org/t/bridge/12", &html);
    let blocks = Blocks::of(&page, &[]);
    let kind = KindNow::of(&page);
    let mut kept = vec![true; blocks.list.len()];
    let found = thread::complete(&page, &blocks, &kind, &mut kept);
    drop(&page, &blocks, found.talk(), &mut kept);
    assert_eq!(kept, [false, true, true, true, true, true, true]);
}
