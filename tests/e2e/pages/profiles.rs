//! Settings by device and by site.

use crate::harness::{
    DEMO, Origin, PAGE, TestProxy, get,
    links::link,
    origin::{html, response},
    program::{folder, gleaner},
};

const ANNA: (&str, &str) = ("user-agent", "Anna's");
/// A part of the page's own style sheet.
const OWN_LOOK: &str = ".story{flex";

#[tokio::test]
async fn a_page_is_as_the_profile_of_its_device_has_it() {
    let fields = [("content-type", "text/html"), ("etag", "\"1\"")];
    let origin = Origin::http(move |_| response(&fields, DEMO)).await;
    let yaml = "devices:\n- { user_agents: [Own/], profile: own }\n- { clients: [192.0.2.1], profile: off }\n\
                profiles: { own: { filters: { output: { style: original } } } }\n\
                sites: [{ hosts: [localhost], profile: off }]\n";
    let proxy = TestProxy::start(yaml).await;
    let url = origin.url("/page");
    let page = |agent: &'static str, url: String| {
        let proxy = &proxy;
        async move { get(proxy, &url, &[("user-agent", agent), ("accept", "text/html")]).await }
    };
    let desktop = page("Mozilla/5.0 (X11)", url.clone()).await;
    assert!(desktop.text().contains("<svg") && !desktop.text().contains(OWN_LOOK), "{}", desktop.text());
    let text = page("w3m/0.5.3", url.clone()).await;
    assert!(!text.text().contains("<svg") && text.text().contains("a bell rings"), "{}", text.text());
    assert!(page("Own/1", url.clone()).await.text().contains(OWN_LOOK));
    let off = page("Own/1", origin.url("/page").replace("127.0.0.1", "localhost")).await;
    assert_eq!((off.header("gleaner"), off.text()), ("passed; reason=switched-off", DEMO));
    // A copy of one profile is not confirmed for another.
    assert_ne!(desktop.header("etag"), text.header("etag"));
    proxy.stop().await;
}

/// The rules can change while the proxy runs, and a mistake in one changes nothing.
#[tokio::test]
async fn rules_are_reloaded() {
    let origin = Origin::http(|_| html(DEMO)).await;
    let proxy = TestProxy::start("").await;
    assert!(get(&proxy, &origin.url("/"), &[]).await.header("gleaner").starts_with("rewritten"));
    proxy.save("devices: [{ profile: off }]");
    gleaner::reload::reload(&proxy.proxy, |_| {});
    assert_eq!(get(&proxy, &origin.url("/"), &[]).await.header("gleaner"), "passed; reason=switched-off");
    proxy.save("devices: [{ profile: none }]");
    gleaner::reload::reload(&proxy.proxy, |_| {});
    let start = get(&proxy, "http://gleaner.internal/", &[]).await;
    assert!(start.text().contains("there is no profile"), "{}", start.text());
    assert_eq!(get(&proxy, &origin.url("/"), &[]).await.header("gleaner"), "passed; reason=switched-off");
}

