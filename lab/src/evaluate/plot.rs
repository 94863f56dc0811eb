//! The plots of `evaluate`, as SVG that is written by hand: a few hundred bytes a plot, and no library of plots.

use std::fmt::Write as _;

/// A contestant in the plot of recall against precision.
pub(super) struct Point {
    pub(super) name: String,
    pub(super) precision: f64,
    pub(super) recall: f64,
    pub(super) f1: f64,
}

/// CNR at one setting of its dial.
pub(super) struct DialPoint {
    pub(super) dial: f64,
    pub(super) precision: f64,
    pub(super) recall: f64,
    pub(super) f1: f64,
}

const WIDTH: f64 = 520.0;
const HEIGHT: f64 = 520.0;
const MARGIN: f64 = 56.0;
/// Room for the names beside the plot, and for one line of them.
const LEGEND: f64 = 220.0;
const LINE: f64 = 18.0;

/// Where the reader's system is dark, so is the plot; a style sheet's rule goes over an attribute.
const DARK: &str = "<style>@media(prefers-color-scheme:dark){svg{fill:#d5dade}rect{fill:#14181b}\
                    path[stroke=\"#ddd\"]{stroke:#333b41}}</style>\n";

/// Axes with a title each; values are mapped to pixels.
struct Axes {
    out: String,
    x: (f64, f64),
    y: (f64, f64),
    height: f64,
}

impl Axes {
    fn new(x: (f64, f64), y: (f64, f64), titles: [&str; 2], legend_lines: usize) -> Axes {
        let height = HEIGHT.max(2.0 * MARGIN + LINE * legend_lines as f64);
        let width = WIDTH + LEGEND;
        let mut axes = Axes {
            out: format!(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" \
                 font-size=\"12\" fill=\"#222\">\n{DARK}<rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>\n"
            ),
            x,
            y,
            height,
        };
        axes.ticks();
        let (middle_x, middle_y) = (WIDTH / 2.0, HEIGHT / 2.0);
        let (below, beside) = (HEIGHT - 14.0, 16.0);
        axes.text(middle_x, below, "middle", titles[0]);
        let _ = writeln!(
            axes.out,
            "<text transform=\"translate({beside} {middle_y}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
            titles[1]
        );
        axes
    }

    /// Five steps on each axis.
    fn ticks(&mut self) {
        const STEPS: u32 = 5;
        for step in 0..=STEPS {
            let part = f64::from(step) / f64::from(STEPS);
            let x = self.x.0 + part * (self.x.1 - self.x.0);
            let y = self.y.0 + part * (self.y.1 - self.y.0);
            let (at_x, at_y) = self.place(x, y);
            let (left, right) = (MARGIN, WIDTH - MARGIN);
            let (top, bottom) = (MARGIN, HEIGHT - MARGIN);
            let _ =
                writeln!(self.out, "<path d=\"M{at_x:.1} {top}V{bottom}M{left} {at_y:.1}H{right}\" stroke=\"#ddd\"/>");
            self.text(at_x, bottom + 18.0, "middle", &format!("{x:.2}"));
            self.text(left - 8.0, at_y + 4.0, "end", &format!("{y:.2}"));
        }
    }

    fn place(&self, x: f64, y: f64) -> (f64, f64) {
        let part = |value: f64, (low, high): (f64, f64)| (value - low) / (high - low);
        (MARGIN + part(x, self.x) * (WIDTH - 2.0 * MARGIN), HEIGHT - MARGIN - part(y, self.y) * (HEIGHT - 2.0 * MARGIN))
    }

    fn text(&mut self, x: f64, y: f64, anchor: &str, text: &str) {
        let text = text.replace('&', "&amp;").replace('<', "&lt;");
        let _ = writeln!(self.out, "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{text}</text>");
    }

    fn line(&mut self, points: impl Iterator<Item = (f64, f64)>, style: &str) {
        let mut path = String::new();
        for (x, y) in points {
            let (x, y) = self.place(x, y);
            let step = if path.is_empty() { 'M' } else { 'L' };
            let _ = write!(path, "{step}{x:.1} {y:.1}");
        }
        let _ = writeln!(self.out, "<path d=\"{path}\" fill=\"none\" {style}/>");
    }

    fn dot(&mut self, x: f64, y: f64, colour: &str) {
        let (x, y) = self.place(x, y);
        let _ = writeln!(self.out, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\" fill=\"{colour}\"/>");
    }

    /// A line of the legend, from the top.
    fn legend(&mut self, number: usize, colour: &str, text: &str) {
        let y = MARGIN + LINE * number as f64;
        let x = WIDTH - MARGIN + 24.0;
        let _ = writeln!(self.out, "<circle cx=\"{x:.1}\" cy=\"{:.1}\" r=\"4\" fill=\"{colour}\"/>", y - 4.0);
        self.text(x + 10.0, y, "start", text);
        debug_assert!(y <= self.height, "the legend has room");
    }

