//! Pages made to hurt: the known shapes, and those we thought of. Shared by the tests of the limits, here and through the
//! proxy, and by `examples/shapes.rs`, which measures them.

/// A page's name and how it is made.
pub(crate) type Shape = (&'static str, fn() -> String);

/// Bytes that the proxy takes at most; the shapes fill about that much where more of them hurts more.
const LARGE: usize = 8 * 1024 * 1024 - 4096;

/// Every shape.
pub(crate) const SHAPES: &[Shape] = &[
    ("a_million_div", || page("<div>".repeat(1_000_000))),
    ("nested_b", || page("<b>".repeat(15_000))),
    ("nested_b_with_text", || page("<b>x".repeat(15_000))),
    ("font_and_p", || page(numbered(3_000, |n| format!("<font color={n}><p>")))),
    ("font_and_p_with_text", || page(numbered(3_000, |n| format!("<font color={n}><p>x")))),
    ("fonts_closed_then_paragraphs", || {
        let fonts = numbered(400, |n| format!("<p><font color={n}></p>"));
        page(fonts + &fill("<p>x", LARGE))
    }),
    ("a_hundred_thousand_attributes", || page(format!("<div {}>x", numbered(100_000, |n| format!("a{n}=1 "))))),
    ("attributes_without_end", || page(format!("<div {}", fill_numbered(|n| format!("a{n} "), LARGE)))),
    ("many_elements_with_many_attributes", || {
        let attributes = numbered(400, |n| format!("a{n} "));
        page(fill(&format!("<p {attributes}>x"), LARGE))
    }),
    ("same_attribute_again_and_again", || page(format!("<div {}>x", fill("a=1 ", LARGE)))),
    ("html_and_frameset", || page("<html><frameset>".repeat(50_000))),
    ("html_with_new_attributes", || page(fill_numbered(|n| format!("<html a{n}>"), LARGE))),
    ("body_with_new_attributes", || page(fill_numbered(|n| format!("<body a{n}>"), LARGE))),
    ("nested_lists", || page("<ul><li>".repeat(100_000))),
    ("nested_definitions", || page("<dl><dd>".repeat(100_000))),
    ("nested_tables", || page("<table><tr><td>".repeat(100_000))),
    ("tables_without_cells", || page("<table>".repeat(100_000))),
    ("nested_templates", || page("<template>".repeat(100_000))),
    ("nested_templates_and_tables", || page("<template><tr><td>".repeat(100_000))),
    ("nested_svg", || page(fill("<svg><foreignObject>", LARGE))),
    ("svg_groups", || page(format!("<svg>{}", "<g>".repeat(200_000)))),
    ("math_integration_points", || page(fill("<math><mi><p>", LARGE))),
    ("math_annotations", || page(fill("<math><annotation-xml encoding=text/html><svg><desc>", LARGE))),
    ("unclosed_everything", || {
        page(fill("<div><p><b><i><span><ul><li><table><tr><td><a href=x><form><select><option>", LARGE))
    }),
    ("foster_parenting", || page(fill("<table><a>", LARGE))),
    ("foster_parented_text", || page(format!("<table>{}", fill("x<b>", LARGE)))),
    ("foster_parented_siblings", || page(format!("<table>{}", fill("<br>x", LARGE)))),
    ("foster_parented_blocks", || page(format!("<table>{}", fill("<p></p>", LARGE)))),
    ("nested_select", || page(fill("<select><option><optgroup>", LARGE))),
    ("adoption_agency", || page(numbered(500, |n| format!("<b a={n}>")) + &fill("<div></b>", LARGE))),
    ("adoption_agency_again_and_again", || page(fill("<a><div></a>", LARGE))),
    ("adoption_of_many_children", || page(format!("<b><div>{}{}", "<br>".repeat(200_000), fill("</b><b>", 400_000)))),
    ("noah", || page(fill("<a href=x>y<b><i>", LARGE))),
    ("noah_in_cells", || page(fill("<a href=x><table><tr><td>", LARGE))),
    ("end_tags_that_match_nothing", || page("<div>".repeat(400) + &fill("</x>", LARGE))),
    ("end_tags_under_formatting", || page(numbered(400, |n| format!("<b a={n}>")) + &fill("</i>", LARGE))),
    ("paragraph_ends", || page("<i>".repeat(3) + &"<span>".repeat(400) + &fill("</p>", LARGE))),
    ("list_items_under_spans", || page(format!("<ul>{}{}", "<span>".repeat(400), fill("<li>", LARGE)))),
    ("headings_in_headings", || page("<h1><div>".repeat(250) + &fill("word <br>", LARGE))),
    ("huge_text", || page(fill("word ", LARGE))),
    ("huge_word", || page("x".repeat(LARGE))),
    ("huge_comment", || page(format!("<!--{}", "x".repeat(LARGE)))),
    ("comment_of_dashes", || page(format!("<!--{}", "-".repeat(LARGE)))),
    ("comment_that_nearly_ends", || page(format!("<!--{}", fill("--!", LARGE)))),
    ("many_comments", || page(fill("<!---->", LARGE))),
    ("huge_attribute_value", || page(format!("<p title=\"{}\">x", "y".repeat(LARGE)))),
    ("huge_attribute_name", || page(format!("<p {}>x", "y".repeat(LARGE)))),
    ("huge_tag_name", || page(format!("<{}>x", "y".repeat(LARGE)))),
    ("huge_tag_name_copied", || page(format!("<p><b {}=1>{}", "y".repeat(100_000), fill("<p>x", 4_000_000)))),
    ("huge_attribute_copied", || {
        page(format!("<p><b title=\"{}\">{}", "y".repeat(1_000_000), fill("<p>x", 4_000_000)))
    }),
    ("huge_attributes_adopted", || {
        page(format!("<b title=\"{}\">{}", "y".repeat(1_000_000), fill("<div></b>", 4_000_000)))
    }),
    ("huge_doctype", || format!("<!DOCTYPE {}>{}", "x".repeat(LARGE / 2), page(String::new()))),
    ("entities", || page(fill("&CounterClockwiseContourIntegral;", LARGE))),
    ("entities_without_end", || page(fill("&CounterClockwiseContourIntegra", LARGE))),
    ("entities_in_attributes", || page(format!("<p title=\"{}\">x", fill("&amp", LARGE)))),
    ("numeric_entities", || page(fill("&#1114111;", LARGE))),
    ("endless_numeric_entity", || page(format!("&#{}", "9".repeat(LARGE)))),
    ("ampersands", || page("&".repeat(LARGE))),
    ("less_thans", || page("<".repeat(LARGE))),
    ("plaintext", || page(format!("<plaintext>{}", fill("<b>", LARGE)))),
    ("null_bytes", || page("\0".repeat(LARGE))),
    ("null_bytes_in_a_table", || page(format!("<table>{}", "\0".repeat(LARGE)))),
    ("null_bytes_in_svg", || page(format!("<svg>{}", "\0".repeat(LARGE)))),
    ("white_space_in_a_table", || page(format!("<table>{}", fill(" \n", LARGE)))),
    ("carriage_returns", || page("\r".repeat(LARGE))),
    ("unclosed_script", || page(format!("<script>{}", fill("<!--<script>", LARGE)))),
    ("unclosed_title", || page(format!("<title>{}", fill("&lt;</titl", LARGE)))),
    ("unclosed_textarea", || page(format!("<textarea>{}", fill("</textare", LARGE)))),
    ("many_scripts", || page(fill("<script></script>", LARGE))),
    ("cdata", || page(format!("<svg><![CDATA[{}", fill("]]", LARGE)))),
    ("frames", || format!("<title>x</title><frameset>{}", fill("<frame>", LARGE))),
    ("nested_framesets", || format!("<title>x</title>{}", fill("<frameset>", LARGE))),
    ("forms_in_forms", || page(fill("<form></form><form>", LARGE))),
    ("buttons_in_buttons", || page(fill("<button>", LARGE))),
    ("nobr_in_nobr", || page(fill("<nobr>", LARGE))),
    ("ruby", || page(fill("<ruby><rb><rt><rtc><rp>", LARGE))),
    ("optgroups", || page(format!("<select>{}", fill("<option><optgroup>", LARGE)))),
    ("objects_with_markers", || page(fill("<object><b>", LARGE))),
    // What hurts filters and not the parser: pages within every limit.
    ("images_in_a_row", || page("<img src=a.png>".repeat(380_000))),
    ("images_in_a_row_with_spaces", || page("<img src=a.png> ".repeat(190_000))),
    ("hidden_in_hidden", || page("<div hidden>".repeat(500) + &"<br>word word".repeat(190_000))),
    ("tables_within_tables_of_nothing", || page("<table><tr><td>".repeat(120) + &"<br>".repeat(380_000))),
    ("many_empty_tables", || page(fill("<table></table>", 15 * 95_000))),
    ("links_in_cells_of_links", || page("<a href=x><table><tr><td>".repeat(80) + &fill("word ", LARGE / 2))),
    ("links_in_links_of_svg", || {
        page(format!(
            "<div hidden><svg>{}{}</div>{}",
            "<a href=x>".repeat(490),
            "word ".repeat(400_000),
            fill("words ", 6_000_000)
        ))
    }),
    ("links_and_a_huge_base", || {
        let base = "b".repeat(2_000_000);
        format!(
            "<title>x</title><base href=\"https://x.example/{base}/\">{}",
            page("<a href=c>word</a>".repeat(130_000))
        )
    }),
    ("links_and_a_long_base", || {
        let base = "b".repeat(8_000);
        format!(
            "<title>x</title><base href=\"https://x.example/{base}/\">{}",
            page("<a href=c>word</a>".repeat(130_000))
        )
    }),
    ("odd_links_and_a_huge_base", || {
        let base = "b".repeat(2_000_000);
        format!(
            "<title>x</title><base href=\"https://x.example/{base}/\">{}",
            page("<a href='http:c'>word</a>".repeat(130_000))
        )
    }),
    ("removed_links_by_the_thousand", || {
        page(numbered(60_000, |n| format!("<ul><li><a href=/{n}>word</a><li><a href=/x{n}>x</a></ul>")))
    }),
    ("headings_and_a_huge_title", || {
        format!("<title>{}</title>{}", "aab".repeat(700_000), page("<h1>aa</h1>".repeat(120_000)))
    }),
    ("huge_headings", || format!("<title>x</title>{}", page("<h1><div>".repeat(240) + &fill("word ", LARGE)))),
    ("link_lists_in_link_lists", || {
        page(
            "<div><a href=x>x</a><a href=y>y</a>".repeat(500)
                + &"<ul><li><a href=x>x</a><li><a href=y>y</a></ul>".repeat(40_000),
        )
    }),
    ("paragraphs", || page("<p>one two three".repeat(190_000))),
    ("flat_elements", || page("<br>".repeat(390_000))),
    ("metas", || format!("<title>x</title>{}", "<meta name=x content=y>".repeat(300_000)) + &page(String::new())),
    ("metas_after_the_head", || page("<meta name=x content=y>".repeat(300_000))),
    ("sets_of_images", || page(format!("<img data-srcset=\"{}\">", fill("a b,", LARGE)))),
    ("styles_that_do_not_hide", || page(format!("<p style=\"{}\">x", fill("a:b;", LARGE)))),
    ("lazy_images_with_many_attributes", || {
        page(fill(&format!("<img {}>", numbered(200, |n| format!("data-a{n}=/x.png "))), LARGE))
    }),
    ("noscripts_after_images", || page("<img><noscript><img src=x></noscript>".repeat(90_000))),
    ("pictures_of_images", || page(format!("<picture>{}", "<img>".repeat(380_000)))),
];

/// A document with enough text to be worth filtering.
fn page(mut middle: String) -> String {
    let words = "some words that are there to be read, ".repeat(20);
    let head = format!("<!DOCTYPE html><title>A page</title><body><p>{words}</p>");
    middle.insert_str(0, &head);
    middle
}

fn fill(part: &str, bytes: usize) -> String {
    part.repeat(bytes.saturating_sub(2048) / part.len())
}

pub(crate) fn numbered(count: usize, part: impl Fn(usize) -> String) -> String {
    (0..count).map(part).collect()
}

fn fill_numbered(part: impl Fn(usize) -> String, bytes: usize) -> String {
    let mut out = String::new();
    for n in 0.. {
        if out.len() + 2048 > bytes {
            break;
        }
        out.push_str(&part(n));
    }
    out
}
