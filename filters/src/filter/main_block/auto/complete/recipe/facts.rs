//! For how many a recipe is, and how long it takes: "Serves 4", "Prep 10 min". They stand in a row of small boxes, below the headline or
//! above the ingredients, and have the chance of a menu; whoever cooks needs them.
//!
//! Such a fact is a short text with a number and a unit of time or of portions, a name of one with its value below it, or what the page marks
//! as one (schema.org/Recipe: `prepTime`, `cookTime`, `totalTime`, `recipeYield`). It counts close above the ingredients; elsewhere
//! only beside another one, for the minutes that it takes to read the text stand alone.

use html5ever::local_name;

use super::super::super::blocks::Blocks;
use crate::{
    page::{Page, tag::Tag},
    text::one_line,
};

/// Words and visible characters of a fact, at most.
const WORDS: f32 = 10.0;
const CHARS: f32 = 48.0;

/// Texts between two facts of a row, and between the last one and the ingredients, at most: the author, an introduction.
const GAP: usize = 3;
const ABOVE: usize = 10;

/// Texts above the ingredients in which facts are looked for: a row below the headline of a long story.
const FAR: usize = 300;

/// Facts of a recipe, at most. More are those of other recipes.
const MOST: usize = 16;

/// How units of time begin, in lower case.
#[rustfmt::skip]
const TIMES: [&str; 56] = [
    "min", "hour", "hr", "std", "stund", "heure", "hora", "ore", "uur", "uren", "timm", "time", "tunti", "tuntia",
    "godz", "hod", "óra", "perc", "мин", "час", "хв", "год", "λεπτ", "ώρ", "dk", "dakika", "saat", "דקות", "דקה",
    "שעה", "שעות", "دقيقة", "دقائق", "ساعة", "ساعات", "دقیقه", "ساعت", "मिनट", "घंट", "মিনিট", "ঘণ্টা", "นาที",
    "ชั่วโมง", "phút", "giờ", "menit", "jam", "分", "分钟", "分鐘", "時間", "小时", "小時", "분", "시간", "h",
];

/// How words for portions begin.
#[rustfmt::skip]
const PORTIONS: [&str; 55] = [
    "serves", "serving", "yield", "makes", "portion", "person", "personnes", "ración", "racion", "comensal",
    "porzion", "porção", "porçõ", "pessoa", "portie", "personer", "annos", "henkil", "porcj", "porcí", "porcie",
    "osob", "adag", "fő", "porți", "persoane", "porcij", "порци", "персон", "порці", "осіб", "μερίδ", "άτομα", "kişi",
    "porsiyon", "מנות", "סועדים", "حصص", "أشخاص", "حصة", "نفر", "सर्विंग", "लोगों", "জন", "ที่", "phần ăn", "người",
    "porsi", "orang", "人分", "人前", "人份", "份量", "份", "인분",
];

/// What such facts are called where the value stands in a box of its own.
#[rustfmt::skip]
const NAMES: [&str; 157] = [
    "prep", "prep time", "preparation", "preparation time", "cook", "cook time", "cooking time", "bake", "bake time",
    "rest", "rest time", "chill time", "total", "total time", "active time", "ready in", "yield", "yields",
    "servings", "serves", "makes", "difficulty", "zubereitungszeit", "vorbereitungszeit", "vorbereitung",
    "arbeitszeit", "koch-/backzeit", "kochzeit", "backzeit", "ruhezeit", "gesamtzeit", "portionen", "menge",
    "temps de préparation", "préparation", "temps de cuisson", "cuisson", "temps total", "repos", "portions", "pour",
    "tiempo de preparación", "preparación", "tiempo de cocción", "cocción", "tiempo total", "raciones", "porciones",
    "comensales", "tempo di preparazione", "preparazione", "tempo di cottura", "cottura", "tempo totale", "porzioni",
    "dosi per", "tempo de preparo", "preparo", "tempo de preparação", "cozimento", "tempo total", "rendimento",
    "porções", "doses", "bereidingstijd", "voorbereiding", "kooktijd", "oventijd", "totale tijd", "porties",
    "personen", "aantal personen", "tillagningstid", "förberedelse", "portioner", "tid i alt", "forberedelse",
    "antal personer", "antall porsjoner", "porsjoner", "valmistusaika", "annoksia", "annokset", "czas przygotowania",
    "czas gotowania", "czas pieczenia", "czas całkowity", "porcje", "liczba porcji", "doba přípravy", "doba pečení",
    "celkový čas", "počet porcí", "porce", "čas prípravy", "počet porcií", "elkészítési idő", "sütési idő", "adag",
    "timp de preparare", "timp de gătire", "timp total", "porții", "время приготовления", "время подготовки",
    "общее время", "порции", "порций", "количество порций", "час приготування", "порції", "време за приготвяне",
    "χρόνος προετοιμασίας", "χρόνος μαγειρέματος", "συνολικός χρόνος", "μερίδες", "hazırlama süresi",
    "pişirme süresi", "toplam süre", "kaç kişilik", "זמן הכנה", "זמן בישול", "מנות", "وقت التحضير", "وقت الطهي",
    "الوقت الكلي", "عدد الحصص", "تكفي", "زمان آماده‌سازی", "زمان پخت", "तैयारी का समय", "पकाने का समय", "कुल समय",
    "कितने लोगों के लिए", "เวลาเตรียม", "เวลาปรุง", "thời gian chuẩn bị", "thời gian nấu", "khẩu phần",
    "waktu persiapan", "waktu memasak", "porsi", "調理時間", "準備時間", "所要時間", "分量", "人数", "准备时间", "烹饪时间", "总时间", "份量",
    "烹飪時間", "總時間", "조리 시간", "준비 시간", "총 시간", "분량",
];

