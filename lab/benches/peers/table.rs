//! Figures beside their targets.

/// The middle one.
pub fn median(figures: &[f64]) -> f64 {
    let mut sorted = figures.to_vec();
    sorted.sort_by(f64::total_cmp);
    match sorted.len() {
        0 => f64::NAN,
        count if count % 2 == 1 => sorted[count / 2],
        count => f64::midpoint(sorted[count / 2 - 1], sorted[count / 2]),
    }
}

/// Whose turn it is in a round: who follows whom changes, so that nobody always runs with the other's caches.
pub fn turns(count: usize, round: usize) -> impl Iterator<Item = usize> {
    (0..count).map(move |turn| match round % 2 {
        0 => turn,
        _ => count - 1 - turn,
    })
}

/// One line of the table: what was measured, the figure, and how far it may go.
pub struct Line {
    pub what: String,
    pub figure: f64,
    pub target: Target,
    pub unit: &'static str,
}

#[derive(Clone, Copy)]
pub enum Target {
    AtMost(f64),
    AtLeast(f64),
    /// For comparison only.
    None,
}

/// Prints the lines as a table that can be pasted into `docs/performance.md`.
pub fn print(lines: &[Line]) {
    println!("\n| measured | figure | target | |\n|---|---|---|---|");
    for line in lines {
        let (target, verdict) = match line.target {
            Target::AtMost(most) => (format!("at most {most}"), line.figure <= most),
            Target::AtLeast(least) => (format!("at least {least}"), line.figure >= least),
            Target::None => (String::new(), true),
        };
        let verdict = match line.target {
            Target::None => "",
            _ if verdict => "reached",
            _ => "**missed**",
        };
        println!(
            "| {} | {:.3} {} | {target} | {verdict} |",
            line.what, line.figure, line.unit
        );
    }
}
