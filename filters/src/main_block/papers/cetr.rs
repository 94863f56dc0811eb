//! Content extraction via tag ratios (CETR): lines of the source with much text for their tags.
//!
//! Source: Weninger, Hsu, Han, *CETR: Content Extraction via Tag Ratios*, WWW 2010; also as told by López, Silva, Insa 2012
//! (§ 2, Example 2.1), who measured it against their own method.
//!
//! The idea:
//!
//! 1. Scripts, comments and empty lines go. A line's *tag ratio* is its characters over its tags; its characters where it
//!    has no tag.
//! 2. The ratios are smoothed with a Gaussian, so that a title or a short line inside the text is not lost.
//! 3. Either a line is content where its ratio is over a threshold: the standard deviation of all of them.
//! 4. Or the ratios and their *change* (mean of the next three less the line's own, smoothed, absolute) are points in the
//!    plane, and k-means with one centre held at the origin parts them: what is not near the origin is content.
//!
//! | constant | paper | here | why |
//! |---|---|---|---|
//! | smoothing radius, deviation | 1 | 2, 1 | beyond two deviations nothing is left of the weight |
//! | clusters | 3 | 3 | |
//! | lines looked ahead | 3 | 3 | |
//! | threshold | a multiple of the standard deviation | 1 | |
//! | first centres | random | origin, the largest ratio, the largest change | same input, same output |
//! | characters | ASCII outside tags | visible characters | not every language is ASCII |
//!
//! We had no copy of the paper's body: constants are its published abstract's and those of public implementations.
//!
//! A page whose source is a few long lines has no lines to tell apart; the method then takes all of it or nothing, which
//! is what López et al. say of it. Not mended here: that is what the other algorithms are for.
//!
//! Measured on WCXB dev, 2026-11-21, the algorithm by itself (`gleaner-lab evaluate DEV --bare --main-block NAME`), word
//! F1: k-means .749, threshold .751; forums .718, the best of the papers' methods but CCB.
//!
//! A text that spans several lines is kept if most of its characters stand on content lines.
//!
//! Cost: one reading of the text, then passes over the lines; k-means is bounded by 100 rounds.

use serde::{Deserialize, Serialize};

use super::source::{Piece, pieces};
use crate::main_block::{Choice, cover};
use crate::{
    error::ConfigError,
    html::{NodeId, Page, tag::Tag},
    vocabulary::words::visible_chars,
};

/// How content lines are separated from the rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "CetrClustering"))]
#[serde(rename_all = "snake_case")]
pub enum Clustering {
    /// By a threshold on the smoothed ratio (CETR-TM).
    Threshold,
    /// By k-means on ratio and change (CETR).
    KMeans,
}

/// Settings of the algorithm `cetr`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Cetr"))]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// `threshold` or `k_means`.
    pub clustering: Clustering,
    /// With `threshold`: standard deviations of the ratios that a line must reach, more than 0. Lower: more is taken.
    pub deviations: f64,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { clustering: Clustering::KMeans, deviations: 1.0 }
    }
}

impl Settings {
    pub(crate) fn check(&self) -> Result<(), ConfigError> {
        if self.deviations.is_finite() && self.deviations > 0.0 {
            return Ok(());
        }
        Err(ConfigError::out_of_range("main_block.cetr.deviations", self.deviations, "a number greater than 0"))
    }
}

/// Lines on either side that smoothing looks at.
const RADIUS: usize = 2;
/// Standard deviation of the smoothing, in lines.
const SIGMA: f64 = 1.0;
/// Lines ahead whose mean is compared with a line.
const AHEAD: usize = 3;
/// Most rounds of k-means; it ends by itself long before.
const MAX_ROUNDS: usize = 100;

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Line {
    chars: u32,
    tags: u32,
}

impl Line {
    fn ratio(self) -> f64 {
        f64::from(self.chars) / f64::from(self.tags.max(1))
    }
}

/// Characters of one text on one line.
struct Span {
    text: NodeId,
    line: usize,
    chars: u32,
}