/// Keeps the facts above the label of the ingredients.
pub(super) fn keep(page: &Page, blocks: &Blocks, ingredients: usize, kept: &mut [bool]) {
    let headline = page.headline.node;
    let is_headline =
        |at: &usize| headline.is_some_and(|node| page.contains(node, blocks.list[*at].container));
    let far = ingredients.saturating_sub(FAR);
    let first = (far..ingredients).rev().find(is_headline).unwrap_or(far);
    let mut facts: Vec<usize> = Vec::new();
    let mut at = first;
    while at < ingredients {
        if is_name(page, blocks, at) && at + 1 < ingredients && is_short(page, blocks, at + 1) {
            facts.extend([at, at + 1]);
            at += 1;
        } else if is_fact(page, blocks, at) {
            facts.push(at);
        }
        at += 1;
    }
    if facts.len() > MOST {
        return;
    }
    let is_near = |index: usize| {
        let at = facts[index];
        let before = index.checked_sub(1).map(|other| facts[other]);
        ingredients - at <= ABOVE
            || before.is_some_and(|before| at - before <= GAP)
            || facts.get(index + 1).is_some_and(|&next| next - at <= GAP)
    };
    for index in 0..facts.len() {
        kept[facts[index]] |= is_near(index);
    }
}

fn is_short(page: &Page, blocks: &Blocks, at: usize) -> bool {
    let block = &blocks.list[at];
    block.stats.words <= WORDS
        && block.chars <= CHARS
        && block.linked == 0.0
        && page.tag(block.container) != Some(Tag::Button)
}

fn is_name(page: &Page, blocks: &Blocks, at: usize) -> bool {
    if !is_short(page, blocks, at) {
        return false;
    }
    let text = one_line(&blocks.text(page, &blocks.list[at])).to_lowercase();
    if text.contains(char::is_numeric) {
        return false;
    }
    NAMES.contains(&text.trim_matches(|c: char| !c.is_alphabetic()))
}

fn is_fact(page: &Page, blocks: &Blocks, at: usize) -> bool {
    if !is_short(page, blocks, at) {
        return false;
    }
    if is_marked(page, blocks, at) {
        return true;
    }
    let text = blocks.text(page, &blocks.list[at]).to_lowercase();
    if !text.contains(char::is_numeric) {
        return false;
    }
    // "13hours", "2人分": the unit is what follows the number.
    let words = text.split(|c: char| !c.is_alphabetic() && c != '\u{93f}');
    words.filter(|word| !word.is_empty()).any(|word| {
        TIMES
            .iter()
            .chain(&PORTIONS)
            .any(|unit| word.starts_with(unit))
    })
}

/// Whether the page says in microdata that a text is such a fact.
fn is_marked(page: &Page, blocks: &Blocks, at: usize) -> bool {
    const LEVELS: usize = 4;
    let Some(&text) = blocks.texts(&blocks.list[at]).first() else {
        return false;
    };
    page.ancestors(text).take(LEVELS).any(|up| {
        page.attribute(up, &local_name!("itemprop"))
            .is_some_and(|property| {
                matches!(
                    property.trim(),
                    "prepTime" | "cookTime" | "totalTime" | "recipeYield" | "yield"
                )
            })
    })
}

#[cfg(test)]
mod tests {
    use super::{super::super::super::trial::Trial, *};

    /// What is kept of these texts above the ingredients.
    fn kept(html: &str) -> Vec<bool> {
        let html = format!("<h1 id=h>Rye bread</h1>{html}<h2>Ingredients</h2>");
        let mut trial = Trial::of(&html, 0.02);
        let last = trial.kept.len() - 1;
        keep(&trial.page, &trial.blocks, last, &mut trial.kept);
        trial.kept[1..last].to_vec()
    }

    #[test]
    fn a_row_of_facts_stays_in_many_languages() {
        for facts in [
            ["Prep 10 min", "Serves 4"],
            ["Arbeitszeit ca. 20 Minuten", "4 Portionen"],
            ["Préparation : 20 min", "Pour 6 personnes"],
            ["Tiempo: 1 hora", "4 raciones"],
            ["Готовить 40 минут", "6 порций"],
            ["وقت التحضير 20 دقيقة", "4 حصص"],
            ["20 मिनट", "4 लोगों के लिए"],
            ["調理時間 20分", "2人分"],
            ["准备10分钟", "4人份"],
        ] {
            let [one, two] = facts;
            let html = format!("<p>{one}</p><p>{two}</p>{}", "<p>bread</p>".repeat(20));
            assert_eq!(kept(&html)[..3], [true, true, false], "{one}");
        }
    }

    #[test]
    fn a_name_keeps_its_value() {
        let html = "<div><b>Yield</b><div>one loaf</div></div><p>Share</p>";
        assert_eq!(kept(html), [true, true, false]);
        let marked = "<p>Makes <span itemprop=recipeYield>a dozen</span></p>";
        assert_eq!(kept(&marked.replace("Makes ", "")), [true]);
    }

    #[test]
    fn the_minutes_of_reading_and_other_recipes_go() {
        let far = "<p>bread</p>".repeat(20);
        assert!(!kept(&format!("<p>5 min read</p>{far}")).contains(&true));
        let others = "<p>Scones</p><p>20 min</p>".repeat(20);
        assert!(!kept(&others).contains(&true));
        let linked = "<p><a href=/x>20 min</a></p><p><a href=/x>Serves 4</a></p>";
        assert!(!kept(linked).contains(&true));
    }
}
