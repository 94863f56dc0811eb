//! One page's scores: word F1 against the reference, the snippets that must and must not be there, the title, and text nodes.

use gleaner_filters::{FilterName, PageError};
use serde::Serialize;

use super::{
    contestant::Contestant,
    nodes::{Mapping, NodeScore},
};
use crate::{
    dataset::{Sample, flat},
    measure::{WordScore, bag},
};

/// One page's results, one for each contestant.
#[derive(Serialize)]
pub(super) struct PageScores {
    pub(super) id: String,
    #[serde(rename = "type")]
    pub(super) page_type: String,
    pub(super) domain: String,
    pub(super) scores: Vec<Score>,
}

/// The result of one chain on one page.
#[derive(Serialize)]
pub(super) struct Score {
    pub(super) precision: f64,
    pub(super) recall: f64,
    pub(super) f1: f64,
    /// Less than half of the reference's words were kept.
    pub(super) harmed: bool,
    /// By text nodes, where the reference could be mapped to them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) nodes: Option<NodeScore>,
    /// Snippets that had to be kept, and how many of them were.
    pub(super) required: Share,
    /// Snippets that had to go, and how many of them did not.
    pub(super) forbidden: Share,
    /// Word F1 of the title that was found, where one is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) title: Option<f64>,
    /// No word was left.
    pub(super) empty: bool,
    /// A main content was chosen.
    pub(super) selected: bool,
    /// Why the page was passed untouched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) passed: Option<&'static str>,
    /// Nothing came out: not even the whole page.
    pub(super) failed: bool,
    /// CPU time, milliseconds.
    pub(super) cpu_ms: f64,
    /// CPU time of the filter `main_block`, milliseconds.
    pub(super) choice_ms: f64,
}

/// Some of a number of things.
#[derive(Clone, Copy, Default, Serialize)]
pub(super) struct Share {
    pub(super) found: usize,
    pub(super) of: usize,
}

/// Runs every contestant on a page.
pub(super) fn page(sample: &Sample, contestants: &[Contestant]) -> PageScores {
    // Chains mostly see the same text nodes, so that one mapping serves them all.
    let mut mapping = None;
    PageScores {
        id: sample.id.clone(),
        page_type: sample.page_type.clone(),
        domain: sample.domain(),
        scores: contestants.iter().map(|contestant| score(contestant, sample, &mut mapping)).collect(),
    }
}

fn score(contestant: &Contestant, sample: &Sample, mapping: &mut Option<Mapping>) -> Score {
    let reference = &sample.reference;
    let mut score = Score {
        precision: 0.0,
        recall: 0.0,
        f1: 0.0,
        harmed: false,
        nodes: None,
        required: Share::default(),
        forbidden: Share::default(),
        title: None,
        empty: true,
        selected: false,
        passed: None,
        failed: false,
        cpu_ms: 0.0,
        choice_ms: 0.0,
    };
    let (mut text, mut title) = (String::new(), String::new());
    match contestant.trace(sample) {
        Ok((trace, passed)) => {
            score.selected = trace.report.selected;
            score.passed = passed.as_ref().map(PageError::reason);
            score.cpu_ms = trace.cpu.as_secs_f64() * 1000.0;
            let filters = trace.report.filters.iter();
            let choices = filters.filter(|done| done.filter == FilterName::MainBlock.as_str());
            score.choice_ms = choices.map(|done| done.cpu.as_secs_f64() * 1000.0).sum();
            if mapping.as_ref().is_none_or(|m| !m.is_of(&trace.texts)) {
                *mapping = Some(Mapping::new(&trace.texts, &reference.text));
            }
            score.nodes = mapping.as_ref().and_then(|m| m.score(&trace.texts));
            (text, title) = (trace.text, trace.title);
        }
        Err(error) => {
            score.passed = Some(error.reason());
            score.failed = true;
        }
    }
    let kept = bag(&text);
    let words = WordScore::new(&kept, &reference.words);
    (score.precision, score.recall, score.f1, score.harmed) = (words.precision, words.recall, words.f1, words.harmed);
    score.empty = kept.is_empty();
    let wanted = reference.title.as_ref();
    score.title = wanted.map(|wanted| WordScore::new(&bag(&title), wanted).f1);
    let text = flat(&text);
    let share = |snippets: &[String]| Share {
        found: snippets.iter().filter(|s| text.contains(s.as_str())).count(),
        of: snippets.len(),
    };
    score.required = share(&reference.required);
    score.forbidden = share(&reference.forbidden);
    score
}