/// The texts on content lines.
pub(crate) fn choose(page: &Page, settings: &Settings) -> Choice {
    let (lines, spans) = read_lines(page);
    let filled: Vec<usize> = (0..lines.len()).filter(|&line| lines[line] != Line::default()).collect();
    let ratios: Vec<f64> = filled.iter().map(|&line| lines[line].ratio()).collect();
    let is_content = content_lines(&ratios, settings);
    let mut content = vec![false; lines.len()];
    for (&line, &is_content) in filled.iter().zip(&is_content) {
        content[line] = is_content;
    }
    let mut balance = vec![0i64; page.len()];
    for span in &spans {
        let chars = i64::from(span.chars);
        balance[span.text.index()] += if content[span.line] { chars } else { -chars };
    }
    let kept: Vec<bool> = balance.iter().map(|&balance| balance > 0).collect();
    cover(page, &kept).into()
}

fn read_lines(page: &Page) -> (Vec<Line>, Vec<Span>) {
    let mut lines = vec![Line::default()];
    let mut spans = Vec::new();
    for piece in pieces(page, NodeId::DOCUMENT) {
        match piece {
            Piece::Start(id) | Piece::End(id) => {
                if !is_removed_first(page, id) {
                    let last = lines.len() - 1;
                    lines[last].tags += 1;
                }
            }
            Piece::Text(id) => {
                let Some(text) = page.text(id) else { continue };
                let is_shown = page.own_chars(id) > 0;
                for (number, part) in text.split('\n').enumerate() {
                    if number > 0 {
                        lines.push(Line::default());
                    }
                    let chars = if is_shown { crate::vocabulary::words::count(visible_chars(part)) } else { 0 };
                    let line = lines.len() - 1;
                    lines[line].chars += chars;
                    if chars > 0 {
                        let text = id;
                        spans.push(Span { text, line, chars });
                    }
                }
            }
        }
    }
    (lines, spans)
}

fn is_removed_first(page: &Page, id: NodeId) -> bool {
    matches!(page.tag(id), Some(Tag::Script | Tag::Style | Tag::Noscript))
}

fn content_lines(ratios: &[f64], settings: &Settings) -> Vec<bool> {
    let smoothed = smooth(ratios);
    match settings.clustering {
        Clustering::Threshold => {
            let threshold = settings.deviations * standard_deviation(&smoothed);
            smoothed.iter().map(|&ratio| ratio > 0.0 && ratio >= threshold).collect()
        }
        Clustering::KMeans => {
            let change: Vec<f64> = smooth(&changes(&smoothed)).into_iter().map(f64::abs).collect();
            let points: Vec<(f64, f64)> = smoothed.into_iter().zip(change).collect();
            away_from_origin(&points)
        }
    }
}

/// A Gaussian over the neighbouring lines; beyond the ends there is nothing.
fn smooth(values: &[f64]) -> Vec<f64> {
    let weights: Vec<f64> = (0..=2 * RADIUS)
        .map(|at| {
            let distance = at as f64 - RADIUS as f64;
            (-distance * distance / (2.0 * SIGMA * SIGMA)).exp()
        })
        .collect();
    let sum: f64 = weights.iter().sum();
    (0..values.len())
        .map(|at| {
            let total: f64 = weights
                .iter()
                .enumerate()
                .filter_map(|(offset, weight)| {
                    let neighbour = (at + offset).checked_sub(RADIUS)?;
                    Some(weight * values.get(neighbour)?)
                })
                .sum();
            total / sum
        })
        .collect()
}

/// The mean of the next lines less the line's own value.
fn changes(values: &[f64]) -> Vec<f64> {
    (0..values.len())
        .map(|at| {
            let ahead = &values[at..values.len().min(at + AHEAD + 1)];
            let ahead = ahead.get(1..).unwrap_or_default();
            ahead.iter().sum::<f64>() / AHEAD as f64 - values[at]
        })
        .collect()
}

fn standard_deviation(values: &[f64]) -> f64 {
    let count = values.len().max(1) as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (squares / count).sqrt()
}

