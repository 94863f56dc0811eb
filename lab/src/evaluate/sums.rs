//! Sums and means over pages, and how sure a difference of means is.

use std::collections::{BTreeMap, HashMap};

use super::score::{PageScores, Score, Share};

/// Word F1 from which a title counts as found: the reference without the site's name, or with a subtitle, is the same title.
const TITLE_FOUND: f64 = 0.5;

/// Sums over the pages of one contestant.
#[derive(Default)]
pub(super) struct Sums {
    pub(super) pages: usize,
    precision: f64,
    recall: f64,
    f1: f64,
    /// Pages whose references could be mapped to nodes.
    pub(super) mapped: usize,
    nodes: [f64; 4],
    required: Share,
    forbidden: Share,
    titles: Share,
    cpu_ms: f64,
    choice_ms: f64,
    pub(super) harmed: usize,
    pub(super) empty: usize,
    pub(super) failed: usize,
    pub(super) selected: usize,
    pub(super) passed: BTreeMap<&'static str, usize>,
}

/// Means over the pages of one contestant.
pub(super) struct Means {
    pub(super) f1: f64,
    pub(super) precision: f64,
    pub(super) recall: f64,
    pub(super) node_precision: f64,
    pub(super) node_recall: f64,
    pub(super) text_precision: f64,
    pub(super) text_recall: f64,
    /// Share of the required snippets that was kept, and of the forbidden ones.
    pub(super) required: f64,
    pub(super) forbidden: f64,
    /// Share of the known titles that was found.
    pub(super) title: f64,
    pub(super) cpu_ms: f64,
    pub(super) choice_ms: f64,
}

impl Sums {
    /// The sums of one contestant, by its number.
    pub(super) fn from_pages(pages: &[&PageScores], number: usize) -> Sums {
        let mut sums = Sums::default();
        for page in pages {
            sums.add(&page.scores[number]);
        }
        sums
    }

    fn add(&mut self, score: &Score) {
        self.pages += 1;
        self.precision += score.precision;
        self.recall += score.recall;
        self.f1 += score.f1;
        if let Some(nodes) = score.nodes {
            self.mapped += 1;
            let scores = [nodes.precision, nodes.recall, nodes.text_precision, nodes.text_recall];
            for (sum, score) in self.nodes.iter_mut().zip(scores) {
                *sum += score;
            }
        }
        self.required.add(score.required);
        self.forbidden.add(score.forbidden);
        if let Some(title) = score.title {
            self.titles.add(Share { found: usize::from(title >= TITLE_FOUND), of: 1 });
        }
        self.cpu_ms += score.cpu_ms;
        self.choice_ms += score.choice_ms;
        self.harmed += usize::from(score.harmed);
        self.empty += usize::from(score.empty);
        self.failed += usize::from(score.failed);
        self.selected += usize::from(score.selected);
        if let Some(reason) = score.passed {
            *self.passed.entry(reason).or_default() += 1;
        }
    }

    pub(super) fn means(&self) -> Means {
        let of_pages = |total: f64| total / self.pages.max(1) as f64;
        let of_mapped = self.nodes.map(|total| total / self.mapped.max(1) as f64);
        let [node_precision, node_recall, text_precision, text_recall] = of_mapped;
        Means {
            f1: of_pages(self.f1),
            precision: of_pages(self.precision),
            recall: of_pages(self.recall),
            node_precision,
            node_recall,
            text_precision,
            text_recall,
            required: self.required.value(),
            forbidden: self.forbidden.value(),
            title: self.titles.value(),
            cpu_ms: of_pages(self.cpu_ms),
            choice_ms: of_pages(self.choice_ms),
        }
    }
}

impl Share {
    fn add(&mut self, other: Share) {
        self.found += other.found;
        self.of += other.of;
    }

    fn value(self) -> f64 {
        self.found as f64 / self.of.max(1) as f64
    }
}

