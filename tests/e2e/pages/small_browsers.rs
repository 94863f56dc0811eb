//! Browsers without scripts and with little or no CSS: those of terminals (lynx, w3m, links2), and dillo and netsurf in a window.
//! They read the start page, and ten real pages of all kinds (WCXB).

use std::{fs, path::Path, process::Command, time::Duration};

use serde_json::Value;
use tokio::time::timeout;

use crate::harness::{Origin, TestProxy, client::run, optional, origin::html, program::Running};

/// Pages of WCXB, and how their titles begin.
const PAGES: [(&str, &str); 10] = [
    ("0408", "Critics"),
    ("0192", "Psychiatry.org - What Are the Latest"),
    ("2860", "Defining Shared Behavior with Traits"),
    ("0102", "Fundamentals of Electrical Work"),
    ("0507", "My take on Valuation"),
    ("4518", "Living Room Furniture"),
    ("0729", "Software"),
    ("0259", "All Latest News"),
    ("2934", "Gadgets and Electronics"),
    ("3054", "Forza Horizon 5"),
];

/// Serves each page at its number.
async fn origin(wcxb: &Path) -> Origin {
    let folder = wcxb.join("html");
    Origin::http(move |request| {
        let packed = fs::read(folder.join(format!("{}.html.gz", request.uri.path().trim_start_matches('/'))));
        // Pictures are empty.
        html(packed.map_or_else(|_| Vec::new(), |packed| optional::unpacked(&packed)))
    })
    .await
}

fn letters(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).collect()
}

/// Beginnings of the first long lines of a page's main text.
fn main_text(wcxb: &Path, page: &str) -> Vec<String> {
    let truth = fs::read(wcxb.join(format!("ground-truth/{page}.json"))).unwrap();
    let truth: Value = serde_json::from_slice(&truth).unwrap();
    let lines = truth["ground_truth"]["main_content"].as_str().unwrap().lines().map(letters);
    lines.filter(|line| line.len() > 40).map(|line| line.chars().take(40).collect()).take(3).collect()
}

#[tokio::test]
async fn browsers_of_terminals_read_ten_pages() {
    let Some(wcxb) = optional::wcxb() else { return };
    let origin = origin(&wcxb).await;
    let proxy = TestProxy::start("").await;
    let address = proxy.addr.to_string();
    for (program, arguments) in [
        ("lynx", &["-dump", "-nolist", "-width=100"][..]),
        ("w3m", &["-dump", "-cols", "100"]),
        ("links2", &["-dump", "-width", "100", "-http-proxy", &address]),
    ] {
        let Some(path) = optional::program(program, program) else { continue };
        for (page, _) in PAGES {
            let home = tempfile::tempdir().unwrap();
            let mut command = Command::new(&path);
            command.args(arguments).env("http_proxy", proxy.url()).env("no_proxy", "").env("HOME", home.path());
            command.arg(origin.url(&format!("/{page}")));
            let (well, text) = run(command).await;
            assert!(well && text.contains("Original"), "{program}, {page}: no bar: {text}");
            let shown = letters(&text);
            assert!(main_text(&wcxb, page).iter().any(|line| shown.contains(line)), "{program}, {page}: {text}");
        }
    }
    proxy.stop().await;
}

/// Opens addresses in a browser with a window, one after the other, until the window has the page's title.
async fn titles_appear(name: &str, package: &str, settings: &[(&str, String)]) {
    let Some(wcxb) = optional::wcxb() else { return };
    let Some(browser) = optional::program(name, package) else { return };
    let Some(screen) = optional::program("Xvfb", "xvfb") else { return };
    let Some(xdotool) = optional::program("xdotool", "xdotool") else { return };
    let origin = origin(&wcxb).await;
    let home = tempfile::tempdir().unwrap();
    for (file, text) in settings {
        let file = home.path().join(file);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }
    let mut screen = Running::start(Command::new(screen).args(["-displayfd", "1", "-screen", "0", "600x800x24"]));
    let display = format!(":{}", screen.wait_for(""));
    let pages = PAGES.map(|(page, title)| (origin.url(&format!("/{page}")), title));
    for (address, title) in [("http://gleaner.internal/".to_owned(), "Gleaner")].iter().chain(&pages) {
        let environment = [("DISPLAY", &*display), ("HOME", home.path().to_str().unwrap()), ("no_proxy", "")];
        let _running = Running::start(Command::new(&browser).arg(address).envs(environment));
        let search = async {
            let search = || {
                let mut search = Command::new(&xdotool);
                search.args(["search", "--sync", "--onlyvisible", "--name", title]).envs(environment);
                search
            };
            // It fails where a window is closed while it looks.
            while !run(search()).await.0 {}
        };
        timeout(Duration::from_secs(30), search).await.unwrap_or_else(|_| panic!("{name}: no window {title:?}"));
    }
    if name == "dillo" {
        // Its daemon outlives it; elsewhere it has another place.
        let _ = Command::new("/usr/libexec/dillo/dpidc").arg("stop").env("HOME", home.path()).status();
    }
    // A mark that the proxy puts on requests.
    let seen = origin.requests();
    for (page, _) in PAGES {
        let request = seen.iter().find(|seen| seen.uri.path() == format!("/{page}"));
        assert!(request.is_some_and(|seen| seen.headers.contains_key("cdn-loop")), "{name}, {page}");
    }
}

#[tokio::test]
async fn dillo_reads_the_start_page_and_ten_pages() {
    let proxy = TestProxy::start("").await;
    // Without a `no_proxy` of its own it goes straight to loopback.
    let settings = format!("http_proxy=\"{}/\"\nno_proxy=\"none.example\"\n", proxy.url());
    titles_appear("dillo", "dillo", &[(".dillo/dillorc", settings)]).await;
    proxy.stop().await;
}

#[tokio::test]
async fn netsurf_reads_the_start_page_and_ten_pages() {
    let proxy = TestProxy::start("").await;
    let (host, port) = (proxy.addr.ip(), proxy.addr.port());
    let settings = format!(
        "http_proxy:1\nhttp_proxy_host:{host}\nhttp_proxy_port:{port}\nhttp_proxy_noproxy:\nhttp_proxy_auth:0\n"
    );
    titles_appear("netsurf-gtk", "netsurf-gtk", &[(".config/netsurf/Choices", settings)]).await;
    proxy.stop().await;
}
