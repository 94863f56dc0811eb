//! A window of Chromium that a test uses as a person does, driven by `chromedriver` (W3C `WebDriver`).

use std::{
    io::{Read, Write},
    process::Command,
    time::Duration,
};

use http::{Method, Request};
use http_body_util::{BodyExt, Full};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::net::TcpStream;

use super::{
    TestProxy,
    browsers::{CHROMIUM, chromium_proxy},
    optional,
    program::Running,
    wire::until,
};

/// The name of an element's id in the answers of `WebDriver`.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

pub(crate) struct Window {
    driver: String,
    session: String,
    _running: Running,
    _home: tempfile::TempDir,
}

impl Window {
    /// Opens one that uses this proxy; none where a program is missing.
    pub(crate) async fn open(proxy: &TestProxy) -> Option<Self> {
        optional::program("chromium", "chromium")?;
        let program = optional::program("chromedriver", "chromium-driver")?;
        let home = tempfile::tempdir().unwrap();
        // It ends where the port that is free for IPv4 is taken for IPv6.
        let started = (0..5).find_map(|_| {
            let mut running = Running::start(Command::new(&program).arg("--port=0").env("HOME", home.path()));
            running.find("ChromeDriver was started successfully on port").map(|port| (running, port))
        });
        let (running, port) = started.expect("ChromeDriver starts");
        let driver = format!("127.0.0.1:{}", port.trim_end_matches('.'));
        let [loopback, server] = chromium_proxy(proxy);
        let own = [loopback, server, format!("--user-data-dir={}/profile", home.path().display())];
        let arguments: Vec<_> = CHROMIUM.into_iter().chain(own.iter().map(String::as_str)).collect();
        let wanted = json!({ "capabilities": { "alwaysMatch": { "goog:chromeOptions": { "args": arguments } } } });
        let mut window = Self { driver, session: String::new(), _running: running, _home: home };
        let opened = window.command(Method::POST, "/session", wanted).await;
        window.session = format!("/session/{}", opened["sessionId"].as_str().unwrap());
        Some(window)
    }

    /// Ends Chromium, which outlives its driver.
    fn close(&self) -> std::io::Result<()> {
        let mut stream = std::net::TcpStream::connect(&self.driver)?;
        stream.set_read_timeout(Some(Duration::from_secs(10)))?;
        write!(stream, "DELETE {} HTTP/1.1\r\nHost: localhost\r\n\r\n", self.session)?;
        // It answers when Chromium has ended, and keeps the connection open.
        stream.read(&mut [0; 1024]).map(drop)
    }

    async fn command(&self, method: Method, path: &str, body: Value) -> Value {
        self.answer(method, path, body).await.unwrap_or_else(|problem| panic!("{path}: {problem}"))
    }

    async fn answer(&self, method: Method, path: &str, body: Value) -> Result<Value, Value> {
        let stream = TcpStream::connect(&self.driver).await.unwrap();
        let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream)).await.unwrap();
        tokio::spawn(connection);
        let request = Request::builder().method(method).uri(path).header("host", "localhost");
        let response =
            sender.send_request(request.body(Full::<bytes::Bytes>::from(body.to_string())).unwrap()).await.unwrap();
        let is_good = response.status().is_success();
        let answer = response.into_body().collect().await.unwrap().to_bytes();
        let answer: Value = serde_json::from_slice::<Value>(&answer).unwrap()["value"].clone();
        if is_good { Ok(answer) } else { Err(answer) }
    }

    async fn post(&self, path: &str, body: Value) -> Value {
        self.command(Method::POST, &format!("{}{path}", self.session), body).await
    }

    /// Loads a page, to its end.
    pub(crate) async fn go(&self, url: &str) {
        self.post("/url", json!({ "url": url })).await;
    }

    /// Runs a script in the page; what it returns.
    pub(crate) async fn run(&self, script: &str) -> Value {
        self.post("/execute/sync", json!({ "script": script, "args": [] })).await
    }

    /// Waits until an expression in the page holds; the page may be another by then.
    pub(crate) async fn until(&self, expression: &str) {
        let (path, script) = (format!("{}/execute/sync", self.session), format!("return Boolean({expression})"));
        let asked = json!({ "script": script, "args": [] });
        until(expression, async || self.answer(Method::POST, &path, asked.clone()).await == Ok(true.into())).await;
    }

    /// Clicks the first element that a selector means, and waits for the page that follows, if one does.
    pub(crate) async fn click(&self, selector: &str) {
        // What stays at the window's edge would be in the way.
        self.run(&format!("document.querySelector(\"{selector}\").scrollIntoView({{block: 'center'}})")).await;
        let element = self.element("css selector", selector).await;
        self.post(&format!("/element/{element}/click"), json!({})).await;
    }

    /// Clicks the first link with this text, in the menu of the bar if it is to be seen nowhere else, and waits for the page that
    /// follows.
    pub(crate) async fn follow(&self, text: &str) {
        let path = format!("{}/element", self.session);
        if self.answer(Method::POST, &path, json!({ "using": "link text", "value": text })).await.is_err() {
            self.click("#gleaner-controls summary").await;
        }
        let element = self.element("link text", text).await;
        self.post(&format!("/element/{element}/click"), json!({})).await;
    }

    /// Types into a field.
    pub(crate) async fn type_into(&self, selector: &str, text: &str) {
        let element = self.element("css selector", selector).await;
        self.post(&format!("/element/{element}/value"), json!({ "text": text })).await;
    }

    async fn element(&self, using: &str, value: &str) -> String {
        let found = self.post("/element", json!({ "using": using, "value": value })).await;
        found[ELEMENT].as_str().unwrap().to_owned()
    }

    /// The text that a person sees.
    pub(crate) async fn text(&self) -> String {
        self.run("return document.body.innerText").await.as_str().unwrap().to_owned()
    }

    /// A picture of the first element that a selector means, as PNG in base 64.
    pub(crate) async fn screenshot(&self, selector: &str) -> String {
        let element = self.element("css selector", selector).await;
        let path = format!("{}/element/{element}/screenshot", self.session);
        self.command(Method::GET, &path, json!({})).await.as_str().unwrap().to_owned()
    }

    /// What axe finds wrong in the page by these rules: impact, rule and element of each. None where there is no axe.
    pub(crate) async fn barriers(&self, run_only: Value) -> Option<Value> {
        let axe = std::env::var_os("GLEANER_AXE").and_then(|file| std::fs::read_to_string(file).ok());
        let Some(axe) = axe else {
            optional::skip("GLEANER_AXE names no axe.min.js; .ci/run shows where it comes from");
            return None;
        };
        let found = format!(
            "{axe};return axe.run({{runOnly: {run_only}}}).then(found => \
             found.violations.map(one => one.impact + ' ' + one.id + ' ' + one.nodes[0].html))"
        );
        Some(self.run(&found).await)
    }

    /// How much wider than the window the page is, in CSS pixels.
    pub(crate) async fn overflow(&self) -> Value {
        self.run("return document.documentElement.scrollWidth - document.documentElement.clientWidth").await
    }

    /// The window's size in CSS pixels.
    pub(crate) async fn resize(&self, width: u32, height: u32) {
        self.post("/window/rect", json!({ "width": width, "height": height })).await;
    }
}

impl Drop for Window {
    fn drop(&mut self) {
        // A test that fails has more to say than this.
        let _ = self.close();
    }
}
