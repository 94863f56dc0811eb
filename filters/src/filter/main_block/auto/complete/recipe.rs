//! What a recipe is made of and what is done with it. The list of ingredients stands in a box beside the steps, often an
//! `<aside>`, and its lines of three words have the chance of a menu; but nobody cooks from the one without the other.
//!
//! A label says where each begins, a heading or a short line ("Zutaten", "材料"), and it counts where quantities follow, or where the page
//! says in its JSON-LD that it is a `Recipe` (schema.org). Steps are looked for where ingredients were found: "Method" is a heading of
//! papers too. For how many it is and how long it takes: `recipe/facts.rs`.
//!
//! Written for readers, 2026-11-22: WCXB dev has three recipes, one of which lost its ingredients.

mod facts;

use std::ops::Range;

use super::super::blocks::Blocks;
use crate::{
    kind::{Kind, KindNow},
    page::{NodeId, Page, tag::Tag},
    text::{one_line, starts::Starts},
};

/// What the list of ingredients is called in the languages of the web, in lower case and without the signs around it.
const INGREDIENTS: &Starts = &Starts::new(&[
    "ingredients",
    "the ingredients",
    "what you need",
    "what you'll need",
    "you will need",
    "zutaten",
    "zutatenliste",
    "ingrédients",
    "les ingrédients",
    "ingredientes",
    "los ingredientes",
    "ingredienti",
    "gli ingredienti",
    "ingrediënten",
    "ingredienser",
    "det skal du bruge",
    "dette trenger du",
    "innihald",
    "hráefni",
    "ainekset",
    "ainesosat",
    "koostisosad",
    "koostis",
    "sastāvdaļas",
    "ingredientai",
    "składniki",
    "ingredience",
    "suroviny",
    "ingrediencie",
    "hozzávalók",
    "ingrediente",
    "sestavine",
    "sastojci",
    "састојци",
    "съставки",
    "необходими продукти",
    "состојки",
    "ингредиенты",
    "інгредієнти",
    "інгрэдыенты",
    "υλικά",
    "malzemeler",
    "osagaiak",
    "përbërësit",
    "מצרכים",
    "המצרכים",
    "רכיבים",
    "المكونات",
    "المقادير",
    "مواد لازم",
    "اجزاء",
    "सामग्री",
    "উপকরণ",
    "தேவையான பொருட்கள்",
    "ส่วนผสม",
    "nguyên liệu",
    "bahan",
    "bahan-bahan",
    "viungo",
    "재료",
    "材料",
]);

/// What the steps are called.
const STEPS: &Starts = &Starts::new(&[
    "instructions",
    "directions",
    "method",
    "preparation",
    "steps",
    "how to make it",
    "zubereitung",
    "anleitung",
    "so geht's",
    "préparation",
    "étapes",
    "étapes de préparation",
    "instructions de préparation",
    "elaboración",
    "preparación",
    "instrucciones",
    "pasos",
    "preparazione",
    "procedimento",
    "modo de preparo",
    "preparação",
    "modo de fazer",
    "bereiding",
    "bereidingswijze",
    "gör så här",
    "så gör du",
    "fremgangsmåde",
    "slik gjør du",
    "fremgangsmåte",
    "aðferð",
    "valmistus",
    "valmistusohje",
    "valmistamine",
    "pagatavošana",
    "gaminimas",
    "przygotowanie",
    "sposób przygotowania",
    "wykonanie",
    "postup",
    "příprava",
    "príprava",
    "elkészítés",
    "mod de preparare",
    "preparare",
    "priprava",
    "priprema",
    "припрема",
    "приготвяне",
    "начин на приготвяне",
    "приготовление",
    "способ приготовления",
    "приготування",
    "εκτέλεση",
    "yapılışı",
    "hazırlanışı",
    "prestaketa",
    "אופן ההכנה",
    "הוראות הכנה",
    "طريقة التحضير",
    "طريقة العمل",
    "طرز تهیه",
    "विधि",
    "วิธีทำ",
    "cách làm",
    "cara membuat",
    "만드는 법",
    "作り方",
]);

/// The same in Chinese, where neither is the beginning of another word.
const STEPS_IN_CHINESE: &Starts = &Starts::new(&["做法", "步骤", "步驟", "製作方法"]);

/// Words of a label, at most: "Zutaten für 4 Portionen".
const LABEL_WORDS: f32 = 7.0;

/// Visible characters of one, at most.
const LABEL_CHARS: f32 = 50.0;

/// Lines of ingredients, at least; and the share of them with a number. Not every recipe weighs its salt.
const LINES: usize = 2;
const WITH_NUMBERS: f32 = 0.4;

