//! `gleaner-lab evaluate` on a data set of three pages.

// Helpers are test code too, which the lint sees only inside of `#[test]` functions.
#![allow(clippy::unwrap_used)]

use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

use tempfile::TempDir;

const ARTICLE: &str = "The quick brown fox jumps over the lazy dog near the river bank and sleeps until noon. ";

/// Two pages that any algorithm reads, and one whose reference is not on the page.
fn dataset() -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    for folder in ["html", "ground-truth"] {
        fs::create_dir(dir.path().join(folder)).unwrap();
    }
    let text = ARTICLE.repeat(10);
    for (id, kind, domain, reference) in [
        ("0001", "article", "a.example", text.clone()),
        ("0002", "forum", "b.example", text.clone()),
        ("0003", "article", "a.example", "Words of another page altogether".to_owned()),
    ] {
        let menu = "<ul>".to_owned() + &"<li><a href=/x>Menu</a>".repeat(6) + "</ul>";
        let html = format!("<!doctype html><title>T</title><body><nav>{menu}</nav><main><p>{text}</p></main>");
        let truth = serde_json::json!({
            "url": format!("https://www.{domain}/{id}"),
            "_internal": { "page_type": { "primary": kind } },
            "ground_truth": { "title": "T", "main_content": reference, "with": ["quick  BROWN fox"], "without": ["Menu"] },
        });
        let html_file = dir.path().join("html").join(format!("{id}.html.gz"));
        fs::write(html_file, html).unwrap();
        let truth_file = dir.path().join("ground-truth").join(format!("{id}.json"));
        fs::write(truth_file, truth.to_string()).unwrap();
    }
    dir
}

fn run(dataset: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_gleaner-lab"))
        .arg("evaluate")
        .arg(dataset)
        .args(arguments)
        .current_dir(dataset.ancestors().find(|folder| folder.is_dir()).unwrap())
        .env("HOME", dataset)
        .env("XDG_CONFIG_HOME", dataset.join("none"))
        .output()
        .unwrap()
}

fn evaluate(dataset: &Path, arguments: &[&str]) -> String {
    let output = run(dataset, arguments);
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn algorithms_are_compared_page_by_page() {
    let dir = dataset();
    let table = evaluate(dir.path(), &["--bare", "--main-block", "cnr,none", "--json", "scores.json"]);
    assert!(table.contains("to first"), "{table}");
    let json = fs::read_to_string(dir.path().join("scores.json")).unwrap();
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["algorithms"], serde_json::json!(["cnr", "none"]));
    let page = &json["pages"][0];
    assert_eq!((&page["id"], &page["domain"]), (&"0001".into(), &"a.example".into()));
    let (cnr, none) = (&page["scores"][0], &page["scores"][1]);
    assert_eq!(cnr["f1"], 1.0);
    assert_eq!(
        cnr["nodes"],
        serde_json::json!({ "precision": 1.0, "recall": 1.0, "text_precision": 1.0, "text_recall": 1.0 })
    );
    assert_eq!(cnr["required"], serde_json::json!({ "found": 1, "of": 1 }));
    assert_eq!(cnr["forbidden"], serde_json::json!({ "found": 0, "of": 1 }));
    assert_eq!(cnr["title"], 1.0);
    // The whole page: one text of seven belongs to the reference.
    assert_eq!(none["nodes"]["precision"], 1.0 / 7.0);
    // By words it weighs 170 of 176.
    let text_precision = none["nodes"]["text_precision"].as_f64().unwrap();
    assert!((text_precision - 170.0 / 176.0).abs() < 1e-9);
    assert_eq!(none["forbidden"]["found"], 1);
    assert!(none["cpu_ms"].as_f64().unwrap() > 0.0);
    // What is not on the page cannot be mapped to its nodes.
    assert!(json["pages"][2]["scores"][0].get("nodes").is_none());
}

#[test]
fn a_report_shows_the_worst_pages_and_plots_are_written() {
    let dir = dataset();
    let arguments =
        ["--bare", "--main-block", "all", "--dial", "--worst", "1", "--html", "report.html", "--plots", "plots"];
    let table = evaluate(dir.path(), &arguments);
    assert!(table.contains("dial +1.0") && table.contains("core_ex_r5"), "{table}");
    assert!(table.trim_end().ends_with("a.example"), "{table}");
    let report = fs::read_to_string(dir.path().join("report.html")).unwrap();
    assert!(report.contains("<mark class=\"missing\">Words of another page altogether</mark>"));
    assert!(report.contains("<svg") && !report.contains("<script"));
    // Of every algorithm the worst page, with the tree of its blocks.
    assert!(report.contains("worst of <code>cnr</code>") && report.contains("worst of <code>none</code>"));
    assert!(!report.contains("worst of <code>dial"));
    assert!(report.contains("<code>nav › ul</code>"), "{report}");
    for plot in ["recall-precision.svg", "cnr-dial.svg"] {
        let plot = fs::read_to_string(dir.path().join("plots").join(plot)).unwrap();
        assert!(plot.starts_with("<svg") && plot.ends_with("</svg>\n"));
    }
}

