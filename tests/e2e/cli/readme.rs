//! Runs the commands and settings of the README and of the pages that it links to, and checks that the tests named in
//! documents exist.

use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
};

use crate::harness::{Origin, TestProxy, browsers::Browser, get, optional, origin::html};

/// The pages whose blocks of commands and settings are tried.
const PAGES: [&str; 4] = ["README.md", "docs/settings.md", "docs/https.md", "docs/extract.md"];

/// The contents of the blocks in a language on all of [`PAGES`].
fn blocks(language: &str) -> Vec<String> {
    let pages: String = PAGES.into_iter().map(read).collect();
    let parts = pages.split("\n```");
    parts.filter_map(|part| part.strip_prefix(language)?.strip_prefix('\n')).map(str::to_owned).collect()
}

/// The command of the README that begins with these words, as arguments without the program.
fn readme_command(beginning: &str) -> Vec<String> {
    let commands = blocks("sh").join("\n");
    let command = commands.lines().find_map(|line| line.strip_prefix(beginning));
    command.unwrap().split_whitespace().map(str::to_owned).collect()
}

fn read(name: &str) -> String {
    fs::read_to_string(root().join(name)).unwrap()
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn the_first_screen_of_the_readme_runs_and_tests_it_by_the_commands_of_ci() {
    let readme = read("README.md");
    let lines: Vec<&str> = readme.lines().collect();
    assert!(lines.len() <= 110, "README.md has {} lines", lines.len());
    let ci = read(".ci/run");
    let function = ci.lines().find(|line| line.starts_with("readme() {")).unwrap();
    for (heading, command) in [("Run it", "cargo run --release --locked"), ("Test it", "cargo test --workspace")] {
        let line = lines.iter().position(|line| *line == command);
        assert!(line.is_some_and(|line| line < 30), "{command} is not among the first 30 lines");
        assert!(ci.contains(&format!("$(readme '{heading}')")), "CI does not run it");
        let script = format!("{function}\nreadme '{heading}'");
        let output = Command::new("bash").args(["-c", &script]).current_dir(root()).output().unwrap();
        assert_eq!(String::from_utf8(output.stdout).unwrap().trim_end(), command);
    }
}

#[tokio::test]
async fn the_commands_that_try_the_proxy_show_a_page_and_the_start_page() {
    let origin = Origin::http(|_| html(include_str!("../../../docs/demo/page.html"))).await;
    let proxy = TestProxy::start("").await;
    let there = |argument: String| {
        let argument = argument.replace("127.0.0.1:8118", &proxy.addr.to_string());
        argument.replace("http://example.com/", &origin.url("/page"))
    };
    if let Some(curl) = optional::program("curl", "curl") {
        let mut curl = Command::new(curl);
        curl.arg("-sS").args(readme_command("curl ").into_iter().map(there));
        let output = tokio::task::spawn_blocking(move || curl.output().unwrap()).await.unwrap();
        let page = String::from_utf8(output.stdout).unwrap();
        assert!(page.to_ascii_lowercase().contains("\ngleaner: rewritten;"), "{page}");
    }
    if let Some(browser) = Browser::find() {
        let mut arguments: Vec<String> = readme_command("chromium ").into_iter().map(there).collect();
        let start_page = arguments.pop().unwrap();
        arguments.retain(|argument| !argument.starts_with("--user-data-dir="));
        let options: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let dom = browser.dom_with(&options, start_page).await;
        assert!(dom.contains("<h1>Gleaner</h1>"), "{dom}");
    }
}

/// The names of `docs/reliability.md` and `docs/devices.md`, such as `framing::*` and `mitm::authority::tests`: each is a test, or a file
/// that has tests.
#[test]
fn every_test_that_the_duties_name_is_there() {
    let listed = Command::new("git").args(["ls-files", "*.rs"]).current_dir(root()).output().unwrap();
    let listed = String::from_utf8(listed.stdout).unwrap();
    let files: Vec<(String, String)> = listed
        .lines()
        .map(|file| (file.replace(".rs", "").replace('/', "::"), fs::read_to_string(root().join(file)).unwrap()))
        .collect();
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
    assert!(blocks.len() >= 5, "the blocks were not found");
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
        .filter(|line| !["cargo ", "curl ", "chromium "].iter().any(|program| line.starts_with(program)))
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
