//! Chooses the main content and removes the rest of the page.
//!
//! The algorithms only read the page and name nodes (`Choice`: what to keep, what to drop inside it); the editing is
//! done here. Each algorithm is a file in `main_block/papers/`, the default one a folder beside it. A choice that keeps next to nothing is not carried out
//! ([`Settings::min_chars`], [`Settings::min_share`]), whatever algorithm made it: the page then keeps what the other
//! filters left, but for the frame that it marks as such (`main_block/landmarks.rs`).

pub mod auto;
pub(crate) mod choice;
mod floor;
mod forms;
mod headings;
mod landmarks;
mod named;
pub mod papers;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::{
    analysis::AnalysedPage,
    error::ConfigError,
    filter::{Filter, ignore, link_quota},
    html::NodeId,
};
use auto::forest::Forest;
pub(crate) use choice::{Choice, outermost};
use choice::{common_container, cover, describe, note};
use papers::dsc;
pub(crate) use papers::menus;
pub use papers::{article_subtree, bte, ccb, cetr, cnr, core_ex, text_density};

/// How the main content is chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Algorithm {
    /// Scores every text block and keeps the set that fits best: the main content with what does not belong cut out of it.
    #[default]
    Auto,
    /// Chars-nodes ratio (López, Silva, Insa 2012): one block.
    Cnr,
    /// `CoreEx` (Prasad, Paepcke 2008): a set of nodes.
    CoreEx,
    /// Link quota filter (Mantratzis, Orgun, Cassidy 2005): everything but lists of links.
    LinkQuota,
    /// First subtree with enough text in paragraphs (Agarwal et al. 2013): one block.
    ArticleSubtree,
    /// Tag ratios of the lines of the source (Weninger, Hsu, Han 2010): runs of text.
    Cetr,
    /// Body text extraction (Finn, Kushmerick, Smyth 2001): one run of text.
    Bte,
    /// Content code blurring (Gottron 2008): runs of text.
    Ccb,
    /// Document slope curves (Pinto et al. 2002): runs of text.
    Dsc,
    /// DOM text density (Sun, Song, Liao 2011): a set of nodes.
    TextDensity,
}

/// What becomes of the comments below an article.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Comments {
    /// Comments stand in a closed `<details>` at the end of the page; text and Markdown leave them out.
    #[default]
    Fold,
    /// Comments are part of the article.
    Keep,
    /// Comments are removed.
    Drop,
}

/// Settings of `main_block`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "MainBlock"))]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// Whether the filter runs.
    pub enabled: bool,
    /// How the main content is chosen.
    pub algorithm: Algorithm,
    /// How `auto` treats text that may or may not belong to the main content: `recall` keeps more, `precision` less.
    pub favor: auto::Favor,
    /// Settings of the algorithm `auto`.
    pub auto: auto::Settings,
    /// Settings of the algorithm `cnr`.
    pub cnr: cnr::Settings,
    /// Settings of the algorithm `core_ex`.
    pub core_ex: core_ex::Settings,
    /// Settings of the algorithm `link_quota`; the filter of that name has its own.
    pub link_quota: link_quota::Settings,
    /// Settings of the algorithm `article_subtree`.
    pub article_subtree: article_subtree::Settings,
    /// Settings of the algorithm `cetr`.
    pub cetr: cetr::Settings,
    /// Settings of the algorithm `ccb`.
    pub ccb: ccb::Settings,
    /// Settings of the algorithm `dsc`.
    pub dsc: dsc::Settings,
    /// Settings of the algorithm `text_density`.
    pub text_density: text_density::Settings,
    /// A choice with fewer visible characters (about 25 words; a Chinese character counts as three, as in all floors) is not
    /// taken for the main content: the page then keeps all that the other filters left.
    pub min_chars: usize,
    /// Smallest share (0 to 1) of the visible characters left by the other filters that a choice may keep. Lower: more pages are
    /// reduced to one block. Measured on WCXB dev, 2026-11-21: F1 .789 at 0, .802 at .15, .815 at .3, .818 at .4, .813 at .5.
    pub min_share: f64,
    /// A block without a picture and with fewer visible characters than this (about 100 words: the notice below a comic) is
    /// not chosen over the pictures of the page, nor over the form that asks for a password. 0: neither matters. Higher: more
    /// pages stay whole.
    pub picture_chars: usize,
    /// Keep the page's headline where it stands outside the choice.
    pub keep_headline: bool,
    /// What becomes of the comments below an article, where `auto` chooses: `fold` puts them behind a closed line at the end of
    /// the page and leaves them out of text and Markdown, `keep` treats them as part of the article, `drop` removes them. Threads
    /// are no comments.
    pub comments: Comments,
    /// The reader's choices for one page.
    #[serde(skip)]
    pub(crate) steering: Steering,
}

