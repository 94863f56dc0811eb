//! Mistakes in what people give to the program: each gets its own message and its exit code, and spoils nothing else.

use std::{
    fs::{self, File},
    io::Write,
    process::{Output, Stdio},
};

use flate2::{Compression, write::GzEncoder};
use serde_json::Value;
use tempfile::TempDir;

use crate::harness::program::{command, gleaner};

fn told(output: &Output) -> (i32, String) {
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.code().unwrap(), errors)
}

const TEXT: &str = "The town clock has a single hand, and people are punctual by quarters. ";

/// A folder with one file of every kind that is no page, and one page.
fn folder() -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    let save = |name: &str, bytes: &[u8]| fs::write(dir.path().join(name), bytes).unwrap();
    let page = format!("<!doctype html><title>Clock</title><body><p>{}</p>", TEXT.repeat(6));
    save("page.html", page.as_bytes());
    save("empty.html", b"");
    save("picture.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR");
    save("archive.zip", b"PK\x03\x04...");
    save("control.txt", b"some\x01thing");
    save("broken.gz", b"\x1f\x8bnonsense");
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(&[7, 0, 1, 2, 200, 3]).unwrap();
    save("junk.gz", &packed.finish().unwrap());
    for (name, order) in
        [("wide_little.html", u16::to_le_bytes as fn(u16) -> [u8; 2]), ("wide_big.html", u16::to_be_bytes)]
    {
        save(name, &page.encode_utf16().flat_map(order).collect::<Vec<u8>>());
    }
    save("wide_marked.html", &format!("\u{feff}{page}").encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>());
    // What begins as HTML may hold any byte, and text those of every encoding.
    save("odd_page.html", format!("  <p>\x01 {TEXT}").as_bytes());
    save("odd_text_page.txt", &[b"caf\xe9 au lait \x1b$B ", TEXT.as_bytes()].concat());
    dir
}

/// Every file that is no page, and what is said of it.
const NO_PAGES: [(&str, i32, &str); 9] = [
    ("empty.html", 65, "is empty"),
    ("picture.png", 65, "a PNG image"),
    ("archive.zip", 65, "a ZIP archive"),
    ("control.txt", 65, "something without text"),
    ("broken.gz", 65, "broken gzip"),
    ("junk.gz", 65, "something without text"),
    ("missing.html", 66, "No such file"),
    (".", 74, "is a folder"),
    ("/dev/zero", 65, "is longer than 256 MiB"),
];

#[test]
fn what_is_no_page_is_told_by_every_command_that_reads_pages() {
    let dir = folder();
    for (file, code, words) in NO_PAGES {
        for command in ["extract", "blocks"] {
            let (status, errors) = told(&gleaner(dir.path(), &[command, file], b""));
            assert_eq!(status, code, "{command} {file}: {errors}");
            assert!(errors.contains(words) && errors.contains(file), "{command} {file}: {errors}");
        }
    }
}

#[test]
fn one_line_of_json_is_written_for_every_file_whatever_it_is() {
    let dir = folder();
    let files: Vec<&str> = NO_PAGES.iter().map(|(file, ..)| *file).collect();
    let mut arguments =
        vec!["extract", "--jsonl", "page.html", "wide_little.html", "wide_big.html", "wide_marked.html"];
    arguments.extend(["odd_page.html", "odd_text_page.txt"]);
    arguments.extend(&files[..8]);
    let output = gleaner(dir.path(), &arguments, b"");
    assert_eq!(told(&output), (0, String::new()));
    let lines: Vec<Value> = output
        .stdout
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty())
        .map(|line| serde_json::from_slice(line).unwrap())
        .collect();
    assert_eq!(lines.len(), 14);
    for (line, file) in lines.iter().zip(&arguments[2..]) {
        assert_eq!(line["file"], *file);
        assert_eq!(line["error"].is_string(), !file.contains("page") && !file.contains("wide"));
    }
    // Two bytes to a letter and no mark: a server would have said so, a file has none.
    for wide in &lines[1..4] {
        assert_eq!(lines[0]["text"], wide["text"]);
    }
}

#[test]
fn a_list_with_a_wrong_address_costs_only_its_own_line() {
    let dir = folder();
    let list = b"page.html\tftp://a.example/\npage.html\tnonsense\npage.html\thttps://a.example/\n";
    let arguments = ["extract", "--from-list", "-", "--jsonl"];
    let output = gleaner(dir.path(), &arguments, list);
    let lines: Vec<Value> =
        String::from_utf8(output.stdout).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(lines.iter().all(|line| line["file"] == "page.html"), "{lines:?}");
    assert!(lines[0]["error"].as_str().unwrap().contains("ftp: leads to no web page"));
    assert!(lines[1]["error"].as_str().unwrap().contains("https:// is missing?"));
    assert_eq!(lines[2]["title"], "Clock");
}

#[test]
fn an_address_that_is_none_is_answered_by_what_one_looks_like() {
    let dir = folder();
    for command in ["extract", "blocks"] {
        for address in ["ftp://a.example/", "nonsense", "", "javascript:1"] {
            let output = gleaner(dir.path(), &[command, "--url", address, "page.html"], b"");
            let (status, errors) = told(&output);
            assert_eq!(status, 64, "{errors}");
            assert!(errors.contains("such as https://example.org/page"), "{errors}");
        }
    }
}

#[test]
fn passwords_that_no_one_can_give_are_refused() {
    let dir = folder();
    let long = vec![b'x'; 100_000];
    for (input, words) in [
        (&b""[..], "is empty"),
        (b"\n", "is empty"),
        (b"a\0b\n", "control character"),
        (b"\xff\xfe\n", "not UTF-8"),
        (&long, "longer than 1024 bytes"),
    ] {
        let (status, errors) = told(&gleaner(dir.path(), &["hash-password"], input));
        assert_eq!(status, 65, "{errors}");
        assert!(errors.contains(words), "{errors}");
    }
}

