//! Folders of `src` depend on each other in one direction: no cycle of `use crate::` lines, tests aside.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

/// Which folders the files of a folder use; a file beside them, such as `error.rs`, is a folder of its own.
type Uses = BTreeMap<String, BTreeSet<String>>;

#[test]
fn no_folder_depends_on_one_that_depends_on_it() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    collect(&source, &mut files);
    assert!(files.len() > 100, "only {} files in {}", files.len(), source.display());
    let mut uses = Uses::new();
    for file in files {
        let inner = file.strip_prefix(&source).unwrap().with_extension("");
        let folder = inner.iter().next().unwrap().to_string_lossy().into_owned();
        let is_test = inner.ends_with("tests") || matches!(folder.as_str(), "lib" | "testing");
        if !is_test {
            let text = fs::read_to_string(&file).unwrap();
            let text = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
            let text = text.split("#[cfg(test)]\npub(crate) mod tests").next().unwrap_or_default();
            let named = used(text).into_iter().filter(|name| *name != folder && *name != "testing");
            uses.entry(folder.clone()).or_default().extend(named);
        }
    }
    // Folders that use nothing that is left are taken away until none is: what is left is a cycle, or leads to one.
    while let Some(done) =
        uses.iter().find(|(_, named)| !named.iter().any(|name| uses.contains_key(name))).map(|(name, _)| name.clone())
    {
        uses.remove(&done);
    }
    assert!(uses.is_empty(), "folders in an import cycle, with what they use: {uses:#?}");
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the folder can be read") {
        let path = entry.expect("the folder can be read").path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            files.push(path);
        }
    }
}

/// The first names behind `crate::`, those in braces included.
fn used(text: &str) -> Vec<String> {
    let code: String = text.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
    let mut names = Vec::new();
    for part in code.split("crate::").skip(1) {
        let mut depth = 0;
        let mut shallow = String::new();
        for c in part.chars() {
            match c {
                '{' => depth += 1,
                '}' => depth -= 1,
                c if depth <= usize::from(part.starts_with('{')) => shallow.push(c),
                _ => {}
            }
            if depth == 0 && !(c.is_alphanumeric() || c == '_') {
                break;
            }
        }
        let first = |path: &str| path.trim().chars().take_while(|&c| c.is_alphanumeric() || c == '_').collect();
        names.extend(shallow.split(',').map(first).filter(|name: &String| !name.is_empty()));
    }
    names
}
