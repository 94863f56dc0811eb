//! Settings in the panel, and the file that they are written into.

use std::fs;

use super::{ARTICLE, WRITTEN, hidden, post, with_file};
use crate::harness::{
    Origin, TestProxy, get,
    origin::html,
    webdriver::Window,
    wire::{soon, until},
};

#[tokio::test]
async fn a_switch_changes_the_file_and_the_next_page() {
    let origin = Origin::http(|seen| if seen.uri.path() == "/clock.png" { html("") } else { html(ARTICLE) }).await;
    let (proxy, file) = with_file().await;
    let Some(window) = Window::open(&proxy).await else { return };
    window.go(&origin.url("/page")).await;
    assert_eq!(window.run("return document.images.length").await, 1);
    window.go("http://gleaner.internal/settings").await;
    window.follow("Ignore").await;
    window.until("document.getElementById('filters/ignore/non_link_images')").await;
    window.click("[id='filters/ignore/non_link_images']").await;
    window.click("button[value=commit]").await;
    window.until("document.body.innerText.includes('Saved.')").await;
    let written = WRITTEN.replace("true # always\n", "true # always\n    non_link_images: true\n");
    assert_eq!(fs::read_to_string(&file).unwrap(), written);
    assert_eq!(fs::read_to_string(file.with_extension("yaml.bak")).unwrap(), WRITTEN);
    // The file is watched.
    let page = async || get(&proxy, &origin.url("/page"), &[]).await;
    until("it is in force", async || !page().await.text().contains("<img")).await;
    window.go(&origin.url("/page?again")).await;
    assert_eq!(window.run("return document.images.length").await, 0);

    // Cancel changes nothing, and an edit of the file shows at once.
    window.go("http://gleaner.internal/settings/ignore").await;
    window.click("[id='filters/ignore/non_link_images']").await;
    window.follow("Cancel").await;
    fs::write(&file, WRITTEN).unwrap();
    window.go("http://gleaner.internal/settings/ignore").await;
    assert_eq!(window.run("return document.getElementById('filters/ignore/non_link_images').checked").await, false);
}

#[tokio::test]
async fn forms_say_what_is_wrong_where_it_is_and_save_nothing() {
    let (proxy, file) = with_file().await;
    let page = get(&proxy, "http://gleaner.internal/settings/advanced", &[]).await;
    let (token, stamp) = (hidden(&page, "token"), hidden(&page, "stamp"));
    let mut form = vec![("token", token.as_str()), ("stamp", &stamp), ("do", "commit")];
    form.push(("filters/main_block/min_share", "7"));
    let wrong = post(&proxy, "/settings/advanced", &form, &[]).await;
    assert_eq!(wrong.status, 422);
    let said = gleaner::Config::from_yaml("filters: { main_block: { min_share: 7 } }", None).unwrap_err().to_string();
    let (_, said) = said.split_once("filters.main_block.min_share: ").unwrap();
    let field = wrong.text().split("id=\"filters/main_block/min_share\"").nth(1).unwrap();
    let field = &field[..field.find("</div>").unwrap()];
    assert!(field.contains("value=\"7\"") && field.contains("aria-invalid=\"true\""), "{field}");
    assert!(wrong.text().contains("<a href=\"#filters/main_block/min_share\">Min share</a>"), "{}", wrong.text());
    assert!(field.contains(&said.replace('`', "</code>").replace("</code>", "")[..20]), "{said}: {field}");
    assert_eq!(fs::read_to_string(&file).unwrap(), WRITTEN);
    // Somebody else was faster.
    fs::write(&file, format!("{WRITTEN}# faster\n")).unwrap();
    form[3] = ("filters/main_block/min_share", "0.5");
    let stale = post(&proxy, "/settings/advanced", &form, &[]).await;
    assert!(stale.status == 409 && stale.text().contains("changed by somebody else"), "{}", stale.text());
    assert!(stale.text().contains("value=\"0.5\"") && stale.text().contains("min_share</code>"), "the input is kept");
    // The new page's form is of the file as it is now; Enter commits where no page is to be shown.
    let stamp = hidden(&stale, "stamp");
    let again = [form[0], ("stamp", &*stamp), ("enter", "Commit"), ("address", ""), form[3]];
    assert_eq!(post(&proxy, "/settings/advanced", &again, &[]).await.header("location"), "/settings/advanced?saved=1");
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.contains("min_share: 0.5") && text.ends_with("# faster\n"), "{text}");
    assert!((proxy.proxy.config().filters.main_block.min_share - 0.5).abs() < 1e-9, "it is in force");
    let nothing = hidden(&get(&proxy, "http://gleaner.internal/settings/advanced", &[]).await, "stamp");
    let again = [form[0], ("stamp", &*nothing), ("do", "commit"), form[3]];
    assert_eq!(post(&proxy, "/settings/advanced", &again, &[]).await.header("location"), "/settings/advanced?saved=0");
}