/// k-means with three centres of which one stays at the origin; true for the points that belong to another one.
fn away_from_origin(points: &[(f64, f64)]) -> Vec<bool> {
    let largest = |key: fn(&(f64, f64)) -> f64| {
        points.iter().copied().reduce(|a, b| if key(&b) > key(&a) { b } else { a }).unwrap_or_default()
    };
    let mut centres = [(0.0, 0.0), largest(|point| point.0), largest(|point| point.1)];
    let mut nearest = vec![0usize; points.len()];
    for _ in 0..MAX_ROUNDS {
        let mut is_settled = true;
        for (cluster, point) in nearest.iter_mut().zip(points) {
            let closest = closest(&centres, *point);
            is_settled &= *cluster == closest;
            *cluster = closest;
        }
        for (number, centre) in centres.iter_mut().enumerate().skip(1) {
            let members =
                || nearest.iter().zip(points).filter(|(cluster, _)| **cluster == number).map(|(_, point)| point);
            let size = members().count();
            if size > 0 {
                let sum = members().fold((0.0, 0.0), |sum, point| (sum.0 + point.0, sum.1 + point.1));
                *centre = (sum.0 / size as f64, sum.1 / size as f64);
            }
        }
        if is_settled {
            break;
        }
    }
    nearest.into_iter().map(|cluster| cluster != 0).collect()
}

/// The number of the nearest centre; of equally near ones the first.
fn closest(centres: &[(f64, f64); 3], point: (f64, f64)) -> usize {
    let distance = |centre: (f64, f64)| (point.0 - centre.0).powi(2) + (point.1 - centre.1).powi(2);
    let mut best = 0;
    for number in 1..centres.len() {
        if distance(centres[number]) < distance(centres[best]) {
            best = number;
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::main_block::cnr::tests::{FOX_NEWS, IEEE};
    use crate::testing::{by_id, page, words};

    fn keeps(page: &Page, settings: &Settings, id: &str) -> bool {
        let choice = choose(page, settings);
        let node = by_id(page, id);
        choice.kept.iter().any(|&kept| page.contains(node, kept) || page.contains(kept, node))
    }

    #[test]
    fn tag_ratios_are_characters_over_tags_of_a_line() {
        let page = page("<body><p>ab <b>c</b>\nd e\n\n<i></i></body>");
        let (lines, _) = read_lines(&page);
        // <html> <head> </head> <body> <p> <b> </b>, then a line of text, an empty one, and the rest.
        assert_eq!(lines.len(), 4);
        assert_eq!(lines[0], Line { chars: 3, tags: 7 });
        assert!((lines[1].ratio() - 2.0).abs() < 1e-12);
        assert_eq!(lines[2], Line::default());
    }

    #[test]
    fn smoothing_keeps_the_sum_inside_and_spreads_it() {
        let smoothed = smooth(&[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]);
        assert!((smoothed.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        assert!(smoothed[3] > smoothed[2] && smoothed[2] > smoothed[1] && smoothed[1] > 0.0);
    }

    #[test]
    fn the_footers_of_the_papers_pages_join_the_text() {
        // The failure that López et al. show on a page of the IEEE (Figure 2) and on one of Fox News (Figure 3 of the other
        // paper), and that CNR does not have.
        for (html, text, footer) in [(IEEE, "maincontent", "footer"), (FOX_NEWS, "article-text", "section-footer")] {
            let page = page(html);
            let settings = Settings { clustering: Clustering::Threshold, ..Settings::default() };
            assert!(keeps(&page, &settings, text), "{text}");
            assert!(keeps(&page, &settings, footer), "{footer}");
        }
    }

    #[test]
    fn a_page_on_one_line_has_nothing_to_tell_apart() {
        let text = words(80);
        let menu = "<li><a href=/x>menu</a></li>\n".repeat(20);
        let html =
            format!("<ul id=menu>\n{menu}</ul>\n<div id=text>\n<p>{text}</p>\n<p>{text}</p>\n<p>{text}</p>\n</div>");
        let lines = page(&html);
        assert!(!keeps(&lines, &Settings::default(), "menu"));
        assert!(keeps(&lines, &Settings::default(), "text"));
        let minified = page(&html.replace('\n', ""));
        assert!(keeps(&minified, &Settings::default(), "menu"));
        assert!(keeps(&minified, &Settings::default(), "text"));
    }
}
