//! Whether the thing that a page sells can be had, and which of its colours and sizes is chosen. They are two or three words among
//! buttons, and their chance is that of the buttons; but a price is that of what is chosen, and of no use where nothing is left.
//!
//! Whether it can be had is told by a mark (`itemprop="availability"`) or by how the text begins; what is chosen stands beside the
//! choices and has its name before a colon: "Colour: black".
//!
//! Measured on WCXB dev, 2026-11-22, five folds: word F1 of its products .6839 with and without (six pages change; annotators
//! differ): it is for the reader.

use html5ever::local_name;

use super::{super::blocks::Blocks, price};
use crate::{
    kind::{Kind, KindNow},
    page::{NodeId, Page, tag::Tag},
};

/// Words of either, at most: "Out of stock, back in June", "Colour: Smoked oak and linen".
const WORDS: f32 = 8.0;

/// Texts from the headline on that are looked at, without buttons and without what can be chosen.
const NEAR: usize = 40;

/// The same with them.
const WITH_CHOICES: usize = 160;

/// Elements around what is chosen in which the choices are looked for, and nodes of those at most.
const LEVELS: usize = 2;
const MAX_NODES: usize = 400;

/// How texts begin that say whether a thing can be had, in lower case.
const STATES: [&str; 64] = [
    "in stock",
    "out of stock",
    "sold out",
    "available now",
    "available to order",
    "currently unavailable",
    "temporarily unavailable",
    "not available",
    "back in stock",
    "on backorder",
    "pre-order",
    "auf lager",
    "sofort lieferbar",
    "lieferbar",
    "nicht lieferbar",
    "nicht vorrätig",
    "nicht auf lager",
    "nicht verfügbar",
    "vorrätig",
    "ausverkauft",
    "derzeit nicht",
    "en stock",
    "en rupture",
    "rupture de stock",
    "épuisé",
    "indisponible",
    "non disponible",
    "non disponibile",
    "disponibile",
    "disponible",
    "esaurito",
    "agotado",
    "sin existencias",
    "no disponible",
    "em estoque",
    "em stock",
    "esgotado",
    "disponível",
    "indisponível",
    "op voorraad",
    "niet op voorraad",
    "uitverkocht",
    "i lager",
    "slut i lager",
    "på lager",
    "ikke på lager",
    "udsolgt",
    "utsolgt",
    "varastossa",
    "loppu varastosta",
    "dostępny",
    "niedostępny",
    "brak w magazynie",
    "skladem",
    "vyprodáno",
    "stokta",
    "tükendi",
    "в наличии",
    "нет в наличии",
    "в наявності",
    "немає в наявності",
    "متوفر",
    "غير متوفر",
    "נמכר",
];

/// The same in scripts without capitals or spaces.
const OTHER_STATES: [&str; 18] = [
    "אזל מהמלאי",
    "במלאי",
    "نفدت الكمية",
    "نفذت الكمية",
    "موجود",
    "ناموجود",
    "स्टॉक में",
    "स्टॉक समाप्त",
    "在庫あり",
    "在庫なし",
    "在庫切れ",
    "売り切れ",
    "有货",
    "有貨",
    "缺货",
    "缺貨",
    "품절",
    "재고",
];

/// Keeps what is said of the product below its headline, down to the first heading below its price.
pub(super) fn keep(page: &Page, blocks: &Blocks, kind: &KindNow<'_>, kept: &mut [bool]) {
    if !kept.contains(&true) || kind.get() != Some(Kind::Product) {
        return;
    }
    let (mut has_price, mut has_state) = (false, false);
    let mut seen = 0;
    for at in blocks.below_headline(page, WITH_CHOICES) {
        let block = &blocks.list[at];
        if price::is_control(page, blocks, at) {
            continue;
        }
        seen += 1;
        let is_heading = page.tag(block.container).is_some_and(Tag::is_heading);
        // Other goods have headings, or prices that lead to them.
        if seen > NEAR || has_price && is_heading {
            return;
        }
        if block.stats.words > WORDS {
            continue;
        }
        if price::is_price(page, blocks, at) {
            if has_price && !price::is_mostly_text(blocks, at) {
                return;
            }
            has_price = true;
        } else if block.linked == 0.0 && !is_heading && !kept[at] {
            let text = blocks.text(page, block);
            let is_state = !has_state && says_state(page, block.container, &text);
            has_state |= is_state;
            kept[at] = is_state || is_chosen(page, block.container, &text);
        }
    }
}

fn says_state(page: &Page, container: NodeId, text: &str) -> bool {
    let is_marked = |id: NodeId| {
        let name = page.attribute(id, &local_name!("itemprop"));
        name.is_some_and(|name| name.eq_ignore_ascii_case("availability"))
    };
    if is_marked(container) {
        return true;
    }
    let text = text.trim_start_matches(|c: char| !c.is_alphanumeric());
    let small = text.to_lowercase();
    let begins = |state: &str| {
        let after = small.strip_prefix(state).map(|after| after.chars().next());
        after.is_some_and(|next| next.is_none_or(|c| !c.is_alphanumeric()))
    };
    STATES.iter().any(|state| begins(state))
        || OTHER_STATES.iter().any(|state| small.starts_with(state))
}