#[tokio::test]
async fn comments_within_a_profiles_filters_stay() {
    let (proxy, file) = with_file().await;
    let profile = "profiles:\n  calm:\n    filters:\n      # look\n      output:\n        style: original # ours\n      # keep\n      ignore:\n        iframe: true\n";
    fs::write(&file, format!("{WRITTEN}{profile}")).unwrap();
    let page = get(&proxy, "http://gleaner.internal/settings/profiles", &[]).await;
    let (token, stamp) = (hidden(&page, "token"), hidden(&page, "stamp"));
    let filters = "output:\n  style: reader\nignore:\n  iframe: true\n  forms: true\n";
    let form = [("token", &*token), ("stamp", &stamp), ("do", "commit"), ("profiles/calm/filters", filters)];
    assert_eq!(post(&proxy, "/settings/profiles", &form, &[]).await.status, 303);
    let wanted = profile.replace("original", "reader") + "        forms: true\n";
    assert_eq!(fs::read_to_string(&file).unwrap(), format!("{WRITTEN}{wanted}"));
}

#[tokio::test]
async fn what_is_entered_for_a_new_rule_is_kept_until_it_is_whole() {
    let (proxy, file) = with_file().await;
    let page = get(&proxy, "http://gleaner.internal/settings/devices", &[]).await;
    let (token, stamp) = (hidden(&page, "token"), hidden(&page, "stamp"));
    let mut form = vec![("token", &*token), ("stamp", &stamp), ("do", "commit"), ("devices/0/clients", "192.168.1.20")];
    form.push(("devices/0/profile", ""));
    let asked = post(&proxy, "/settings/devices", &form, &[]).await;
    assert_eq!(asked.status, 422);
    assert!(
        asked.text().contains("choose a profile") && asked.text().contains(">192.168.1.20</textarea>"),
        "{}",
        asked.text()
    );
    assert_eq!(fs::read_to_string(&file).unwrap(), WRITTEN);
    form[4].1 = "phone";
    assert_eq!(post(&proxy, "/settings/devices", &form, &[]).await.status, 303);
    assert!(fs::read_to_string(&file).unwrap().contains("clients: [192.168.1.20], profile: phone"));
    // A rule of the file goes without a profile.
    let page = get(&proxy, "http://gleaner.internal/settings/devices", &[]).await;
    let stamp = hidden(&page, "stamp");
    (form[1].1, form[4].1) = (&stamp, "");
    assert_eq!(post(&proxy, "/settings/devices", &form, &[]).await.status, 303);
    assert!(!fs::read_to_string(&file).unwrap().contains("192.168.1.20"));
    for name in ["x: y\r\nlisten: 0", &"x".repeat(5000)] {
        let page = get(&proxy, "http://gleaner.internal/settings/profiles", &[]).await;
        let stamp = hidden(&page, "stamp");
        let form = [("token", &*token), ("stamp", &stamp), ("do", "commit"), ("new-profile", name)];
        let answer = post(&proxy, "/settings/profiles", &form, &[]).await;
        assert!(answer.status == 422 && answer.text().contains("name is one line"), "{}", answer.text());
    }
}