/// Words of an ingredient, at most: with what may be taken in its place. The longest seen has 27.
const LINE_WORDS: f32 = 32.0;

/// Texts of a list or of the steps, at most.
const LONGEST: usize = 80;

/// Elements from a label up to the one that holds its list too.
const LEVELS: usize = 5;

/// Keeps the ingredients and steps beside the kept texts of a recipe.
pub(super) fn keep(page: &Page, blocks: &Blocks, kind: &KindNow<'_>, kept: &mut [bool]) {
    if !kept.contains(&true) {
        return;
    }
    let mut lists: Vec<Range<usize>> = Vec::new();
    for at in 0..kept.len() {
        let is_over = lists.last().is_some_and(|list| at < list.end);
        if !is_over && is_label(page, blocks, at, INGREDIENTS) {
            let mut list = section(page, blocks, at);
            let is_text = |other: &usize| blocks.list[*other].stats.words > LINE_WORDS;
            list.end = list.clone().find(is_text).unwrap_or(list.end);
            if are_ingredients(page, blocks, at + 1..list.end) {
                lists.push(list);
            }
        }
    }
    let is_for_sale = || {
        matches!(
            kind.get(),
            Some(Kind::Product | Kind::Collection | Kind::Forum)
        )
    };
    if lists.is_empty() || !page.claims.is_recipe() && is_for_sale() {
        return;
    }
    facts::keep(page, blocks, lists[0].start, kept);
    let is_steps = |at: &usize| {
        is_label(page, blocks, *at, STEPS) || is_label(page, blocks, *at, STEPS_IN_CHINESE)
    };
    for at in (lists[0].start..kept.len()).filter(is_steps) {
        lists.push(section(page, blocks, at));
    }
    for index in lists.into_iter().flatten() {
        kept[index] |= page.tag(blocks.list[index].container) != Some(Tag::Button);
    }
}

/// Whether a text is one of these names, or begins with one: "Ingredients (serves 4)".
fn is_label(page: &Page, blocks: &Blocks, at: usize, names: &Starts) -> bool {
    let block = &blocks.list[at];
    if block.stats.words > LABEL_WORDS || block.chars > LABEL_CHARS || block.linked > 0.0 {
        return false;
    }
    let first = blocks.texts(block).first();
    let Some(text) = first.and_then(|&id| page.text(id)) else {
        return false;
    };
    let text = text.trim_start_matches(|c: char| !c.is_alphabetic());
    let Some(first) = text.chars().next().and_then(|c| c.to_lowercase().next()) else {
        return false;
    };
    // Nearly all texts are of other letters, and to compare the words costs more.
    let mut letter = [0; 4];
    let first = first.encode_utf8(&mut letter).as_bytes();
    let bytes = text.as_bytes();
    // The plain letters that a name begins with begin no line of others, however it is written.
    let is_other = |name: &str| {
        let name = name.as_bytes();
        let plain = name.iter().take_while(|byte| byte.is_ascii_lowercase());
        let plain = &name[..plain.count()];
        let start = bytes.get(..plain.len()).filter(|start| start.is_ascii());
        start.is_some_and(|start| !start.eq_ignore_ascii_case(plain))
    };
    let alike = names.beginning_with(first[0]);
    let may_be = |name: &&str| name.as_bytes().starts_with(first) && !is_other(name);
    let mut alike = alike.filter(may_be).peekable();
    if alike.peek().is_none() {
        return false;
    }
    let line = one_line(text).to_lowercase().replace('\u{2019}', "'");
    alike.any(|name| {
        let rest = line.strip_prefix(name);
        rest.is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
    })
}

/// A label and what it says the name of: up to the next heading of its level, inside of the element around both.
fn section(page: &Page, blocks: &Blocks, at: usize) -> Range<usize> {
    let container = blocks.list[at].container;
    let level = level(page, container);
    let mut end = at + 1;
    for up in std::iter::once(container)
        .chain(page.ancestors(container))
        .take(LEVELS)
    {
        end = end_inside(page, blocks, at, up, level);
        if end > at + LINES {
            break;
        }
    }
    at..end
}

