//! HTTP/1.1 clients of an HTTP/2 origin: only `:authority` names the host, because servers such as nginx answer 400 to
//! `Host` beside it.

use std::{
    fs,
    process::Command,
    sync::{Arc, Mutex},
};

use http::Response;

use crate::harness::{
    TestCa, TestProxy,
    client::{curl_command, run},
    optional, streams,
};

const PYTHON: &str = "import sys, urllib.request; print(urllib.request.urlopen(sys.argv[1]).read())";
const JAVA: &str = "class Get { public static void main(String[] a) throws Exception {
    System.out.println(((java.net.HttpURLConnection) new java.net.URL(a[0]).openConnection()).getResponseCode()); } }";

/// The calls of all that speak HTTP/1.1 and are there.
fn clients(proxy: &TestProxy, url: &str, dir: &std::path::Path) -> Vec<Command> {
    let ca = proxy.ca_file();
    let mut commands = Vec::from_iter(curl_command(proxy, &["--http1.1", "--fail", url]));
    if let Some(wget) = optional::program("wget", "wget") {
        let mut command = Command::new(wget);
        command.args(["--tries=1", "--output-document=-", "--no-hsts", url]);
        command.arg(format!("--ca-certificate={}", ca.display()));
        commands.push(command);
    }
    if let Some(python) = optional::program("python3", "python3") {
        let mut command = Command::new(python);
        command.args(["-c", PYTHON, url]).env("SSL_CERT_FILE", &ca);
        commands.push(command);
    }
    if let Some(java) = optional::program("javac", "default-jdk-headless") {
        let (source, store) = (dir.join("Get.java"), dir.join("store"));
        fs::write(&source, JAVA).unwrap();
        let imported = Command::new(java.with_file_name("keytool"))
            .args("-importcert -noprompt -alias a -storepass changeit -keystore".split(' '))
            .arg(&store)
            .arg("-file")
            .arg(&ca)
            .output();
        assert!(imported.unwrap().status.success());
        let mut command = Command::new(java.with_file_name("java"));
        command
            .arg(format!("-Djavax.net.ssl.trustStore={}", store.display()))
            .arg("-Djavax.net.ssl.trustStorePassword=changeit")
            .arg("-Dhttp.nonProxyHosts=")
            .arg("-Dhttps.proxyHost=127.0.0.1")
            .arg(format!("-Dhttps.proxyPort={}", proxy.addr.port()))
            .arg(source)
            .arg(url);
        commands.push(command);
    }
    for command in &mut commands {
        command.env("https_proxy", proxy.url()).env("no_proxy", "");
    }
    commands
}

#[tokio::test]
async fn http1_clients_reach_an_http2_origin_by_its_authority_alone() {
    let ca = TestCa::new();
    let seen = Arc::<Mutex<Vec<(String, usize)>>>::default();
    let record = Arc::clone(&seen);
    let origin = streams::origin(&ca, move |request, mut respond| {
        let authority = request.uri().authority().map(ToString::to_string);
        let hosts = request.headers().get_all("host").iter().count();
        record.lock().unwrap().push((authority.unwrap_or_default(), hosts));
        async move {
            let status = if hosts == 0 { 200 } else { 400 };
            let answer = Response::builder().status(status).body(()).unwrap();
            let _ = respond.send_response(answer, true);
        }
    })
    .await;
    let proxy = TestProxy::trusting(&ca, "https: { intercept: on }").await;
    let dir = tempfile::tempdir().unwrap();
    let expected = origin.host_and_port();
    for command in clients(&proxy, &origin.https_url("/"), dir.path()) {
        let name = command.get_program().to_owned();
        let (well, text) = run(command).await;
        let asked = seen.lock().unwrap().pop().unwrap_or_default();
        assert_eq!(asked, (expected.clone(), 0), "{name:?}: {text}");
        assert!(well && !text.contains(" 400"), "{name:?}: {text}");
    }
}