#[tokio::test]
async fn the_page_that_a_reader_came_from_is_a_click_away() {
    let (proxy, _) = with_file().await;
    for (page, is_back) in
        [("https://news.example:23443/p?a=b", true), ("https://evil.example/", false), ("javascript:alert(1)", false)]
    {
        let query = url::form_urlencoded::Serializer::new(String::new()).append_pair("page", page).finish();
        let asked = get(&proxy, &format!("http://gleaner.internal/settings/site?host=news.example&{query}"), &[]).await;
        let token = hidden(&asked, "token");
        let form = [("token", &*token), ("host", "news.example"), ("page", page), ("choice", "never")];
        let saved = post(&proxy, "/settings/site", &form, &[]).await;
        let saved = get(&proxy, &format!("http://gleaner.internal{}", saved.header("location")), &[]).await;
        for shown in [asked, saved] {
            assert_eq!(
                shown.text().contains(&format!("<a href=\"{page}\">Back to the page")),
                is_back,
                "{}",
                shown.text()
            );
        }
    }
}

/// A secret of one line would be a host, and stand in `/proxy.pac`; a named pipe would be read for ever.
#[tokio::test]
async fn a_form_names_no_file() {
    let (proxy, file) = with_file().await;
    fs::write(file.with_file_name("secret.txt"), "hunter2\n").unwrap();
    let pipe = file.with_file_name("pipe.txt");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for (tab, key) in [("proxy", "leave_alone/lists"), ("lists", "blocking/lists"), ("lists", "blocking/dir")] {
        let path = format!("/settings/{tab}");
        let page = get(&proxy, &format!("http://gleaner.internal{path}"), &[]).await;
        let (token, stamp) = (hidden(&page, "token"), hidden(&page, "stamp"));
        for (name, button) in [("secret.txt", "commit"), ("pipe.txt", "commit"), ("pipe.txt", "preview")] {
            let address = "http://127.0.0.1:9/";
            let form = [("token", &*token), ("stamp", &stamp), ("do", button), ("address", address), (key, name)];
            let wrong = soon(post(&proxy, &path, &form, &[])).await;
            assert!(wrong.text().contains("files are named by hand"), "{key} {name} {button}: {}", wrong.text());
        }
    }
    assert_eq!(fs::read_to_string(&file).unwrap(), WRITTEN);
    assert!(!get(&proxy, &format!("{}/proxy.pac", proxy.url()), &[]).await.text().contains("hunter2"));
}

/// Long tabs are folded, but where something is wrong, entered or looked for.
#[tokio::test]
async fn a_list_that_went_missing_is_not_in_the_way() {
    let (proxy, file) = with_file().await;
    let commit = async |tab: &str, name: &str, value: &str| {
        let path = format!("/settings/{tab}");
        let page = get(&proxy, &format!("http://gleaner.internal{path}"), &[]).await;
        let (token, stamp) = (hidden(&page, "token"), hidden(&page, "stamp"));
        post(&proxy, &path, &[("token", &token), ("stamp", &stamp), ("do", "commit"), (name, value)], &[]).await
    };
    let wrong = commit("lists", "blocking/lists", "builtin\n/nowhere.txt").await;
    assert!(wrong.status == 422 && wrong.text().contains("files are named by hand"), "{}", wrong.text());
    assert_eq!(fs::read_to_string(&file).unwrap(), WRITTEN);
    fs::write(&file, format!("{WRITTEN}blocking: {{ lists: [/nowhere.txt] }}\n")).unwrap();
    let other = commit("proxy", "log/level", "warn").await;
    assert_eq!(other.header("location"), "/settings/proxy?saved=1");
}