/// Where the section of a label ends inside of an element.
fn end_inside(page: &Page, blocks: &Blocks, at: usize, scope: NodeId, own: Option<u8>) -> usize {
    let last = blocks.list.len().min(at + 1 + LONGEST);
    let ends = |other: &usize| {
        let inner = blocks.list[*other].container;
        let is_above = || match (level(page, inner), own) {
            (Some(other), Some(own)) => other <= own,
            (other, _) => other.is_some(),
        };
        let is_label = || {
            let names = [INGREDIENTS, STEPS];
            names
                .into_iter()
                .any(|names| is_label(page, blocks, *other, names))
        };
        let block = &blocks.list[*other];
        let is_other = block.link_density() > 0.5 && !is_item(page, inner);
        !page.contains(scope, inner) || is_other || is_above() || is_label()
    };
    (at + 1..last).find(ends).unwrap_or(last)
}

/// Whether these are what a dish is made of: short lines, and quantities.
fn are_ingredients(page: &Page, blocks: &Blocks, range: Range<usize>) -> bool {
    let lines = blocks.list[range.clone()].len();
    let (mut numbers, mut chars, mut linked) = (0, 0.0, 0.0);
    for block in &blocks.list[range] {
        let has_number = |id| {
            page.text(id)
                .is_some_and(|text| text.contains(char::is_numeric))
        };
        numbers += usize::from(blocks.texts(block).iter().any(|&id| has_number(id)));
        chars += block.chars;
        linked += block.linked;
    }
    let have_numbers = numbers as f32 >= WITH_NUMBERS * lines as f32;
    lines >= LINES && linked * 2.0 < chars && (have_numbers || page.claims.is_recipe())
}

fn is_item(page: &Page, id: NodeId) -> bool {
    let mut around = std::iter::once(id).chain(page.ancestors(id)).take(3);
    around.any(|up| page.tag(up) == Some(Tag::Li))
}

/// The level of a heading.
fn level(page: &Page, id: NodeId) -> Option<u8> {
    page.tag(id)?.heading_level()
}

#[cfg(test)]
mod tests {
    use super::{super::super::trial::Trial, *};
    use crate::{kind::Claims, testing::words};

    /// What is kept of a page that says it is this.
    fn kept(html: &str, says: &str) -> Vec<bool> {
        let mut trial = Trial::of(html, 0.02);
        trial.page.claims = Claims {
            types: vec![says.to_owned()],
            ..Claims::default()
        };
        let kind = KindNow::of(&trial.page);
        keep(&trial.page, &trial.blocks, &kind, &mut trial.kept);
        trial.kept
    }

    #[test]
    fn ingredients_and_steps_stay_in_many_languages() {
        for (ingredients, steps) in [
            ("Ingredients (serves 4)", "Directions"),
            ("Zutaten für 4 Portionen:", "Zubereitung"),
            ("Ингредиенты", "Приготовление"),
            ("المكونات", "طريقة التحضير"),
            ("材料（2人分）", "作り方"),
            ("材料", "做法"),
        ] {
            let html = format!(
                "<p>kept</p><aside><div><h2>{ingredients}</h2><button>2x</button></div><ul><li>500 g rye<li>salt<li>300 g water</ul></aside>\
                 <h2>{steps}</h2><ol><li>Stir.<li>Bake.</ol><h2>Comments</h2><p>Good."
            );
            let mut wanted = vec![true; 11];
            (wanted[2], wanted[9], wanted[10]) = (false, false, false);
            assert_eq!(kept(&html, "Article"), wanted, "{ingredients}");
        }
    }

    #[test]
    fn a_list_without_quantities_needs_a_page_that_says_it_is_a_recipe() {
        let html = "<p>kept</p><b>Zutaten</b><ul><li>Mehl<li>Salz<li>Wasser</ul>";
        assert_eq!(kept(html, "Recipe"), [true; 5]);
        assert_eq!(kept(html, "Article")[1..], [false; 4]);
    }

    #[test]
    fn what_a_product_is_made_of_and_menus_are_left_to_their_chance() {
        let list = "<p>kept</p><h2>Ingredients</h2><ul><li>5 g oil<li>2 g wax</ul>";
        assert_eq!(kept(list, "Product")[1..], [false; 3]);
        let menu = list
            .replace("<li>", "<li><a href=/x>")
            .replace("<li>", "</a><li>");
        assert_eq!(kept(&menu, "Article")[1..], [false; 3]);
    }

    #[test]
    fn the_method_of_a_paper_is_no_recipe_and_a_text_ends_a_list() {
        let html = format!("<p>kept</p><h2>Method</h2><p>{}</p>", words(40));
        assert_eq!(kept(&html, "Article")[1..], [false; 2]);
        let html = format!(
            "<p>kept</p><p>Zutaten:</p><p>500 g Mehl</p><p>2 Eier</p><p>{}</p>",
            words(40)
        );
        assert_eq!(kept(&html, "Article"), [true, true, true, true, false]);
    }
}