/// A reader's choices for one page, other than the configured ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Steering {
    /// Steps from the configured choice: above 0 to more of the page, below 0 to less. Each changes what is shown.
    pub(crate) steps: i8,
    /// Blocks that are more relevant than the one that is wanted.
    pub(crate) skipped: u8,
}

impl Steering {
    /// Whether a choice is carried out however small and doubtful it is.
    fn is_forced(self) -> bool {
        self != Steering::default()
    }
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            enabled: true,
            algorithm: Algorithm::default(),
            favor: auto::Favor::default(),
            auto: auto::Settings::default(),
            cnr: cnr::Settings::default(),
            core_ex: core_ex::Settings::default(),
            link_quota: link_quota::Settings { enabled: true, ..link_quota::Settings::default() },
            article_subtree: article_subtree::Settings::default(),
            cetr: cetr::Settings::default(),
            ccb: ccb::Settings::default(),
            dsc: dsc::Settings::default(),
            text_density: text_density::Settings::default(),
            min_chars: 140,
            min_share: 0.4,
            picture_chars: 500,
            keep_headline: true,
            comments: Comments::default(),
            steering: Steering::default(),
        }
    }
}

impl Settings {
    /// Chooses what a reader wants. Where nothing would be chosen, the first step to less is the choice itself.
    pub(crate) fn steer(&mut self, mut steering: Steering) {
        if !self.enabled && steering.steps < 0 {
            self.enabled = true;
            steering.steps += 1;
        }
        self.steering = steering;
    }

    pub(crate) fn check(&self) -> Result<(), ConfigError> {
        ConfigError::unless_share("main_block.min_share", self.min_share)?;
        self.auto.check()?;
        self.cnr.check()?;
        self.core_ex.check()?;
        self.link_quota.check("main_block.link_quota")?;
        self.cetr.check()?;
        self.ccb.check()?;
        self.dsc.check()
    }
}

pub(crate) struct MainBlock {
    pub(crate) settings: Settings,
    forest: Arc<Forest>,
    /// Whether hidden text has been left for the choice to score.
    scores_hidden: bool,
    /// Whether the page keeps its own look, and with it its only heading of the first level, whatever that says.
    keeps_look: bool,
}

impl MainBlock {
    pub(crate) fn new(settings: &Settings, forest: Arc<Forest>, scores_hidden: bool) -> MainBlock {
        MainBlock { settings: settings.clone(), forest, scores_hidden, keeps_look: false }
    }

    /// For pages in their own look: a headline that is lost there is not written anew.
    pub(crate) fn keeping_look(self, keeps_look: bool) -> MainBlock {
        MainBlock { keeps_look, ..self }
    }

    /// Takes a choice away, and leaves what is dropped inside it.
    fn skip(&self, page: &mut AnalysedPage, choice: &Choice) {
        for &id in &choice.kept {
            let left: Vec<_> = choice.dropped.iter().copied().filter(|&dropped| page.contains(id, dropped)).collect();
            if left.is_empty() && id != page.body() {
                page.remove(id, self.name());
            } else {
                page.keep_only(id, &left, self.name());
            }
        }
    }