#[tokio::test]
async fn parts_of_a_long_tab_unfold() {
    let (proxy, _) = with_file().await;
    let Some(window) = Window::open(&proxy).await else { return };
    window.resize(390, 844).await;
    window.go("http://gleaner.internal/settings/advanced").await;
    let height = window.run("return document.body.scrollHeight").await;
    assert!(height.as_u64().unwrap() < 2500, "{height}");
    // `floor.kept_chars`.
    assert_eq!(window.text().await.matches(" changed").count(), 1);
    window.follow("Main block").await;
    let open = "[...document.querySelectorAll('details[open] h2')].map(title => title.textContent).join()";
    window.until(&format!("{open} == 'Main block'")).await;
    window.run("document.getElementById('filters/main_block/min_share').value = '7'").await;
    window.click("button[value=commit]").await;
    window.until("document.body.innerText.includes('Nothing was saved')").await;
    assert_eq!(window.run(&format!("return {open}")).await, "Main block");
    window.follow("Min share").await;
}

#[tokio::test]
async fn a_page_is_shown_as_it_comes_as_it_is_rewritten_and_as_it_would_be() {
    let origin = Origin::http(|_| html(ARTICLE)).await;
    let (proxy, file) = with_file().await;
    let Some(window) = Window::open(&proxy).await else { return };
    window.go("http://gleaner.internal/settings/ignore").await;
    window.click("[id='filters/ignore/non_link_images']").await;
    window.type_into("#address", &origin.url("/page")).await;
    window.click("button[value=preview]").await;
    window.until("document.querySelectorAll('iframe').length == 3").await;
    let headings = window.run("return [...document.querySelectorAll('h3')].map(heading => heading.textContent)").await;
    let headings = headings.as_array().unwrap()[..3].to_vec();
    assert_eq!(headings, ["As its site sends it", "With the settings in force", "With the changed settings"]);
    // Pictures are those of the page's own site.
    let source = window.run("return document.querySelector('iframe').srcdoc").await;
    assert!(source.as_str().unwrap().starts_with(&format!("<base href=\"{}\">", origin.url("/page"))), "{source}");
    assert!(origin.requests().iter().any(|seen| seen.uri.path() == "/clock.png"));
    let pictures = "return [...document.querySelectorAll('iframe')].map(frame => frame.srcdoc.includes('<img'))";
    assert_eq!(window.run(pictures).await, serde_json::json!([true, true, false]), "{}", window.text().await);
    let changed = "return document.getElementById('filters/ignore/non_link_images').checked";
    assert_eq!(window.run(changed).await, true, "what was chosen is kept in the form");
    assert_eq!(fs::read_to_string(&file).unwrap(), WRITTEN);
}

#[tokio::test]
async fn one_site_is_always_or_never_rewritten() {
    let (proxy, file) = with_file().await;
    let Some(window) = Window::open(&proxy).await else { return };
    for (label, rule, says) in [
        ("Never touch this site", "  - { hosts: [news.example], profile: off }\n", "Saved."),
        // It is rewritten without a rule, with each device's own profile.
        ("Always rewrite its pages", "", "Saved."),
        ("As on other sites", "", "Nothing had to be saved"),
    ] {
        window.go("http://gleaner.internal/settings/site?host=news.example").await;
        window
            .run(&format!(
                "[...document.querySelectorAll('button')].find(button => button.textContent == '{label}').click()"
            ))
            .await;
        window.until(&format!("document.body.innerText.includes('{says}')")).await;
        let text = fs::read_to_string(&file).unwrap();
        assert!(
            text.contains(rule) && text.contains("  - { hosts: [bank.example], profile: off } # never\n"),
            "{label}: {text}"
        );
        assert_eq!(text.contains("news.example"), !rule.is_empty(), "{label}: {text}");
        assert!(gleaner::Config::from_yaml(&text, None).is_ok(), "{text}");
    }
}

