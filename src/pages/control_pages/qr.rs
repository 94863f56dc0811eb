//! QR codes of addresses, for the camera of a phone: as SVG on our pages, and as text on a terminal.

use std::fmt::Write as _;

use maud::{Markup, PreEscaped, html};
use qrcode::{Color, EcLevel, QrCode, render::unicode::Dense1x2};

/// Light modules around a code (ISO/IEC 18004 § 6.3.8).
const QUIET_ZONE: usize = 4;

/// The code as an image of one path, dark on light whatever the theme: many cameras read no inverted code. Empty where the
/// text is too long for one.
pub(crate) fn svg(text: &str) -> Markup {
    let Some(code) = code(text) else { return html! {} };
    let width = code.width();
    let size = width + 2 * QUIET_ZONE;
    let mut path = String::new();
    for (index, color) in code.to_colors().into_iter().enumerate() {
        if color == Color::Dark {
            let (x, y) = (index % width + QUIET_ZONE, index / width + QUIET_ZONE);
            // Writing to a string cannot fail.
            let _ = write!(path, "M{x} {y}h1v1h-1z");
        }
    }
    html! {
        svg.qr xmlns="http://www.w3.org/2000/svg" viewBox={ "0 0 " (size) " " (size) } role="img"
            aria-label={ "QR code of " (text) } shape-rendering="crispEdges" {
            (PreEscaped(format!("<path fill=\"#fff\" d=\"M0 0h{size}v{size}H0z\"/><path d=\"{path}\"/>")))
        }
    }
}

/// The code for a terminal, two modules to a character: black on white by control sequences (ECMA-48 § 8.3.117), whatever the
/// terminal's own colours are.
pub(crate) fn text(text: &str) -> Option<String> {
    let rows = code(text)?.render::<Dense1x2>().build();
    Some(rows.lines().flat_map(|row| ["\x1b[30;107m", row, "\x1b[0m\n"]).collect())
}

fn code(text: &str) -> Option<QrCode> {
    QrCode::with_error_correction_level(text, EcLevel::L).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_drawn_with_its_quiet_zone() {
        let drawn = svg("http://192.168.1.5:8118/").0;
        assert!(drawn.contains("viewBox=\"0 0 33 33\""), "{drawn}");
        // The finder pattern's corner, inside the quiet zone.
        assert!(drawn.contains("M4 4h1v1h-1z") && !drawn.contains("M3 "), "{drawn}");
        let rows = text("http://192.168.1.5:8118/").unwrap();
        // The edge of a finder pattern below the quiet zone.
        assert!(rows.lines().nth(2).unwrap().starts_with("\u{1b}[30;107m    █▀▀▀▀▀█ "), "{rows}");
        assert!(text(&"x".repeat(5000)).is_none());
    }
}
