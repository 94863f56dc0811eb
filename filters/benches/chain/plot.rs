//! Cost against size as a picture: both axes logarithmic, so that what is linear is a straight line of slope one.

use std::fmt::Write as _;

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 400.0;
const MARGIN: f64 = 60.0;
/// Decades that are shown: bytes from 10⁴ to 10⁷, milliseconds from 10⁻² to 10².
const BYTES: (f64, f64) = (4.0, 7.0);
const MS: (f64, f64) = (-2.0, 2.0);

/// The picture of points of bytes and milliseconds.
pub(crate) fn svg(points: &[(f64, f64)]) -> String {
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
    );
    let lines = [(4, "10 KB"), (5, "100 KB"), (6, "1 MB"), (7, "10 MB")];
    for (decade, name) in lines {
        let x = x(10f64.powi(decade));
        let bottom = HEIGHT - MARGIN;
        let _ = writeln!(
            out,
            "<path d=\"M{x:.1} {MARGIN}V{bottom}\" stroke=\"#ddd\"/><text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{name}</text>",
            bottom + 18.0
        );
    }
    for (decade, name) in [(-2, "0.01 ms"), (-1, "0.1 ms"), (0, "1 ms"), (1, "10 ms"), (2, "100 ms")] {
        let y = y(10f64.powi(decade));
        let right = WIDTH - MARGIN;
        let _ = writeln!(
            out,
            "<path d=\"M{MARGIN} {y:.1}H{right}\" stroke=\"#ddd\"/><text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{name}</text>",
            MARGIN - 6.0,
            y + 4.0
        );
    }
    let mut path = String::new();
    for (at, (bytes, ms)) in points.iter().enumerate() {
        let (x, y) = (x(*bytes), y(*ms));
        let _ = write!(path, "{}{x:.1} {y:.1}", if at == 0 { 'M' } else { 'L' });
        let _ = writeln!(out, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\" fill=\"#06c\"/>");
    }
    let _ = writeln!(out, "<path d=\"{path}\" fill=\"none\" stroke=\"#06c\" stroke-width=\"2\"/>");
    let _ = writeln!(
        out,
        "<text x=\"{}\" y=\"30\" text-anchor=\"middle\" font-size=\"15\">CPU time of the whole chain against the size of a page</text>\n</svg>",
        WIDTH / 2.0
    );
    out
}

fn x(bytes: f64) -> f64 {
    MARGIN + (bytes.log10() - BYTES.0) / (BYTES.1 - BYTES.0) * (WIDTH - 2.0 * MARGIN)
}

fn y(ms: f64) -> f64 {
    HEIGHT - MARGIN - (ms.log10() - MS.0) / (MS.1 - MS.0) * (HEIGHT - 2.0 * MARGIN)
}
