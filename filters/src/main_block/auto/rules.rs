//! The few things that a rule knows better than the scores: what belongs to a kept text comes back, and what is shown twice or leads
//! to other articles goes.
//!
//! A rule is a row of [`RULES`]. The engine lets it propose on a copy, and carries out what the guards allow: a rule that keeps adds, one
//! that drops removes; none drops the headline; none changes more than its share of the kept words.

mod comments;
mod dialogs;
mod duplicates;
mod figures_and_tables;
mod footnotes;
mod headline;
mod next_article;
mod other_articles;
mod price;
mod prompts;
mod related;
mod standfirst;

use super::{Favor, Scored, blocks::TextBlocks};
use crate::{
    analysis::AnalysedPage,
    page_type::{LazyPageType, PageType},
};

/// The input of all rules.
pub(super) struct Context<'a> {
    pub(super) page: &'a AnalysedPage,
    pub(super) blocks: &'a TextBlocks,
    pub(super) scored: &'a [Scored],
    pub(super) kind: &'a LazyPageType<'a>,
    pub(super) favor: Favor,
    pub(super) keep_headline: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Action {
    Keep,
    Drop,
}

struct Rule {
    /// Name of the rule in the report.
    name: &'static str,
    action: Action,
    when: fn(&Context<'_>) -> bool,
    /// Marks what is kept after it.
    propose: fn(&Context<'_>, &mut [bool]),
    /// Share of the kept words that it may change, at most.
    most: f32,
}

const RULES: &[Rule] = &[
    Rule { name: "headline", action: Action::Keep, when: |_| true, propose: headline::keep, most: 1.0 },
    Rule { name: "standfirst", action: Action::Keep, when: |_| true, propose: standfirst::keep, most: 0.5 },
    Rule { name: "companions", action: Action::Keep, when: is_text, propose: figures_and_tables::keep, most: 0.5 },
    Rule { name: "footnotes", action: Action::Keep, when: is_text, propose: footnotes::keep, most: 0.1 },
    Rule { name: "price", action: Action::Keep, when: |_| true, propose: price::keep, most: 0.5 },
    // What stands twice is half of a page.
    Rule { name: "duplicates", action: Action::Drop, when: |_| true, propose: duplicates::drop, most: 0.6 },
    Rule { name: "dialogs", action: Action::Drop, when: |_| true, propose: dialogs::drop, most: 0.5 },
    Rule { name: "comments", action: Action::Drop, when: is_article, propose: comments::drop, most: 0.95 },
    Rule { name: "next_article", action: Action::Drop, when: is_article, propose: next_article::drop, most: 0.9 },
    Rule {
        name: "other_articles",
        action: Action::Drop,
        when: is_less_wanted_article,
        propose: other_articles::drop,
        most: 0.5,
    },
    Rule { name: "prompts", action: Action::Drop, when: is_less_wanted, propose: prompts::drop, most: 0.1 },
    Rule { name: "related", action: Action::Drop, when: is_less_wanted, propose: related::drop, most: 0.25 },
];

fn is_text(context: &Context<'_>) -> bool {
    matches!(context.kind.get(), None | Some(PageType::Article | PageType::Documentation | PageType::Service))
}

fn is_article(context: &Context<'_>) -> bool {
    context.kind.get() == Some(PageType::Article)
}

fn is_less_wanted(context: &Context<'_>) -> bool {
    context.favor != Favor::Recall && is_text(context) && context.kind.get() != Some(PageType::Service)
}

fn is_less_wanted_article(context: &Context<'_>) -> bool {
    is_less_wanted(context) && is_article(context)
}

/// Applies all rules in turn; the names of those that changed something.
pub(super) fn apply(context: &Context<'_>, kept: &mut Vec<bool>) -> Vec<&'static str> {
    let mut names = Vec::new();
    for rule in RULES {
        if kept.contains(&true) && (rule.when)(context) && rule.apply(context, kept) {
            names.push(rule.name);
        }
    }
    names
}

impl Rule {
    /// Whether it changed something.
    fn apply(&self, context: &Context<'_>, kept: &mut Vec<bool>) -> bool {
        let mut proposed = kept.clone();
        (self.propose)(context, &mut proposed);
        let headline = context.page.headline.node;
        let (mut all, mut changed) = (0.0, 0.0);
        let texts = context.blocks.list.iter().zip(kept.iter()).zip(&mut proposed);
        for ((block, &was), is) in texts {
            let is_headline = || headline.is_some_and(|node| context.page.contains(node, block.container));
            *is = match self.action {
                Action::Keep => was || *is,
                Action::Drop => was && (*is || is_headline()),
            };
            all += if was { block.stats.words } else { 0.0 };
            changed += if was == *is { 0.0 } else { block.stats.words };
        }
        let is_carried_out = changed > 0.0 && changed <= self.most * all;
        if is_carried_out {
            *kept = proposed;
        }
        is_carried_out
    }
}

/// The blocks kept after a rule was applied to these, where all texts have one probability.
#[cfg(test)]
fn proposed(
    page: &AnalysedPage,
    blocks: &TextBlocks,
    probability: f64,
    mut kept: Vec<bool>,
    propose: fn(&Context<'_>, &mut [bool]),
) -> Vec<bool> {
    let context = Context {
        page,
        blocks,
        scored: &Scored::all(blocks, probability),
        kind: &LazyPageType::new(page, &page.claims),
        favor: Favor::Balanced,
        keep_headline: true,
    };
    propose(&context, &mut kept);
    kept
}