    /// Removes a node, but not the comments in it or around it.
    fn remove_around(&self, page: &mut AnalysedPage, id: NodeId, comments: &[NodeId]) {
        let start = comments.partition_point(|&comment| comment < id);
        let is_in_comment = start.checked_sub(1).is_some_and(|before| page.contains(comments[before], id));
        let inside = comments[start..].partition_point(|&comment| comment < page.end(id));
        match &comments[start..start + inside] {
            _ if is_in_comment => {}
            [] => page.remove(id, self.name()),
            inside => page.keep_only(id, inside, self.name()),
        }
    }

    /// Carries out a choice, or says why not.
    fn select(&self, page: &mut AnalysedPage) -> Result<String, String> {
        let settings = &self.settings;
        let body = page.body();
        if self.keeps_look {
            page.headline.node = page.headline.node.or(page.headline.only_h1);
        }
        let chosen = |page: &AnalysedPage, settings: &Settings| {
            let choice = choose(page, settings, &self.forest);
            Choice { kept: outermost(page, choice.kept), dropped: outermost(page, choice.dropped), ..choice }
        };
        if settings.steering.steps > 0 {
            let unsteered = Settings { steering: Steering::default(), ..settings.clone() };
            let choice = chosen(page, &unsteered);
            if choice.kept.is_empty() || floor::objection(page, &choice, settings).is_some() {
                page.outcome.at_end = true;
                return Err("all of the page was shown".to_owned());
            }
        }
        let mut choice = chosen(page, settings);
        for _ in 0..settings.steering.skipped {
            self.skip(page, &choice);
            choice = chosen(page, settings);
        }
        // If `precision` keeps too little to be accepted, fall back to `balanced`: the whole page would be more still.
        if settings.favor == auto::Favor::Precision
            && !settings.steering.is_forced()
            && (choice.kept.is_empty() || floor::objection(page, &choice, settings).is_some())
        {
            choice = chosen(page, &Settings { favor: auto::Favor::Balanced, ..settings.clone() });
        }
        // Three places: what is left is noise, and differs between machines.
        page.outcome.at_end = choice.at_end;
        page.outcome.confidence = choice.confidence.map(|share| (share * 1000.0).round() / 1000.0);
        if choice.kept.is_empty() {
            let why = choice.note.map_or_else(String::new, |note| format!(": {note}"));
            return Err(format!("no block found{why}"));
        }
        if !settings.steering.is_forced()
            && let Some(objection) = floor::objection(page, &choice, settings)
        {
            return Err(objection);
        }
        let comments = outermost(page, choice.comments.iter().map(|comment| comment.element).collect());
        for &id in &choice.dropped {
            self.remove_around(page, id, &comments);
        }
        for &id in &choice.beside_comments {
            page.remove(id, self.name());
        }
        let place = common_container(page, &choice.kept);
        let nodes = choice.kept.len();
        let mut kept = choice.kept;
        if !comments.is_empty() {
            kept.extend(comments);
            kept = outermost(page, kept);
        }
        if settings.keep_headline {
            kept.extend(
                page.headline
                    .node
                    .filter(|&heading| page.is_live(heading) && !kept.iter().any(|&id| page.contains(id, heading))),
            );
            kept = outermost(page, kept);
        }
        page.keep_only(body, &kept, self.name());
        page.outcome.main_block = Some(place);
        page.outcome.posts = choice.posts;
        page.outcome.entries = choice.entries;
        page.outcome.starter = choice.starter;
        page.outcome.comments = choice.comments;
        page.outcome.folds_comments = settings.comments == Comments::Fold;
        Ok(note(&describe(page, place), nodes, choice.note))
    }
}

