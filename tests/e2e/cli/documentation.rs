//! Files and links that comments and documents name exist, and a doc comment can be read without the lines above it.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// First words of a doc comment whose subject stands in another one.
const OPENERS: [&str; 11] =
    ["The same", "Those", "That", "Theirs", "Of", "As", "It", "They", "Others", "The others", "Likewise"];

/// The Rust sources and the documents of the repository, by their paths in it.
fn files() -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut paths = vec![root.join("README.md"), root.join("SECURITY.md"), root.join("CHANGELOG.md")];
    for folder in ["src", "filters", "lab", "tests", "fuzz", "docs"] {
        collect(&root.join(folder), &mut paths);
    }
    let read = |path: PathBuf| (path.strip_prefix(root).unwrap().to_owned(), fs::read_to_string(&path).unwrap());
    let files: Vec<_> = paths.into_iter().map(read).collect();
    assert!(files.len() > 400, "only {} files were found", files.len());
    files
}

fn collect(folder: &Path, paths: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.ends_with("target") {
            collect(&path, paths);
        } else if is(&path, "rs") || is(&path, "md") {
            paths.push(path);
        }
    }
}

fn is(path: &Path, ending: &str) -> bool {
    path.extension().is_some_and(|found| found == ending)
}

#[test]
fn every_rust_file_that_a_comment_or_a_document_names_exists() {
    let files = files();
    let mut count = 0;
    let mut missing = Vec::new();
    for (path, text) in &files {
        for (number, line) in text.lines().enumerate() {
            let prose = if is(path, "rs") { line.split_once("//").map_or("", |(_, comment)| comment) } else { line };
            let names = prose.split(|c: char| !c.is_alphanumeric() && !"_/-.".contains(c));
            for name in names.filter(|name| is(Path::new(name), "rs") && !name.starts_with("//")) {
                count += 1;
                if !files.iter().any(|(other, _)| other.ends_with(name)) {
                    missing.push(format!("{}:{}: {name}", path.display(), number + 1));
                }
            }
        }
    }
    assert!(count > 50, "only {count} names were found");
    assert!(missing.is_empty(), "{missing:#?}");
}

#[test]
fn every_link_from_a_document_to_a_file_leads_to_one() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (mut links, mut broken) = (0, Vec::new());
    for (path, text) in files().iter().filter(|(path, _)| is(path, "md")) {
        for link in text.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next()) {
            if link.is_empty() || link.contains("://") {
                continue;
            }
            links += 1;
            if !root.join(path).with_file_name(link).exists() {
                broken.push(format!("{}: {link}", path.display()));
            }
        }
    }
    assert!(links > 30, "only {links} links were found");
    assert!(broken.is_empty(), "{broken:#?}");
}

#[test]
fn every_doc_comment_can_be_read_without_the_lines_above_it() {
    let (mut docs, mut offenders) = (0, Vec::new());
    for (path, text) in files().iter().filter(|(path, _)| is(path, "rs")) {
        let mut is_inside = false;
        for (number, line) in text.lines().enumerate() {
            let doc = line.trim_start().strip_prefix("///");
            let was_inside = std::mem::replace(&mut is_inside, doc.is_some());
            let Some(doc) = doc.map(str::trim_start).filter(|_| !was_inside) else {
                continue;
            };
            docs += 1;
            let is_opener = |opener: &&str| {
                let after = doc.strip_prefix(*opener).and_then(|rest| rest.chars().next());
                after.is_some_and(|c| !c.is_alphanumeric())
            };
            if OPENERS.iter().any(is_opener) {
                offenders.push(format!("{}:{}: {doc}", path.display(), number + 1));
            }
        }
    }
    assert!(docs > 3000, "only {docs} doc comments were found");
    assert!(offenders.is_empty(), "docs whose subject stands elsewhere: {offenders:#?}");
}
