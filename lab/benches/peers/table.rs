//! Figures beside their targets.

/// The middle one.
pub(crate) fn median(figures: &[f64]) -> f64 {
    let mut sorted = figures.to_vec();
    sorted.sort_by(f64::total_cmp);
    match sorted.len() {
        0 => f64::NAN,
        count if count % 2 == 1 => sorted[count / 2],
        count => f64::midpoint(sorted[count / 2 - 1], sorted[count / 2]),
    }
}

/// The order of a round: reversed every other round, so that none always runs on the caches that the same other left.
pub(crate) fn turns(count: usize, round: usize) -> impl Iterator<Item = usize> {
    (0..count).map(move |turn| match round % 2 {
        0 => turn,
        _ => count - 1 - turn,
    })
}

/// One line of the table: what was measured, and the figure beside its bound.
pub(crate) struct Line {
    pub(crate) what: String,
    pub(crate) figure: f64,
    pub(crate) unit: &'static str,
    pub(crate) at_most: Option<f64>,
}

/// Prints the lines as a table that can be pasted into `docs/performance.md`.
pub(crate) fn print(lines: &[Line]) {
    println!("\n| measured | figure | at most | |\n|---|---|---|---|");
    for line in lines {
        let (bound, verdict) = match line.at_most {
            Some(most) if line.figure <= most => (most.to_string(), "holds"),
            Some(most) => (most.to_string(), "**missed**"),
            None => (String::new(), ""),
        };
        println!("| {} | {:.2} {} | {bound} | {verdict} |", line.what, line.figure, line.unit);
    }
}
