//! Which lists there are: their names, and where each comes from.

use std::{
    fmt,
    hash::{DefaultHasher, Hash, Hasher},
    path::{Path, PathBuf},
    str::FromStr,
    sync::LazyLock,
};

use serde::{Serialize, Serializer};
use url::Url;

use super::values::word_type;

/// The list within the program.
pub(crate) const BUILTIN: &str = "builtin";

/// Lists by name, with what a person asks before choosing one.
const CATALOGUE: &str = include_str!("../../known-lists.txt");

/// A list that has a name.
#[derive(Debug)]
pub(crate) struct KnownList {
    pub(crate) name: &'static str,
    pub(crate) address: &'static str,
    pub(crate) licence: &'static str,
    /// About how many rules it has, in words.
    pub(crate) rules: &'static str,
    /// What it is for.
    pub(crate) about: &'static str,
    /// The group in which it is shown.
    pub(crate) group: &'static str,
}

/// All lists that have a name, in the order of the file.
pub(crate) static KNOWN: LazyLock<Vec<KnownList>> = LazyLock::new(|| {
    let mut group = "";
    let lines = CATALOGUE.lines().filter(|line| !line.starts_with('#'));
    let list = |line: &'static str| {
        if let Some(words) = line.strip_prefix("= ") {
            group = words;
        }
        let [name, address, licence, rules, about] = line.split(" | ").collect::<Vec<_>>()[..] else { return None };
        Some(KnownList { name, address, licence, rules, about, group })
    };
    lines.filter_map(list).collect()
});

/// Where a list comes from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ListSource {
    /// The program.
    Builtin,
    /// The web, by a known name.
    Named(&'static str, &'static str),
    /// The web, by its address.
    Address(Url),
    /// A file.
    File(PathBuf),
    /// `blocking.rules`, which are no list that can be named.
    Own,
}

/// The name of `blocking.rules` among the lists.
const OWN: &str = "blocking.rules";

word_type!(
    ListSource,
    "`builtin`, the name of a known list such as `easylist`, an address that begins with https://, or the path of a file"
);

impl FromStr for ListSource {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == BUILTIN {
            return Ok(Self::Builtin);
        }
        if let Some(list) = KNOWN.iter().find(|list| list.name == text) {
            return Ok(Self::Named(list.name, list.address));
        }
        if let Some((scheme, _)) = text.split_once("://") {
            let address = Url::parse(text).ok().filter(|url| ["http", "https"].contains(&scheme) && url.has_host());
            let address = address.ok_or_else(|| format!("{text:?} is no address of the web"))?;
            if address.username().is_empty() && address.password().is_none() {
                return Ok(Self::Address(address));
            }
            return Err("an address of a list has no user name or password; lists are fetched without".to_owned());
        }
        if !text.contains(['/', '.', '\\']) {
            return Err(format!("there is no list {text:?}{}", meant(text)));
        }
        Ok(Self::File(text.into()))
    }
}

/// The known name that is most similar.
fn meant(text: &str) -> String {
    let names = KNOWN.iter().map(|list| list.name).chain([BUILTIN]);
    let best = names.map(|name| (strsim::jaro(text, name), name)).max_by(|a, b| a.0.total_cmp(&b.0));
    best.filter(|(likeness, _)| *likeness > 0.7).map(|(_, name)| format!(", did you mean `{name}`")).unwrap_or_default()
}

impl fmt::Display for ListSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Builtin => f.write_str(BUILTIN),
            Self::Named(name, _) => f.write_str(name),
            Self::Address(address) => address.fmt(f),
            Self::File(path) => path.display().fmt(f),
            Self::Own => f.write_str(OWN),
        }
    }
}

impl Serialize for ListSource {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl ListSource {
    /// Its address, if it comes from the web.
    pub(crate) fn address(&self) -> Option<Url> {
        match self {
            Self::Named(_, address) => Url::parse(address).ok(),
            Self::Address(address) => Some(address.clone()),
            Self::Builtin | Self::File(_) | Self::Own => None,
        }
    }

    /// The list's name for everybody: no folder of this machine, and no key within an address.
    pub(crate) fn short_name(&self) -> String {
        match self {
            Self::Builtin | Self::Named(..) | Self::Own => self.to_string(),
            Self::Address(address) => address.host_str().unwrap_or_default().to_owned(),
            Self::File(path) => path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        }
    }

    /// The file that it is read from; those from the web are kept in `dir`.
    pub(crate) fn file(&self, dir: Option<&Path>) -> Option<PathBuf> {
        match self {
            Self::Builtin | Self::Own => None,
            Self::File(path) => Some(path.clone()),
            Self::Named(name, _) => Some(dir?.join(format!("{name}.txt"))),
            Self::Address(address) => {
                let name = address.as_str().split_once("://").map_or("", |(_, rest)| rest);
                let plain = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '.' | '-') { c } else { '_' };
                let name: String = name.chars().map(plain).take(100).collect();
                Some(dir?.join(format!("{name}-{:016x}.txt", hash_of(address.as_str()))))
            }
        }
    }
}

/// A number that is the same in every process of one build.
fn hash_of(address: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    address.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_a_known_list_an_address_or_a_file() {
        let parse = |text: &str| text.parse::<ListSource>();
        assert_eq!(parse("builtin"), Ok(ListSource::Builtin));
        for text in ["easylist", "https://a.example/x?y=1", "my-hosts.txt", "/etc/hosts", "~/list.d/x"] {
            assert_eq!(parse(text).unwrap().to_string(), text);
        }
        assert!(parse("easylst").unwrap_err().contains("did you mean `easylist`"));
        assert!(!parse("qqq").unwrap_err().contains("mean"));
        assert!(parse("ftp://a.example/x").is_err() && parse("https://").is_err());
        assert!(parse("https://me:secret@a.example/x").unwrap_err().contains("no user name"));
        let short = |text: &str| parse(text).unwrap().short_name();
        assert_eq!(short("https://a.example/x?key=secret"), "a.example");
        assert_eq!(short("/home/me/my.txt"), "my.txt");
    }

    #[test]
    fn lists_from_the_web_have_files_of_their_own() {
        let dir = Path::new("/lists");
        let file = |text: &str| text.parse::<ListSource>().unwrap().file(Some(dir)).unwrap();
        assert_eq!(file("easylist"), dir.join("easylist.txt"));
        let (one, other) = (file("https://a.example/x?a=1"), file("https://a.example/x?a:1"));
        assert!(one != other && one.parent() == Some(dir), "{one:?} {other:?}");
        let named = CATALOGUE.lines().filter(|line| !line.is_empty() && !line.starts_with(['#', '=']));
        assert_eq!(named.count(), KNOWN.len(), "every line is read");
        for list in KNOWN.iter() {
            assert!(list.address.starts_with("https://") && Url::parse(list.address).is_ok(), "{list:?}");
            assert!(!list.licence.is_empty() && list.rules.starts_with(|c: char| c.is_ascii_digit()), "{list:?}");
            assert_eq!(KNOWN.iter().filter(|other| other.name == list.name).count(), 1, "{list:?}");
        }
    }
}
