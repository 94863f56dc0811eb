//! Compiles lists with the crate `adblock`, and caches the result in a file.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use adblock::{
    FilterSet,
    lists::ParseOptions,
    request::Request,
    url_parser::{ResolvesDomain, set_domain_resolver},
    utils::fast_hash,
};
use gleaner_filters::registrable_domain;

use super::{hash_of, store, syntax::Rules};

/// A text of lists of this length and more is worth a file with the compiled rules: below, compiling takes a millisecond.
pub(super) const WORTH_A_FILE: usize = 1 << 18;

/// The ending of the files.
const ENDING: &str = "compiled";

/// Tells the crate which hosts belong to one site.
struct PublicSuffixList;

impl ResolvesDomain for PublicSuffixList {
    fn get_host_domain(&self, host: &str) -> (usize, usize) {
        (host.len() - registrable_domain(host).len(), host.len())
    }
}

pub(super) fn init_domain_resolver() {
    // There is one for the process; setting it again changes nothing.
    let _ = set_domain_resolver(Box::new(PublicSuffixList));
}

/// Compiles the texts of lists.
pub(super) fn compile(lists: impl Iterator<Item = String>) -> adblock::Engine {
    // With the rules' own texts, for messages.
    let mut set = FilterSet::new(true);
    for text in lists {
        set.add_filter_list(text, ParseOptions::default());
    }
    // Not fused, so that each rule keeps its text and its list; decisions take as long.
    adblock::Engine::new_with_filter_set_no_optimize(set)
}

/// Rules of one kind of all lists; most lists have none.
pub(super) fn compile_some(lists: &mut [Rules], of: impl Fn(&mut Rules) -> &mut String) -> Option<adblock::Engine> {
    let texts: Vec<String> = lists.iter_mut().map(|rules| std::mem::take(of(rules))).collect();
    texts.iter().any(|text| !text.is_empty()).then(|| compile(texts.into_iter()))
}

/// The file for these compiled lists; its name is made from all of them.
pub(super) fn compiled_file(dir: &Path, names: &[String], texts: &[Rules]) -> PathBuf {
    let key: Vec<(&String, &str)> = names.iter().zip(texts).map(|(name, rules)| (name, &*rules.text)).collect();
    dir.join(format!("{:016x}.{ENDING}", hash_of(&(key, env!("CARGO_PKG_VERSION")))))
}

/// The compiled rules of a file.
pub(super) fn read(file: &Path) -> io::Result<adblock::Engine> {
    let mut rules = adblock::Engine::default();
    let bytes = fs::read(file)?;
    rules.deserialize(&bytes).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error.to_string()))?;
    Ok(rules)
}

/// Writes the compiled rules.
pub(super) fn keep(file: &Path, rules: &adblock::Engine) -> io::Result<()> {
    fs::create_dir_all(file.parent().unwrap_or(Path::new(".")))?;
    store::write(file, &rules.serialize())
}

/// Removes the compiled rules that are not in these files.
pub(super) fn sweep(dir: &Path, used: &[&Path]) -> io::Result<()> {
    let is_old = |file: &PathBuf| file.extension().is_some_and(|ending| ending == ENDING) && !used.contains(&&**file);
    for old in fs::read_dir(dir)?.flatten().map(|entry| entry.path()).filter(is_old) {
        fs::remove_file(old)?;
    }
    Ok(())
}

/// A request. Its page may be named with any public suffix (`$domain=google.*`), which the crate knows of elements only: it compares
/// hashes of names, and so the page gets these names too.
pub(super) fn request(url: &str, page: &str, kind: &str, method: &str) -> Option<Request> {
    init_domain_resolver();
    let mut request = Request::new(url, page, kind, method).ok()?;
    if let Some(names) = &mut request.source_hostname_hashes {
        // Of an address that was parsed before.
        let host = page.split_once("://").map_or("", |(_, rest)| rest);
        let host = host.split(['/', '?', '#']).next().and_then(|host| host.rsplit('@').next()).unwrap_or_default();
        let host = host.trim_end_matches(|c: char| c.is_ascii_digit()).strip_suffix(':').unwrap_or(host);
        if let Some((_, suffix)) = registrable_domain(host).split_once('.') {
            let mut name = host.strip_suffix(suffix);
            while let Some(found) = name.filter(|name| !name.is_empty()) {
                names.push(fast_hash(&format!("{found}*")));
                name = found.split_once('.').map(|(_, rest)| rest);
            }
        }
    }
    Some(request)
}