    fn finish(mut self) -> String {
        self.out.push_str("</svg>\n");
        self.out
    }
}

/// F1 below which a contestant stands in the legend only: one far corner would press all others together.
const SHOWN_F1: f64 = 0.3;

/// Where an axis begins: the tenth below the smallest value.
fn start(values: impl Iterator<Item = f64>) -> f64 {
    (values.fold(0.9, f64::min) * 10.0).floor() / 10.0
}

/// Recall against precision: a numbered dot for each contestant, curves of equal F1, the dial as a line.
pub(super) fn recall_precision(points: &[Point], dial: &[DialPoint]) -> String {
    let is_shown = |point: &Point| point.f1 >= SHOWN_F1;
    let shown = || points.iter().filter(|point| is_shown(point));
    let x = (start(shown().map(|point| point.precision)), 1.0);
    let y = (start(shown().map(|point| point.recall)), 1.0);
    let mut axes = Axes::new(x, y, ["precision", "recall"], points.len() + 1);
    for f1 in [0.5, 0.6, 0.7, 0.8, 0.9] {
        // Recall that a precision needs: F1 = 2PR / (P + R).
        let curve = (0..=100u32)
            .map(|step| f64::from(step) / 100.0)
            .filter(|&p| p > f1 / (2.0 - f1))
            .map(|p| (p, f1 * p / (2.0 * p - f1)))
            .filter(|&(p, r)| p >= x.0 && r >= y.0);
        axes.line(curve, "stroke=\"#9bb\" stroke-dasharray=\"3 3\"");
        let end = f1 / (2.0 - f1);
        if end >= y.0 {
            let (x, y) = axes.place(1.0, end);
            axes.text(x + 2.0, y + 4.0, "start", &format!("{f1:.1}"));
        }
    }
    if !dial.is_empty() {
        let line = dial.iter().map(|point| (point.precision, point.recall));
        axes.line(line, "stroke=\"#1a56b0\" stroke-width=\"1.5\"");
        axes.legend(points.len(), "#1a56b0", "line: the dial of CNR");
    }
    for (number, point) in points.iter().enumerate() {
        let colour = colour(number, points.len());
        let label = (number + 1).to_string();
        let mut text = format!("{label} {} {:.3}", point.name, point.f1);
        if is_shown(point) {
            axes.dot(point.precision, point.recall, &colour);
            let (x, y) = axes.place(point.precision, point.recall);
            axes.text(x + 6.0, y - 4.0, "start", &label);
        } else {
            text.push_str(" (not shown)");
        }
        axes.legend(number, &colour, &text);
    }
    axes.finish()
}

/// Precision, recall and F1 over the settings of CNR's dial.
pub(super) fn dial(points: &[DialPoint]) -> String {
    let title = "dial, from precision to recall";
    let mut axes = Axes::new((-1.0, 1.0), (0.0, 1.0), [title, ""], 3);
    let series = [("word F1", "#b3261e"), ("precision", "#1a56b0"), ("recall", "#2e7d32")];
    for (number, (name, colour)) in series.into_iter().enumerate() {
        let value = |point: &DialPoint| [point.f1, point.precision, point.recall][number];
        let line = points.iter().map(|point| (point.dial, value(point)));
        let style = format!("stroke=\"{colour}\" stroke-width=\"2\"");
        axes.line(line, &style);
        for point in points {
            axes.dot(point.dial, value(point), colour);
        }
        axes.legend(number, colour, name);
    }
    axes.finish()
}

/// Colours around the circle, so that neighbours in the legend differ.
fn colour(number: usize, of: usize) -> String {
    let hue = (number * 360) / of.max(1);
    format!("hsl({hue},65%,48%)")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dot_stands_where_its_values_are() {
        let point = Point { name: "a < b".to_owned(), precision: 0.5, recall: 1.0, f1: 0.667 };
        let svg = recall_precision(&[point], &[]);
        // The axis of precision begins at .5, that of recall at .9.
        assert!(svg.contains("cx=\"56.0\" cy=\"56.0\""), "{svg}");
        assert!(svg.contains("1 a &lt; b 0.667"));
        assert!(svg.ends_with("</svg>\n"));
    }

    #[test]
    fn a_contestant_far_off_stands_in_the_legend_only() {
        let point = |f1| Point { name: format!("of {f1}"), precision: 0.8, recall: 0.8, f1 };
        let svg = recall_precision(&[point(0.8), point(0.1)], &[]);
        assert!(svg.contains("2 of 0.1 0.100 (not shown)"), "{svg}");
        assert!(!svg.contains(">2</text>"));
    }

    #[test]
    fn the_dial_has_three_lines() {
        let points = [-1.0, 0.0, 1.0].map(|dial| DialPoint { dial, precision: 0.9, recall: 0.5, f1: 0.6 });
        assert_eq!(super::dial(&points).matches("stroke-width=\"2\"").count(), 3);
    }
}