#[test]
fn explain_says_which_profile_and_why() {
    let dir = folder();
    let yaml = "authority: { dir: ca }\naccess: { lan: true }\nhttps: { except: [bank.example] }\n\
                devices: [{ clients: [192.168.1.20], profile: e-ink }]\n\
                sites: [{ hosts: [shop.example], profile: off }]\n";
    std::fs::write(dir.path().join("c.yaml"), yaml).unwrap();
    let explained = |arguments: &[&str]| {
        let output = gleaner(dir.path(), &[&["--config", "c.yaml", "explain"], arguments].concat(), "");
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    for (arguments, words) in [
        (
            &["https://a.example/", "--client", "192.168.1.20"][..],
            &["e-ink (`devices[0]`", "rewritten", "no browser of this"][..],
        ),
        (
            &["https://www.shop.example/"],
            &["off (`sites[0]`", "as they are: the profile", "`intercept` is off", "off blocks nothing"],
        ),
        (&["http://a.example/", "--user-agent", "Android"], &["phone (a shipped rule", "rewritten"]),
        (
            &["https://www.bank.example/"],
            &["desktop (no rule", "`https.except`", "as they are: the connection is tunnelled"],
        ),
        (&["http://www.bank.example/"], &["pages      rewritten"]),
        // Which profile it is, only the browser can say.
        (
            &["http://a.example/", "--client", "192.168.1.21"],
            &["--user-agent", "phone for one that names android", "text for"],
        ),
        (&["https://captive.apple.com/"], &["`leave_alone`"]),
        (&["https://a.example/", "--client", "8.8.8.8"], &["decision   refused: the client"]),
        (&["http://127.0.0.1/"], &["decision   refused: 127.0.0.1"]),
        (&["https://a.example:25/"], &["decision   refused: port 25"]),
        (&["http://192.168.1.7/"], &["decision   let through"]),
        (&["https://a.example/x.js", "--page", "http://[::1]/"], &["decision   let through"]),
        (&["http://gleaner.internal/panel"], &["decision   answered by Gleaner itself"]),
    ] {
        let text = explained(arguments);
        assert!(words.iter().all(|word| text.contains(word)), "{arguments:?}: {text}");
        // A host that is never opened has nothing to say of what would be within.
        assert!(!text.contains("tunnelled: the host") || !text.contains("where a browser trusts"), "{text}");
    }
    for arguments in
        [&["http://a.example/", "--client", "192.168.1.20"][..], &["http://a.example/", "--user-agent", "x"]]
    {
        assert!(!explained(arguments).contains("--user-agent"), "{arguments:?}: the rule is for all its browsers");
    }
    // A proxy that was started with --lan lets more in than its file.
    std::fs::write(dir.path().join("c.yaml"), "authority: { dir: ca }\n").unwrap();
    let phone = ["http://a.example/", "--client", "192.168.1.20"];
    assert!(explained(&phone).contains("refused") && explained(&phone).contains("--lan"), "{}", explained(&phone));
    assert!(!explained(&[&phone[..], &["--lan"]].concat()).contains("refused"));
    let wrong = gleaner(dir.path(), &["explain", "a.example"], "");
    assert_eq!(wrong.status.code(), Some(64));
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("https://example.org/"), "{wrong:?}");
}

#[tokio::test]
async fn type_and_colours_are_chosen_for_one_browser_and_kept() {
    let origin = Origin::http(|_| response(&[("content-type", "text/html"), ("etag", "\"v1\"")], PAGE)).await;
    let proxy = TestProxy::start("").await;
    let url = origin.url("/page");
    let page = get(&proxy, &url, &[ANNA]).await;
    let choices = get(&proxy, &link(page.text(), "gleaner.internal/look?"), &[ANNA]).await;
    // `"theme":"dark"` in a link.
    let dark = format!("http://gleaner.internal{}", link(choices.text(), "theme%22%3A%22dark"));
    // Another browser cannot use its links.
    assert_eq!(get(&proxy, &dark.replace("token=", "token=0"), &[ANNA]).await.status, 200);
    let answer = get(&proxy, &dark, &[ANNA]).await;
    assert_eq!(answer.status, 303);
    let next = format!("http://gleaner.internal{}", answer.header("location"));
    assert!(get(&proxy, &next, &[ANNA]).await.text().contains("<b>Dark</b>"));
    let now = get(&proxy, &url, &[ANNA, ("if-none-match", page.header("etag"))]).await;
    assert_eq!(now.status, 200);
    assert!(now.text().contains("content=\"dark\"") && !page.text().contains("content=\"dark\""));
    assert!(!get(&proxy, &url, &[]).await.text().contains("content=\"dark\""));
    let back = format!("http://gleaner.internal{}", link(get(&proxy, &next, &[ANNA]).await.text(), "look=&"));
    get(&proxy, &back, &[ANNA]).await;
    assert_eq!(get(&proxy, &url, &[ANNA]).await.header("etag"), page.header("etag"));
    proxy.stop().await;
}
