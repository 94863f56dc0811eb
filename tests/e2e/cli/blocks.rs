//! `gleaner blocks`: the blocks of a page, and which are kept.

use crate::harness::program::{folder, gleaner};

fn page_of_blocks() -> String {
    let words = "The quick brown fox jumps over the lazy dog near the river bank. ";
    let menu = "<ul>".to_owned() + &"<li><a href=/x>Entry</a>".repeat(5) + "</ul>";
    format!(
        "<!doctype html><title>T</title><body>{menu}<div><div id=large><p>{0}</p><p>{0}</p></div></div>\
         <div><div id=small><p>Smaller {1}</p><p>{1}</p></div></div><script>go()</script>",
        words.repeat(20),
        words.repeat(2)
    )
}

#[test]
fn blocks_come_as_a_table_as_json_and_as_a_marked_page() {
    let dir = folder();
    let told = |arguments: &[&str]| {
        let output = gleaner(dir.path(), arguments, page_of_blocks());
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let table = told(&["blocks"]);
    assert!(table.contains("as a text") && table.contains("1  ███"), "{table}");
    assert!(table.contains("menu   links"), "{table}");
    let json: serde_json::Value =
        serde_json::from_str(&told(&["blocks", "-", "--format", "json", "--main-block", "cnr"])).unwrap();
    let blocks = json["blocks"].as_array().unwrap();
    assert!(blocks[0]["share"].as_f64() > blocks[1]["share"].as_f64());
    assert!(blocks[1]["start"].as_str().unwrap().starts_with("Smaller"));
    assert_eq!(json["menus"][0]["links"], 5);
    let tree = told(&["blocks", "--format", "tree"]);
    assert!(tree.starts_with("  chars  counted   nodes    ratio  block"), "{tree}");
    assert!(tree.contains("  body") && tree.contains("counted over nodes"), "{tree}");
    let rows = json["tree"].as_array().unwrap();
    assert!(rows[0]["label"].as_str().unwrap().starts_with("body"));
    assert!(rows.iter().any(|row| row["ratio"].as_f64() > rows[0]["ratio"].as_f64()));
    let html = told(&["blocks", "--format", "html", "--url", "https://a.example/b"]);
    assert!(html.contains("data-gleaner-block=\"1\""), "{html}");
    assert!(html.contains("<base href=\"https://a.example/b\">"), "{html}");
    assert!(!html.contains("<script"), "{html}");
}

#[test]
fn blocks_are_limited_and_found_by_any_algorithm() {
    let dir = folder();
    for name in ["cnr", "core_ex_mended", "text_density"] {
        let arguments = ["blocks", "--format", "json", "--limit", "1", "--main-block", name];
        let output = gleaner(dir.path(), &arguments, page_of_blocks());
        let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(json["blocks"].as_array().unwrap().len(), 1, "{name}");
    }
}

#[test]
fn extract_takes_another_algorithm_by_its_name() {
    let dir = folder();
    let text = |name| {
        let arguments = ["extract", "--format", "text", "--main-block", name];
        String::from_utf8(gleaner(dir.path(), &arguments, page_of_blocks()).stdout).unwrap()
    };
    assert!(!text("cnr").contains("Smaller"));
    assert!(text("none").contains("Smaller"));
    assert!(text("none").contains("Entry"));
}

#[test]
fn an_unknown_algorithm_is_answered_by_the_names() {
    let dir = folder();
    for command in ["extract", "blocks"] {
        let output = gleaner(dir.path(), &[command, "--main-block", "nonesuch"], "");
        assert_eq!(output.status.code(), Some(64));
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(message.contains("expected one of") && message.contains("core_ex"), "{message}");
    }
}

#[test]
fn errors_of_blocks_name_the_file() {
    let dir = folder();
    std::fs::write(dir.path().join("broken.html"), [0x1f, 0x8b, 1]).unwrap();
    std::fs::write(dir.path().join("frames.html"), "<frameset><frame src=a>").unwrap();
    for (file, expected) in [("none.html", 66), ("broken.html", 65), ("frames.html", 65)] {
        let output = gleaner(dir.path(), &["blocks", file], "");
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(message.contains(&format!("{file}: ")), "{message}");
        assert_eq!(output.status.code(), Some(expected), "{message}");
    }
}

#[test]
fn blocks_and_extract_tell_one_kind() {
    let dir = folder();
    let page = "<meta name=generator content='phpBB 3'><title>T</title><p>Text";
    let told = |command: &str| -> serde_json::Value {
        let output = gleaner(dir.path(), &[command, "--format", "json"], page);
        serde_json::from_slice(&output.stdout).unwrap()
    };
    assert_eq!(told("extract")["kind"], "forum");
    assert_eq!(told("blocks")["kind"], "forum");
    let table = gleaner(dir.path(), &["blocks"], page).stdout;
    assert!(String::from_utf8(table).unwrap().starts_with("Kind: forum"));
}

#[test]
fn blocks_tell_no_kind_of_an_empty_page() {
    let dir = folder();
    let table = gleaner(dir.path(), &["blocks"], "<body></body>").stdout;
    let table = String::from_utf8(table).unwrap();
    assert!(table.contains("no text"), "{table}");
    assert!(!table.contains("Kind:"), "{table}");
}

#[test]
fn blocks_of_nothing_are_refused_with_what_is_expected() {
    let dir = folder();
    for (arguments, expected) in [
        (["blocks", "--limit", "0"], "1 or more"),
        (["blocks", "--main-block", "none"], "chooses no block"),
        (["blocks", "--main-block", "crunch"], "chooses no block"),
    ] {
        let output = gleaner(dir.path(), &arguments, page_of_blocks());
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(message.contains(expected), "{message}");
        assert_eq!(output.status.code(), Some(64), "{message}");
    }
}
