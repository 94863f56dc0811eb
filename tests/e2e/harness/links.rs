//! What a person would click on: links and buttons of pages, by their words.

use super::client::Answer;

/// The address of the link with these words in the bar.
pub(crate) fn control(answer: &Answer, words: &str) -> String {
    let (_, bar) = answer.text().split_once("<nav id=\"gleaner-controls\"").expect("there is a bar");
    let (bar, _) = bar.split_once("</nav>").unwrap();
    let (before, _) = bar.split_once(&format!("\">{words}</a>")).unwrap_or_else(|| panic!("no {words} in {bar}"));
    before.rsplit_once("href=\"").unwrap().1.replace("&amp;", "&")
}

/// The first address in a page that holds these words.
pub(crate) fn link(page: &str, words: &str) -> String {
    let links = page.split("href=\"").skip(1);
    let mut links = links.map(|rest| rest.split('"').next().unwrap().replace("&amp;", "&"));
    let found = links.find(|link| link.contains(words));
    found.unwrap_or_else(|| panic!("no link with {words:?} in {page}"))
}

/// The address that the question's button leads to.
pub(crate) fn button(question: &str) -> String {
    format!("http://gleaner.internal{}", link(question, "&token="))
}