/// Mean of the pages' differences in F1 to the first contestant, and its standard error.
///
/// Pages of one domain fare alike, so the error is that of a mean over clusters (Liang, Zeger 1986; Cameron, Miller 2015,
/// § II): the residuals of a domain are added up before they are squared, with the factor G / (G - 1) for few clusters.
pub(super) fn difference(pages: &[PageScores], number: usize) -> (f64, f64) {
    let difference = |page: &PageScores| page.scores[number].f1 - page.scores[0].f1;
    let count = pages.len().max(1) as f64;
    let mean = pages.iter().map(difference).sum::<f64>() / count;
    let mut residuals: HashMap<&str, f64> = HashMap::new();
    for page in pages {
        *residuals.entry(&page.domain).or_default() += difference(page) - mean;
    }
    let clusters = residuals.len() as f64;
    let mut squares: Vec<f64> = residuals.values().map(|sum| sum * sum).collect();
    // The order of a hash map must not reach the last digit.
    squares.sort_by(f64::total_cmp);
    let correction = clusters / (clusters - 1.0).max(1.0);
    let variance = correction * squares.iter().sum::<f64>() / (count * count);
    (mean, variance.sqrt())
}

/// The page types in the order of the alphabet.
pub(super) fn types(pages: &[PageScores]) -> Vec<&str> {
    let mut types: Vec<&str> = pages.iter().map(|page| page.page_type.as_str()).collect();
    types.sort_unstable();
    types.dedup();
    types
}

/// The pages of a type; all of them without one.
pub(super) fn pages_of_type<'a>(pages: &'a [PageScores], name: Option<&str>) -> Vec<&'a PageScores> {
    pages.iter().filter(|page| name.is_none_or(|name| page.page_type == name)).collect()
}

/// The pages with the lowest F1 of a contestant, by its number; the lowest first, of equals the first.
pub(super) fn worst(pages: &[PageScores], number: usize, count: usize) -> Vec<usize> {
    let f1 = |at: usize| pages[at].scores[number].f1;
    let mut sorted: Vec<usize> = (0..pages.len()).collect();
    sorted.sort_by(|&a, &b| f1(a).total_cmp(&f1(b)));
    sorted.truncate(count);
    sorted
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in super::super) fn page(domain: &str, f1: [f64; 2]) -> PageScores {
        let score = |f1| Score {
            precision: f1,
            recall: f1,
            f1,
            harmed: f1 < 0.5,
            nodes: None,
            required: Share { found: 1, of: 2 },
            forbidden: Share { found: 0, of: 1 },
            title: Some(f1),
            empty: false,
            selected: true,
            passed: None,
            failed: false,
            cpu_ms: 2.0,
            choice_ms: 0.5,
        };
        PageScores {
            id: format!("{domain}-{}", f1[0]),
            page_type: "article".to_owned(),
            domain: domain.to_owned(),
            scores: f1.into_iter().map(score).collect(),
        }
    }

    #[test]
    fn pages_of_one_domain_are_one_observation() {
        // Differences .2 and -.2 twice each; alone, the error is that of four pages.
        let alone: Vec<PageScores> = [("a", 0.2), ("b", 0.2), ("c", -0.2), ("d", -0.2)]
            .map(|(domain, difference)| page(domain, [0.5, 0.5 + difference]))
            .into();
        let (mean, error) = difference(&alone, 1);
        assert!(mean.abs() < 1e-12);
        // Variance .16 / 3, over 4 pages.
        assert!((error - (0.16_f64 / 3.0 / 4.0).sqrt()).abs() < 1e-12);
        // Two domains that agree within themselves: sums .4 and -.4, squared, times 2, over 16.
        let together: Vec<PageScores> = [("a", 0.2), ("a", 0.2), ("b", -0.2), ("b", -0.2)]
            .map(|(domain, difference)| page(domain, [0.5, 0.5 + difference]))
            .into();
        let (_, error) = difference(&together, 1);
        assert!((error - (2.0 * 0.32_f64 / 16.0).sqrt()).abs() < 1e-12);
    }

    #[test]
    fn means_are_over_pages_and_shares_over_snippets() {
        let pages = [page("a", [0.4, 1.0]), page("b", [0.8, 1.0])];
        let sums = Sums::from_pages(&pages_of_type(&pages, None), 0);
        let means = sums.means();
        assert!((means.f1 - 0.6).abs() < 1e-12);
        assert!((means.required - 0.5).abs() < 1e-12);
        assert!((means.title - 0.5).abs() < 1e-12, "one of two titles is found");
        assert_eq!((sums.pages, sums.harmed, sums.mapped), (2, 1, 0));
        assert_eq!(worst(&pages, 0, 1), [0]);
        assert_eq!(worst(&pages, 1, 9), [0, 1]);
    }
}
