//! Modules depend on each other in one direction: in `src` and in each folder of it, those that stand side by side form no cycle
//! of paths, tests aside. The module that a folder belongs to may use its parts and is used by them.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

/// Names from the root of the crate.
type Module = Vec<String>;

/// Which modules those of a folder use.
type Uses = BTreeMap<String, BTreeSet<String>>;

#[test]
fn no_module_depends_on_one_that_depends_on_it() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let modules = modules(&source);
    assert!(modules.len() > 10, "only {} files in {}", modules.len(), source.display());
    let folders: BTreeSet<&[String]> =
        modules.keys().flat_map(|module| (0..module.len()).map(|length| &module[..length])).collect();
    for folder in folders {
        let mut uses = uses_within(folder, &modules);
        // Modules that use nothing that is left are taken away until none is: what is left is a cycle, or leads to one.
        while let Some(done) =
            uses.iter().find(|(_, used)| !used.iter().any(|name| uses.contains_key(name))).map(|(name, _)| name.clone())
        {
            uses.remove(&done);
        }
        assert!(uses.is_empty(), "modules of `{}` in an import cycle, with what they use: {uses:#?}", folder.join("/"));
    }
}

#[test]
fn paths_are_found_however_they_are_written() {
    let here = ["a".to_owned(), "b".to_owned()];
    let found = |code| used(code, &here).into_iter().map(|path| path.join("/")).collect::<Vec<_>>();
    assert_eq!(found("use crate::{\n    c::{D, e::F as G},\n    h,\n};"), ["c/D", "c/e/F", "h"]);
    assert_eq!(found("use super::{super::i::J, k};"), ["i/J", "a/k"]);
    assert_eq!(found("// crate::l\nfn f() -> super::m::N { self::o() }"), ["a/m/N", "a/b/o"]);
}

/// The files of a crate as modules, and what each uses of the crate.
fn modules(source: &Path) -> BTreeMap<Module, Vec<Module>> {
    let mut files = Vec::new();
    collect(source, &mut files);
    let module = |file: &Path| -> Module {
        let inner = file.strip_prefix(source).expect("the file is in the folder").with_extension("");
        inner.iter().map(|name| name.to_string_lossy().into_owned()).collect()
    };
    let is_test = |module: &Module| module.last().is_some_and(|name| matches!(&**name, "tests" | "testing" | "lib"));
    let read = |file: &PathBuf| {
        let text = fs::read_to_string(file).expect("the file can be read");
        let module = module(file);
        let tests =
            ["mod tests", "pub(crate) mod tests"].iter().find_map(|tests| text.find(&format!("#[cfg(test)]\n{tests}")));
        let used = used(&text[..tests.unwrap_or(text.len())], &module);
        (module, used)
    };
    files.iter().map(read).filter(|(module, _)| !is_test(module)).collect()
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

/// Which of the modules side by side in a folder use which.
fn uses_within(folder: &[String], modules: &BTreeMap<Module, Vec<Module>>) -> Uses {
    let inner = |path: &[String]| path.strip_prefix(folder)?.first().cloned();
    let mut uses = Uses::new();
    for (module, paths) in modules {
        if let Some(name) = inner(module) {
            let others: BTreeSet<String> =
                paths.iter().filter_map(|path| inner(path)).filter(|other| *other != name).collect();
            uses.entry(name).or_default().extend(others);
        }
    }
    uses
}

/// Paths that begin with `crate`, `super` or `self`, from the root of the crate; those of a `use` in braces each by itself.
fn used(text: &str, module: &[String]) -> Vec<Module> {
    let code: String =
        text.lines().filter(|line| !line.trim_start().starts_with("//")).flat_map(|line| [line, "\n"]).collect();
    let mut paths = Vec::new();
    let mut rest = &*code;
    while let Some(at) = ["crate::", "super::", "self::"].iter().filter_map(|start| rest.find(start)).min() {
        let is_whole = !rest[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
        rest = &rest[at..];
        if is_whole {
            rest = expand(rest, &[], &mut paths);
        } else {
            rest = &rest["self::".len()..];
        }
    }
    paths.into_iter().map(|path| from_root(&path, module)).collect()
}

/// Reads a path, and each that it has in braces; what is left of the code.
fn expand<'a>(code: &'a str, before: &[&'a str], paths: &mut Vec<Vec<&'a str>>) -> &'a str {
    let mut path = before.to_vec();
    let mut rest = code.trim_start();
    loop {
        let length = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        path.extend((length > 0).then_some(&rest[..length]));
        rest = &rest[length..];
        if let Some(inner) = rest.strip_prefix("::") {
            rest = inner;
        } else if let Some(inner) = rest.strip_prefix('{').filter(|_| length == 0) {
            rest = inner.trim_start();
            while !rest.is_empty() && !rest.starts_with('}') {
                rest = expand(rest, &path, paths);
                // Behind a name that is given another one.
                rest = rest[rest.find([',', '}']).unwrap_or(rest.len())..].trim_start_matches(',').trim_start();
            }
            return rest.strip_prefix('}').unwrap_or(rest);
        } else {
            paths.push(path);
            return rest;
        }
    }
}

fn from_root(path: &[&str], module: &[String]) -> Module {
    let mut whole = if path[0] == "crate" { &[][..] } else { module }.to_vec();
    for name in path {
        match *name {
            "crate" | "self" => {}
            "super" => drop(whole.pop()),
            name => whole.push(name.to_owned()),
        }
    }
    whole
}
