//! What the README tells people to type, typed.

use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
};

use crate::harness::{TestProxy, get, optional};

/// The contents of the blocks in a language, of the README and of the page about `extract`.
fn blocks(language: &str) -> Vec<String> {
    let read = |name: &str| fs::read_to_string(root().join(name)).unwrap();
    let readme = read("README.md") + &read("docs/extract.md");
    let parts = readme.split("\n```");
    parts.filter_map(|part| part.strip_prefix(language)?.strip_prefix('\n')).map(str::to_owned).collect()
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The names of `docs/reliability.md` and `docs/devices.md`, such as `framing::*` and `ca::tests`: each is a test, or a file
/// that has tests.
#[test]
fn every_test_that_the_duties_name_is_there() {
    let listed = Command::new("git").args(["ls-files", "*.rs"]).current_dir(root()).output().unwrap();
    let listed = String::from_utf8(listed.stdout).unwrap();
    let files: Vec<(String, String)> = listed
        .lines()
        .map(|file| (file.replace(".rs", "").replace('/', "::"), fs::read_to_string(root().join(file)).unwrap()))
        .collect();
    let read = |name: &str| fs::read_to_string(root().join(name)).unwrap();
    let duties = read("docs/reliability.md") + &read("docs/devices.md");
    let rows = duties.lines().filter(|line| line.starts_with('|'));
    let names: Vec<&str> =
        rows.flat_map(|row| row.split('`').skip(1).step_by(2)).filter(|name| name.contains("::")).collect();
    assert!(names.len() > 150, "{} names were found", names.len());
    let is_there = |name: &&str| {
        let (module, test) = name.rsplit_once("::").unwrap();
        let (module, function) = match test {
            "*" | "tests" => (module, "#[test]".to_owned()),
            test => (module.trim_end_matches("::tests"), format!("fn {test}()")),
        };
        let in_file = |(path, text): &(String, String)| {
            let path = path.trim_end_matches("::tests");
            path.ends_with(&format!("::{module}")) && text.replace("#[tokio::test", "#[test]").contains(&function)
        };
        files.iter().any(in_file)
    };
    let missing: Vec<_> = names.iter().filter(|name| !is_there(name)).collect();
    assert!(missing.is_empty(), "{missing:#?}");
}

#[test]
fn every_configuration_in_the_readme_is_good() {
    let blocks = blocks("yaml");
    assert!(blocks.len() >= 2, "the blocks were not found");
    for block in blocks {
        if let Err(error) = gleaner::Config::from_yaml(&block, None) {
            panic!("{error}\n{block}");
        }
    }
}

/// In a copy of what a reader has, and a home that is new. What needs a network, or builds the program, is left out.
#[test]
fn every_command_of_the_readme_works_when_it_is_pasted() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir_all(dir.path().join("docs/demo")).unwrap();
    fs::copy(root().join("docs/demo/page.html"), dir.path().join("docs/demo/page.html")).unwrap();
    let program = Path::new(env!("CARGO_BIN_EXE_gleaner")).parent().unwrap();
    let path = format!("{}:/usr/local/bin:/usr/bin:/bin", program.display());
    let blocks = blocks("sh");
    let commands: Vec<&str> = blocks
        .iter()
        .flat_map(|block| block.lines())
        .filter(|line| !line.trim().is_empty())
        .filter(|line| !line.starts_with("cargo ") && !line.starts_with("curl "))
        .collect();
    assert!(commands.len() >= 8, "{commands:?}");
    for command in commands {
        let output = Command::new("sh")
            .args(["-c", command])
            .current_dir(dir.path())
            .env_clear()
            .env("HOME", dir.path())
            .env("PATH", &path)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && errors.is_empty(), "{command}: {errors}");
    }
    let pages = fs::read_to_string(dir.path().join("pages.jsonl")).unwrap();
    assert_eq!(pages.lines().count(), 2, "{pages}");
}

#[tokio::test]
async fn the_certificate_is_had_through_the_proxy_and_at_its_own_address() {
    let proxy = TestProxy::start("https: { intercept: on }").await;
    let wanted = get(&proxy, "http://gleaner.internal/ca.pem", &[]).await;
    assert!(wanted.text().starts_with("-----BEGIN CERTIFICATE-----"));
    let Some(curl) = optional::program("curl", "curl") else {
        return;
    };
    for (file, through) in [("ca.pem", true), ("ca.crt", true), ("ca.pem", false), ("ca.crt", false)] {
        let mut curl = Command::new(&curl);
        curl.args(["-sS", "--fail", "-o", "-"]);
        if through {
            let address = format!("http://gleaner.internal/{file}");
            curl.args(["-x", &proxy.url(), &address]);
        } else {
            curl.arg(format!("{}/{file}", proxy.url()));
        }
        let output = tokio::task::spawn_blocking(move || curl.output().unwrap());
        let output = output.await.unwrap();
        assert!(output.status.success(), "{file}: {output:?}");
        if file == "ca.pem" {
            assert_eq!(output.stdout, wanted.body, "{file}");
        } else {
            x509_parser::parse_x509_certificate(&output.stdout).unwrap();
        }
    }
}