#[tokio::test]
async fn always_does_what_it_takes_or_says_what_is_in_the_way() {
    let (proxy, file) = with_file().await;
    let rest = WRITTEN.split("sites:").next().unwrap();
    let rule = "sites: [{ hosts: [news.example], profile: text }]\n";
    for (more, status, says, written) in [
        // Where a rule for the device leaves sites alone, this one gets a rule of its own.
        ("devices: [{ profile: off }]\n", 303, "Saved.", Some("hosts: [news.example], profile: desktop")),
        ("rewrite: { except: [news.example, b.example] }\n", 303, "Saved.", Some("except: [b.example]")),
        ("", 303, "Nothing had to be saved", None),
        // A rule that rewrites the page stays.
        (rule, 303, "Nothing had to be saved", None),
        ("rewrite: { enabled: false }\n", 409, "rewrite.enabled", None),
        ("profiles: { desktop: { rewrite: false } }\ndevices: [{ profile: off }]\n", 409, "the profile says so", None),
        ("rewrite: { except: [example] }\n", 409, "or one above it, is in <code>rewrite.except", None),
    ] {
        let before = format!("{rest}{more}");
        fs::write(&file, &before).unwrap();
        gleaner::reload::reload(&proxy.proxy, |_| {});
        let page = get(&proxy, "http://gleaner.internal/settings/site?host=news.example", &[]).await;
        let form = [("token", &*hidden(&page, "token")), ("host", "news.example"), ("choice", "always")];
        let mut answer = post(&proxy, "/settings/site", &form, &[]).await;
        assert_eq!(answer.status, status, "{more}: {}", answer.text());
        if status == 303 {
            answer = get(&proxy, &format!("http://gleaner.internal{}", answer.header("location")), &[]).await;
            assert!(answer.text().contains("Its pages are rewritten"), "{more}: {}", answer.text());
        }
        assert!(answer.text().contains(says), "{more}: {}", answer.text());
        let after = fs::read_to_string(&file).unwrap();
        assert_eq!(after == before, written.is_none(), "{after}");
        assert!(after.contains(written.unwrap_or(more)), "{after}");
    }
}

#[tokio::test]
async fn without_a_file_it_offers_to_make_one() {
    let dir = tempfile::tempdir().unwrap();
    let proxy = TestProxy::without_file(&dir.path().join("gleaner/config.yaml")).await;
    let page = get(&proxy, "http://gleaner.internal/settings/ignore", &[]).await;
    assert!(page.text().contains("Create it") && !page.text().contains("value=\"commit\""), "{}", page.text());
    let token = hidden(&page, "token");
    assert_eq!(post(&proxy, "/settings/create", &[("token", &token)], &[]).await.status, 303);
    let text = fs::read_to_string(dir.path().join("gleaner/config.yaml")).unwrap();
    assert_eq!(text, gleaner::config::starter(false));
    let page = get(&proxy, "http://gleaner.internal/settings/ignore", &[]).await;
    assert!(page.text().contains("value=\"commit\""), "{}", page.text());
}

/// Nothing follows the file here, as where it cannot be watched.
#[tokio::test]
async fn what_is_saved_and_what_is_in_force_are_told_apart() {
    let proxy = TestProxy::start("").await;
    let address = "http://gleaner.internal/settings/site?host=news.example";
    let token = hidden(&get(&proxy, address, &[]).await, "token");
    let form = [("token", &*token), ("host", "news.example"), ("choice", "never")];
    assert_eq!(post(&proxy, "/settings/site", &form, &[]).await.status, 303);
    let page = get(&proxy, address, &[]).await;
    assert!(
        page.text().contains("This site is never touched") && page.text().contains("Not in force yet"),
        "{}",
        page.text()
    );
    gleaner::reload::reload(&proxy.proxy, |_| {});
    let page = get(&proxy, address, &[]).await;
    assert!(page.text().contains("In force on this device: profile off"), "{}", page.text());
    assert!(!page.text().contains("Not in force yet"), "{}", page.text());
    proxy.stop().await;
}
