//! Inserts text that a page holds outside of its visible elements: the article of its JSON-LD, the TeX source of a
//! formula.

use html5ever::{LocalName, QualName, local_name, ns};
use kuchikiki::NodeRef;

use super::{
    NodeId, Page,
    attributes::{Attributes, Stretch, is_named},
    parse::Parsed,
};
use crate::error::PageError;

impl Page {
    /// The page with an article of these paragraphs at the end of its body, laid out anew. The paragraphs are text: what
    /// looks like markup in them is shown, not obeyed. Rows before the article keep their numbers.
    pub(crate) fn with_article(
        self,
        paragraphs: &[String],
        scripting: bool,
        max_depth: usize,
    ) -> Result<Page, PageError> {
        let element = |name: LocalName| NodeRef::new_element(QualName::new(None, ns!(html), name), []);
        let article = element(local_name!("article"));
        for text in paragraphs {
            let paragraph = element(local_name!("p"));
            paragraph.append(NodeRef::new_text(text.as_str()));
            article.append(paragraph);
        }
        let body = self.body();
        let Page { rows, attributes, url, budget, .. } = self;
        let row = |id: NodeId| rows[id.index()].node.clone();
        row(body).append(article);
        let parsed = Parsed {
            nodes: rows.len() + 2 * paragraphs.len() + 1,
            document: row(NodeId::DOCUMENT),
            attributes,
            templates: Vec::new(),
        };
        let mut page = Page::new(parsed, &url, scripting, max_depth)?;
        page.budget = budget;
        Ok(page)
    }
}

/// `<script type="math/tex">x^2</script>`: the form in which `MathJax` 2 and kramdown write formulas. The script sets the formula;
/// without it, its source between the signs of TeX is what a reader can have.
pub(super) fn formula(node: &NodeRef, attributes: &Attributes) -> Option<NodeRef> {
    let element = node.as_element()?;
    if element.name.local != local_name!("script") {
        return None;
    }
    let mut own = attributes.in_stretch(Stretch::from_node(node)).iter();
    let kind = own.find(|attribute| is_named(attribute, &local_name!("type")))?;
    let kind = kind.value.to_ascii_lowercase();
    if !kind.starts_with("math/tex") {
        return None;
    }
    let source = node.first_child()?;
    let source = source.as_text()?.borrow();
    let source = source.trim().trim_start_matches("% <![CDATA[").trim_end_matches("%]]>").trim();
    Some(NodeRef::new_text(if kind.contains("mode=display") {
        format!("\\[{source}\\]")
    } else {
        format!("\\({source}\\)")
    }))
}
