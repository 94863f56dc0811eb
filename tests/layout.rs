//! The layers of `src/`: a module of its first level uses only those below it in the table of `src/lib.rs`, tests aside. No two
//! types of `src/` have one name, and constructors have the usual names.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

/// Most names that a reader meets first.
const MOST_LAYERS: usize = 14;

#[test]
fn no_module_uses_one_above_it() {
    let layers = layers();
    let layer = |name: &str| layers.iter().position(|known| known == name);
    let mut upward = BTreeMap::<(String, String), Vec<String>>::new();
    for file in files() {
        let module = first_name(&file);
        let Some(own) = layer(&module) else { panic!("{module} is not in the table of src/lib.rs") };
        for name in used(&file) {
            if layer(&name).is_some_and(|used| used < own) {
                let found = upward.entry((module.clone(), name)).or_default();
                found.push(file.display().to_string());
            }
        }
    }
    let told: Vec<_> = upward
        .iter()
        .map(|((module, name), files)| format!("`{module}` uses `{name}`, which is above it: {}", files.join(", ")))
        .collect();
    assert!(told.is_empty(), "a module uses only those below it in the table of src/lib.rs:\n{}", told.join("\n"));
}

#[test]
fn the_table_has_every_module_and_is_short() {
    let layers: BTreeSet<String> = layers().into_iter().collect();
    let modules: BTreeSet<String> = files().iter().map(|file| first_name(file)).collect();
    assert_eq!(layers, modules);
    assert!(layers.len() <= MOST_LAYERS, "{} names in the first level of src", layers.len());
}

#[test]
fn a_type_has_a_name_of_its_own() {
    let mut places = BTreeMap::<String, Vec<String>>::new();
    // Each operating system has its own file with the same names, of which one is compiled.
    let other_system = Path::new("util/platform/windows.rs");
    for file in files().iter().filter(|file| *file != other_system) {
        for name in code(file).lines().filter_map(declared_type) {
            places.entry(name.to_owned()).or_default().push(file.display().to_string());
        }
    }
    assert!(places.len() > 300, "only {} types", places.len());
    places.retain(|_, files| files.len() > 1);
    assert!(places.is_empty(), "a type's name is unique in the crate: {places:?}");
}

#[test]
fn no_function_is_called_of() {
    let is_wrong = |line: &&str| line.contains("fn of_") || line.contains("fn of(") || line.contains("fn of<");
    for file in files() {
        let found = code(&file).lines().find(is_wrong).map(str::to_owned);
        assert!(found.is_none(), "{}: {found:?}: expected `new`, `from_…`, `parse` or what is got", file.display());
    }
}

/// The name of the type or trait that this line begins to declare. An alias within an `impl` is no declaration of a type.
fn declared_type(line: &str) -> Option<&str> {
    let is_indented = line.starts_with(' ');
    let line = line.trim_start();
    let line = match line.strip_prefix("pub") {
        Some(rest) if rest.starts_with('(') => rest.split_once(") ")?.1,
        Some(rest) => rest.trim_start(),
        None => line,
    };
    let (keyword, rest) = line.split_once(' ')?;
    let is_type = ["struct", "enum", "trait"].contains(&keyword) || keyword == "type" && !is_indented;
    is_type.then(|| rest.split(|c: char| !c.is_alphanumeric() && c != '_').next())?
}

/// The names in the table of `lib.rs`, the topmost first.
fn layers() -> Vec<String> {
    let text = fs::read_to_string(source().join("lib.rs")).expect("src/lib.rs can be read");
    let names = text.lines().filter_map(|line| line.strip_prefix("//! | `")?.split_once("` |"));
    names.map(|(name, _)| name.to_owned()).collect()
}

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// Every file of `src/`, from there, but for `lib.rs`, `main.rs` and tests.
fn files() -> Vec<PathBuf> {
    let mut files = Vec::new();
    collect(&source(), &mut files);
    let mut files: Vec<PathBuf> =
        files.iter().map(|file| file.strip_prefix(source()).expect("it is within").to_owned()).collect();
    files.retain(|file| !["lib.rs", "main.rs"].map(Path::new).contains(&file.as_path()) && !file.ends_with("tests.rs"));
    assert!(files.len() > 100, "only {} files", files.len());
    files
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

/// The module of the first level that a file belongs to.
fn first_name(file: &Path) -> String {
    let first = file.iter().next().expect("a path has a part");
    Path::new(first).with_extension("").display().to_string()
}

/// The modules of the first level that a file names.
fn used(file: &Path) -> BTreeSet<String> {
    let code = code(file);
    let code: String = code.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
    // `super` once for each folder around the file, and once for the file itself, is the crate.
    let upmost = "super::".repeat(file.iter().count());
    let mut names = BTreeSet::new();
    for part in code.split("crate::").skip(1).chain(code.split(&upmost).skip(1)) {
        names.extend(first_names(part));
    }
    names
}

/// The text of a file up to its tests.
fn code(file: &Path) -> String {
    let text = fs::read_to_string(source().join(file)).expect("the file can be read");
    text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default().to_owned()
}

/// The first names of the paths at the beginning of this code, those in braces included.
fn first_names(code: &str) -> Vec<String> {
    let mut depth = 0;
    let mut shallow = String::new();
    for c in code.chars() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            c if depth <= usize::from(code.starts_with('{')) => shallow.push(c),
            _ => {}
        }
        if depth == 0 && !(c.is_alphanumeric() || c == '_') {
            break;
        }
    }
    let first = |path: &str| path.trim().chars().take_while(|&c| c.is_alphanumeric() || c == '_').collect();
    shallow.split(',').map(first).filter(|name: &String| !name.is_empty()).collect()
}

#[test]
fn names_are_found_in_braces_and_without() {
    assert_eq!(first_names("{\n    a::{b, c},\n    d::e,\n};"), ["a", "d"]);
    assert_eq!(first_names("a::b::C;"), ["a"]);
}
