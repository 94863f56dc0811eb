//! The pages that `gleaner extract` is to read.

use std::{
    ffi::OsStr,
    fs,
    io::{self, BufRead},
    path::{Path, PathBuf},
};

use anyhow::Context;
use url::Url;

use super::ExtractArgs;
use crate::cli::{EX_DATAERR, EX_IOERR, Failure};

#[derive(Debug)]
pub(super) struct Task {
    /// `-` is standard input; a line of the list that cannot be read is called by its number.
    pub(super) file: PathBuf,
    /// An error where the list has something else there.
    pub(super) url: anyhow::Result<Option<Url>>,
}

impl Task {
    /// Its own address, or that of its file.
    pub(super) fn address(&self) -> Url {
        let given = self.url.as_ref().ok().cloned().flatten();
        given.unwrap_or_else(|| address_of(&self.file))
    }
}

/// Relative links of a file lead to the files beside it.
pub(in crate::cli) fn address_of(file: &Path) -> Url {
    std::path::absolute(file)
        .ok()
        .and_then(|path| Url::from_file_path(path).ok())
        .unwrap_or_else(|| Url::parse("about:blank").expect("the address is a constant and an address"))
}

pub(super) type Tasks = Box<dyn Iterator<Item = Task> + Send>;

/// The pages of the arguments; a list is read as its pages are needed, because it may be long.
pub(super) fn all(args: &ExtractArgs) -> anyhow::Result<Tasks> {
    let Some(list) = &args.from_list else {
        let mut files = args.files.clone();
        if files.is_empty() {
            files.push(PathBuf::from("-"));
        }
        let url = args.url.clone();
        return Ok(Box::new(files.into_iter().map(move |file| Task { file, url: Ok(url.clone()) })));
    };
    let lines: Box<dyn BufRead + Send> = if list == OsStr::new("-") {
        Box::new(io::BufReader::new(io::stdin()))
    } else if list.is_dir() {
        return Err(Failure::error(EX_IOERR, format!("{}: is a folder", list.display())));
    } else {
        let file = fs::File::open(list).with_context(|| list.display().to_string())?;
        Box::new(io::BufReader::new(file))
    };
    Ok(Box::new(lines.lines().enumerate().filter_map(|(index, line)| match line {
        Ok(line) if line.trim().is_empty() => None,
        Ok(line) => Some(task_of_line(&line)),
        Err(error) => Some(Task { file: format!("line {} of the list", index + 1).into(), url: Err(error.into()) }),
    })))
}

fn task_of_line(line: &str) -> Task {
    let (file, url) = match line.split_once('\t') {
        Some((file, url)) => (file, Some(url.trim())),
        None => (line, None),
    };
    let url = url.filter(|url| !url.is_empty()).map(page_address);
    Task {
        file: PathBuf::from(file.trim_end_matches('\r')),
        url: url.transpose().map_err(|problem| Failure::error(EX_DATAERR, problem)),
    }
}

/// Parses the address of a page, as a browser shows it.
pub(in crate::cli) fn page_address(text: &str) -> Result<Url, String> {
    const EXPECTED: &str = "expected the address of a web page, such as https://example.org/page";
    let url = Url::parse(text).map_err(|error| match error {
        url::ParseError::RelativeUrlWithoutBase => {
            format!("{text:?} does not say how it is reached (https:// is missing?); {EXPECTED}")
        }
        error => format!("{text:?} is no address: {error}; {EXPECTED}"),
    })?;
    match url.scheme() {
        "http" | "https" => Ok(url),
        other => Err(format!("{other}: leads to no web page; {EXPECTED}")),
    }
}