impl Filter for MainBlock {
    fn name(&self) -> &'static str {
        "main_block"
    }

    fn apply(&self, page: &mut AnalysedPage) -> Option<String> {
        let outcome = self.select(page);
        if outcome.is_err() && !self.settings.steering.is_forced() {
            landmarks::remove(page, self.name());
        }
        if self.scores_hidden {
            match outcome {
                Ok(_) => ignore::show_hidden(page, Some(self.name())),
                // The whole page, and so no less than any choice before it.
                Err(_) if self.settings.steering.steps > 0 => ignore::show_hidden(page, None),
                Err(_) => ignore::remove_hidden(page, self.name()),
            }
        }
        Some(outcome.unwrap_or_else(|why_not| why_not))
    }
}

/// The choice of the algorithm, and for those of the papers the node that is some steps away from it.
pub(crate) fn choose(page: &AnalysedPage, settings: &Settings, forest: &Forest) -> Choice {
    let choice = by_algorithm(page, settings, forest);
    let Settings { cnr, steering, .. } = settings;
    if settings.algorithm == Algorithm::Auto || choice.kept.is_empty() || cnr.adjust == 0 && steering.steps == 0 {
        return choice;
    }
    let kept = outermost(page, choice.kept);
    let block = cnr::adjusted(page, common_container(page, &kept), cnr);
    let (block, at_end) = cnr::stepped(page, block, steering.steps, cnr);
    Choice { note: choice.note, at_end, ..Choice::from(Some(block)) }
}

/// The list of algorithms.
fn by_algorithm(page: &AnalysedPage, settings: &Settings, forest: &Forest) -> Choice {
    match settings.algorithm {
        Algorithm::Auto => auto::choose(page, settings, forest),
        Algorithm::Cnr => cnr::main_block(page, &settings.cnr).into(),
        Algorithm::CoreEx => core_ex::choose(page, &settings.core_ex),
        Algorithm::LinkQuota => {
            let dropped = link_quota::link_lists(page, &settings.link_quota);
            Choice { kept: vec![page.body()], dropped, ..Choice::default() }
        }
        Algorithm::ArticleSubtree => article_subtree::choose(page, &settings.article_subtree),
        Algorithm::Cetr => cetr::choose(page, &settings.cetr),
        Algorithm::Bte => bte::choose(page),
        Algorithm::Ccb => ccb::choose(page, &settings.ccb),
        Algorithm::Dsc => dsc::choose(page, &settings.dsc),
        Algorithm::TextDensity => text_density::choose(page, &settings.text_density),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{by_id, page, words};

    #[test]
    fn the_floor_holds_for_every_algorithm() {
        for name in Settings::names() {
            let mut page = page("<div><p>A few words.</p></div><div><a href=/x>link</a></div>");
            let before = page.chars(page.body());
            let filter = MainBlock::new(&Settings::default().named(name).unwrap(), Forest::shipped(), false);
            filter.apply(&mut page);
            assert_eq!(page.chars(page.body()), before, "{name}");
            assert_eq!(page.outcome.main_block, None);
        }
    }

    #[test]
    fn every_algorithm_finds_a_plain_article_and_leaves_the_menu() {
        let menu = "<li class=item><a class=link href=/a/page>menu</a></li>\n".repeat(15);
        let text = words(80);
        let html = format!(
            "<body>\n<div id=top>\n<ul id=menu>\n{menu}</ul>\n</div>\n<div id=article>\n<p>{text}</p>\n<p>{text}</p>\n\
             <p>{text}</p>\n</div>\n</body>"
        );
        // R1 takes one paragraph: that is what the paper says of it.
        for name in Settings::names().filter(|name| *name != "core_ex_r1") {
            let mut page = page(&html);
            let mut settings = Settings::default().named(name).unwrap();
            settings.min_share = 0.0;
            let menu = by_id(&page, "menu");
            MainBlock::new(&settings, Forest::shipped(), false).apply(&mut page);
            let left = page.chars(by_id(&page, "article"));
            assert_eq!(left, 3 * 80 * 4, "{name}");
            let is_menu_gone = !page.is_live(menu) || page.chars(menu) == 0;
            assert!(is_menu_gone || name == "cnr_relaxed", "{name}");
        }
    }
}