#[test]
fn pages_that_cannot_be_read_are_named_and_counted_and_the_rest_is_measured() {
    let dir = dataset();
    let path = |name: &str| dir.path().join(name);
    fs::write(path("ground-truth/0004.json"), "{").unwrap();
    fs::write(path("ground-truth/0005.json"), r#"{"_internal": 5, "ground_truth": {}}"#).unwrap();
    for id in ["0006", "0007"] {
        fs::copy(path("ground-truth/0001.json"), path(&format!("ground-truth/{id}.json"))).unwrap();
    }
    fs::write(path("html/0007.html.gz"), [0x1f, 0x8b, 8, 0, 1]).unwrap();
    fs::write(path("html/0008.html.gz"), "<p>Nobody has read this").unwrap();
    let arguments = ["--main-block", "cnr,none", "--json", "scores.json", "--html", "report.html", "--worst", "1"];
    let output = run(dir.path(), &arguments);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let (out, err) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    for file in [
        "ground-truth/0004.json: not an annotation of a page: EOF while parsing",
        "ground-truth/0005.json: not an annotation of a page: the key `ground_truth.main_content` is missing",
        "html/0006.html.gz: No such file",
        "html/0007.html.gz: broken gzip",
        "ground-truth/0008.json: No such file",
    ] {
        assert!(err.contains(file), "{file}: {err}");
    }
    assert!(err.contains("5 of 8 pages of the data set could not be read"), "{err}");
    assert!(out.contains("Failed: 5 pages"), "{out}");
    let json = fs::read_to_string(path("scores.json")).unwrap();
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["pages"].as_array().unwrap().len(), 3);
    assert_eq!(json["unread"].as_array().unwrap().len(), 5);
    let report = fs::read_to_string(path("report.html")).unwrap();
    assert!(report.contains("0004.json"));
}

#[test]
fn a_page_that_the_proxy_would_find_too_long_is_not_measured() {
    let dir = dataset();
    let config = dir.path().join("config.yaml");
    fs::write(&config, "rewrite: { max_html_bytes: 1024 }").unwrap();
    let long = dir.path().join("html/0001.html.gz");
    fs::write(long, ARTICLE.repeat(20)).unwrap();
    let output = run(dir.path(), &["--config", "config.yaml"]);
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(told.contains("0001.html.gz: the page has"), "{told}");
    assert!(told.contains("rewrite.max_html_bytes"), "{told}");
}

#[test]
fn a_folder_that_is_no_data_set_is_refused_with_the_expected_layout() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir_all(dir.path().join("bare/ground-truth")).unwrap();
    for folder in ["none", ".", "bare"] {
        let output = run(&dir.path().join(folder), &[]);
        let err = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{folder}: {err}");
        assert!(err.contains("expected a data set"), "{folder}: {err}");
    }
}

#[test]
fn mistyped_settings_are_answered_with_the_nearest_name() {
    let dir = dataset();
    for (arguments, words) in [
        (["--filters", "{main_blok: {}}"], "did you mean `main_block`?"),
        (["--main-block", "cetrr"], "did you mean `cetr`?"),
        (["--variant", "cnr"], "expected a name of its own and settings"),
        (["--variant", "x={main_blok: {}}"], "did you mean `main_block`?"),
        (["--variant", "x=cetrr"], "did you mean `cetr`?"),
        (["--every", "0"], "expected a whole number, 1 or more"),
    ] {
        let output = run(dir.path(), &arguments);
        let err = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success(), "{arguments:?}");
        assert!(err.contains(words), "{arguments:?}: {err}");
    }
}

#[test]
fn an_annotation_needs_nothing_but_the_text() {
    let dir = dataset();
    let path = |name: &str| dir.path().join(name);
    let truth = serde_json::json!({ "ground_truth": { "main_content": ARTICLE.repeat(10) } });
    fs::write(path("ground-truth/0001.json"), truth.to_string()).unwrap();
    let table = evaluate(dir.path(), &["--bare", "--main-block", "cnr", "--worst", "3"]);
    assert!(table.contains("  0001\n"), "it is a site of its own: {table}");
    assert!(table.contains("\nother        1  1.000"), "{table}");
}

#[test]
fn an_annotation_that_says_nothing_is_no_page_of_which_nothing_is_kept() {
    let dir = dataset();
    let path = |name: &str| dir.path().join(name);
    fs::write(path("ground-truth/0001.json"), r#"{"ground_truth":{}}"#).unwrap();
    fs::write(path("ground-truth/0002.json"), "[]").unwrap();
    let output = run(dir.path(), &["--bare", "--main-block", "cnr"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let err = String::from_utf8(output.stderr).unwrap();
    assert!(err.contains("0001.json: not an annotation of a page: the key `ground_truth.main_content`"), "{err}");
    assert!(err.contains("0002.json: not an annotation of a page: expected an object"), "{err}");
}

#[test]
fn a_report_that_could_not_be_written_is_refused_before_the_work() {
    let dir = dataset();
    let output = run(dir.path(), &["--html", "none/report.html"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(output.stdout.is_empty());
}
