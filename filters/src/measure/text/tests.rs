use super::*;

fn text(html: &str, max_line_breaks: usize) -> String {
    let mut parser = Parser::new(false, 512, 10_000);
    parser.feed(html).unwrap();
    let url = "https://example.org/".parse().unwrap();
    let page = Page::new(parser.finish().unwrap(), &url, false, 512).unwrap();
    from_subtree(&page, page.body(), max_line_breaks)
}

#[test]
fn paragraphs_are_set_off_and_white_space_collapses() {
    assert_eq!(text("<p>One \n two<b>three</b> four</p><p>Five<br>six</p>", 2), "One twothree four\n\nFive\nsix\n");
}

#[test]
fn a_cell_over_several_rows_keeps_its_place_in_each() {
    let html = "<table><tr><th rowspan=2>a<th colspan=2>b<th rowspan=9>c<tr><td>d<td>e<tr><td>f<td>g<td>h</table>";
    assert_eq!(text(html, 2), "a\tb\t\tc\n\td\te\nf\tg\th\n");
    let html = "<table><thead><tr><th rowspan=2>a<th>b<tbody><tr><td>c<td>d</table>";
    assert_eq!(text(html, 2), "a\tb\nc\td\n", "no further than its part of the table");
}

#[test]
fn a_formula_without_a_source_is_written_in_a_line() {
    let html = "<p>It is <math><mfrac><mn>1</mn><mn>2</mn></mfrac></math> of it.";
    assert_eq!(text(html, 2), "It is 1/2 of it.\n");
}

#[test]
fn no_more_line_breaks_stand_in_a_row_than_asked_for() {
    let html = "<h1>A</h1><br><br><br><p>B</p><div><div><p>C";
    assert_eq!(text(html, 1), "A\nB\nC\n");
    assert_eq!(text(html, 2), "A\n\nB\n\nC\n");
}

#[test]
fn code_keeps_its_lines_and_indentation() {
    assert_eq!(
        text("<p>See</p><pre>if a:\n    b()\n\n    c()\n</pre><p>end", 2),
        "See\n\nif a:\n    b()\n\n    c()\n\nend\n"
    );
}

#[test]
fn cells_stand_beside_each_other_and_rows_below() {
    assert_eq!(text("<table><tr><td>a<td>b<tr><td>c<td>d</table>", 2), "a\tb\nc\td\n");
}

#[test]
fn a_cell_of_a_table_of_data_is_one_line() {
    assert_eq!(
        text("<table><tr><th>River<th>From</tr><tr><td>Rhine<td>Aare<br>Mosel<p>Main</p></tr></table>", 2),
        "River\tFrom\nRhine\tAare Mosel Main\n"
    );
    let code = "<table><tr><th>a<th>b</tr><tr><td>x<td><pre>1\n2</pre></table>";
    assert_eq!(text(code, 1), "a\tb\nx\n1\n2\n");
}

#[test]
fn the_reading_of_a_character_stands_in_parentheses() {
    assert_eq!(
        text(
            "<p>The <ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp>字 <rt>ji</rt></ruby> and <ruby>東京<rt>とうきょう</rt></ruby>で",
            2
        ),
        "The 漢(kan)字(ji) and 東京(とうきょう)で\n"
    );
}

#[test]
fn a_quotation_has_its_marks() {
    assert_eq!(text("<p>Say <q>no </q>, <q>yes</q>", 2), "Say “no”, “yes”\n");
}

#[test]
fn what_a_browser_does_not_show_is_no_text() {
    let html = "<style>x</style><script>y</script>shown<template>z</template>\
                <select><option>o</select><textarea>t</textarea><svg><title>s</title></svg>";
    assert_eq!(text(html, 2), "shown\n");
}

#[test]
fn words_of_neighbouring_inline_elements_are_kept_apart_where_they_were() {
    assert_eq!(text("<a>one</a> <a>two</a><a>three</a>", 2), "one twothree\n");
}