/// The device that is always full stands for a terminal that is gone.
#[cfg(target_os = "linux")]
#[test]
fn where_nobody_reads_what_went_wrong_the_exit_code_still_tells() {
    let dir = folder();
    for (arguments, expected) in [
        (&["extract", "nothing.html"][..], 66),
        (&["extract", "page.html", "nothing.html"], 66),
        (&["check-config", "page.html"], 78),
        (&["--nonsense"], 64),
    ] {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let output = command(dir.path(), arguments).stderr(full).output().unwrap();
        assert_eq!(output.status.code(), Some(expected), "{arguments:?}");
    }
}

/// The device that is always full, where the system has it.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error_and_no_panic() {
    let dir = folder();
    for arguments in [
        &["--help"][..],
        &["--version"],
        &["schema"],
        &["check-config"],
        &["ca", "show"],
        &["ca", "export"],
        &["ca", "regenerate", "--yes"],
        &["extract", "page.html"],
        &["extract", "page.html", "--jsonl"],
        &["blocks", "page.html"],
        &["blocks", "page.html", "--format", "json"],
        &["hash-password"],
    ] {
        let full = File::options().write(true).open("/dev/full").unwrap();
        fs::write(dir.path().join("password"), "open sesame\n").unwrap();
        let output = command(dir.path(), arguments)
            .stdin(File::open(dir.path().join("password")).unwrap())
            .stdout(full)
            .output()
            .unwrap();
        let (status, errors) = told(&output);
        assert_eq!(status, 74, "{arguments:?}: {errors}");
        assert!(errors.contains("No space left") && !errors.contains("panicked"), "{errors}");
    }
}

#[test]
fn nobody_reading_any_more_is_no_error() {
    let dir = folder();
    for arguments in [
        &["--help"][..],
        &["schema"],
        &["ca", "export"],
        &["extract", "page.html"],
        &["blocks", "page.html", "--format", "json"],
    ] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = command(dir.path(), arguments).stdin(Stdio::null()).stdout(writer).output().unwrap();
        assert_eq!(told(&output), (0, String::new()), "{arguments:?}");
    }
}

#[test]
fn settings_mistyped_on_the_command_line_are_answered_by_what_was_meant() {
    let dir = folder();
    for (arguments, words) in [
        (
            &["extract", "--filters", "{main_blok: {}}", "page.html"][..],
            "--filters: unknown key `main_blok`, did you mean `main_block`?",
        ),
        (
            &["extract", "--main-block", "cetrr", "page.html"],
            "--main-block: unknown algorithm `cetrr`, did you mean `cetr`?",
        ),
    ] {
        let (code, errors) = told(&gleaner(dir.path(), arguments, b""));
        assert_ne!(code, 0, "{arguments:?}");
        assert!(errors.contains(words), "{arguments:?}: {errors}");
    }
}

#[test]
fn all_wrong_keys_and_values_are_told_at_once() {
    let dir = folder();
    fs::write(dir.path().join("list.txt"), "ads.example\n||bad^\nx.example\nworse!\n").unwrap();
    let listen = "listen: ['192.0.2.7:1', '192.0.2.8:1']\naccess: { clients: [private] }\n";
    for (text, code, expected) in [
        (
            "limit: 3\nlimits:\n  page_nodes: many\n  page_deep: 3\n",
            78,
            &["wrong.yaml:1:1: ", "wrong.yaml:3:15: ", "wrong.yaml:4:3: "][..],
        ),
        (
            "limits: { page_nodes: many, page_deep: 3 }\naccess: { clients: [one, private, two, three] }\n",
            78,
            &["1:23: ", "1:29: ", "2:21: access.clients: \"one\"", "2:35: access.clients: \"two\"", "2:40: "],
        ),
        // Files, beside mistakes of another kind.
        (
            "leave_alone: { lists: [no1.txt, list.txt, no2.txt] }\nupstream: { extra_ca_file: no.pem }\nlog: { level: x }\n",
            78,
            &[
                "wrong.yaml:1:24: ",
                "1:43: ",
                "wrong.yaml:2:28: ",
                "wrong.yaml:3:15: ",
                "list.txt:2:1: ",
                "list.txt:4:1: ",
            ],
        ),
        // What settings miss in each other, counted as they are written.
        (
            "sites: [{ hosts: [a/b, 'c d'], profile: one }]\ndevices: [{ profile: 7 }, { clients: [x], profile: two },\n\
             { users: [ann], profile: text }]\nlisten: 0.0.0.0:1\nlog: { level: loud }\n",
            78,
            &[
                "1:19: ",
                "1:24: ",
                "2:22: ",
                "2:39: ",
                "2:52: devices.profile: there is no profile \"two\"",
                "3:10: devices.users",
                "4:9: listen: ",
                "5:15: ",
            ],
        ),
        // What only the start would find.
        (listen, 69, &["192.0.2.7:1: this machine has no", "192.0.2.8:1: this machine has no"]),
    ] {
        fs::write(dir.path().join("wrong.yaml"), text).unwrap();
        let output = command(dir.path(), &["check-config", "wrong.yaml"]).output();
        let (status, errors) = told(&output.unwrap());
        assert_eq!(status, code, "{errors}");
        assert!(errors.lines().zip(expected).all(|(line, at)| line.contains(at)), "{errors}");
        assert_eq!(errors.lines().count(), expected.len(), "{errors}");
    }
}