/// Whether a text is a name, a colon and what is chosen, and stands beside the choices.
fn is_chosen(page: &Page, container: NodeId, text: &str) -> bool {
    let parts = text.trim().split_once([':', '\u{ff1a}']);
    let Some((name, chosen)) = parts else {
        return false;
    };
    // A digit is how many are wanted.
    let is_choice = chosen.split_whitespace().any(|word| {
        word.contains(char::is_alphabetic) || word.chars().filter(|c| c.is_numeric()).count() > 1
    });
    let is_short = name.split_whitespace().count() <= 3 && name.chars().any(char::is_alphabetic);
    is_short
        && is_choice
        && !chosen.contains([':', '\u{ff1a}'])
        && page
            .ancestors(container)
            .take(LEVELS)
            .find_map(|up| holds_choices(page, up))
            .unwrap_or_default()
}

/// Whether an element offers to choose one of several: not how many of one.
fn holds_choices(page: &Page, id: NodeId) -> Option<bool> {
    let rows = id.index()..page.end(id).index();
    if rows.len() > MAX_NODES {
        return Some(false);
    }
    let mut choices = 0;
    // Those too that an earlier filter removed: without scripts nothing can be chosen.
    for at in rows.map(NodeId::from_row) {
        choices += match page.tag(at) {
            Some(Tag::Select) => 2,
            Some(Tag::Button) => 1,
            Some(Tag::Input) => match page.attribute(at, &local_name!("type")) {
                Some("radio") => 1,
                Some("hidden") => 0,
                _ => return Some(false),
            },
            _ => 0,
        };
    }
    (choices > 0).then_some(choices > 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::chair;

    /// What is kept between the headline and the description of a page that says it is this.
    fn kept(open_graph: &str, between: &str) -> Vec<String> {
        let page = chair(open_graph, between);
        let blocks = Blocks::of(&page, &[]);
        let mut all = vec![false; blocks.list.len()];
        *all.last_mut().unwrap() = true;
        keep(&page, &blocks, &KindNow::of(&page), &mut all);
        let texts = blocks.list.iter().zip(&all).filter(|(_, kept)| **kept);
        let mut texts: Vec<String> = texts.map(|(block, _)| blocks.text(&page, block)).collect();
        texts.pop();
        texts
    }

    #[test]
    fn whether_a_product_can_be_had_stays() {
        for state in [
            "Out of stock",
            "\u{2022} En rupture",
            "在庫切れ",
            "Нет в наличии, ждём в июне",
        ] {
            let html = format!("<p>$40.00</p><p>Gift wrap</p><p>{state}</p>");
            assert_eq!(kept("product", &html), [state]);
            assert!(kept("article", &html).is_empty());
        }
        let marked = "<p>$40.00</p><p itemprop=availability>Two in the shop</p>";
        assert_eq!(kept("product", marked), ["Two in the shop"]);
    }

    #[test]
    fn states_of_other_goods_and_words_that_begin_alike_are_left_to_their_chance() {
        for html in [
            "<p>$40.00</p><h2>Also</h2><p>Sold out</p>",
            "<p>$40.00</p><p><a href=/x>$30.00</a></p><p>Sold out</p>",
            "<p>$40.00</p><p>In stockings</p>",
            "<p>$40.00</p><p><a href=/x>Sold out</a></p>",
        ] {
            assert!(kept("product", html).is_empty(), "{html}");
        }
        let twice = "<p>$40.00</p><p>In stock</p><p>Sold out</p>";
        assert_eq!(kept("product", twice), ["In stock"]);
    }

    #[test]
    fn what_is_chosen_stays_beside_the_choices() {
        let colours = "<button></button><button></button>";
        let html = |chosen: &str, beside: &str| {
            format!("<p>$40.00</p><section><div><p>{chosen}</p><div>{beside}</div></div></section>")
        };
        assert_eq!(
            kept("product", &html("Colour: <b>Black</b>", colours)),
            ["Colour: Black"]
        );
        let radios = "<input type=radio><input type=radio>";
        assert_eq!(kept("product", &html("色：黒", radios)), ["色：黒"]);
        for (chosen, beside) in [
            ("Colour:", colours),
            ("Quantity: 1", colours),
            ("Colour: Black Colour: Black", colours),
            (
                "Quantity: 1",
                "<button></button><input type=number><button></button>",
            ),
            ("Colour: Black", "<button></button>"),
            ("Colour: Black", ""),
        ] {
            assert!(
                kept("product", &html(chosen, beside)).is_empty(),
                "{chosen} {beside}"
            );
        }
    }
}
