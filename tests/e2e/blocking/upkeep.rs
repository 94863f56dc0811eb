//! Lists are fetched, kept and read anew, and a bad one changes nothing.

use super::*;

#[tokio::test]
async fn lists_from_the_web_are_kept_up_to_date_and_a_bad_one_changes_nothing() {
    let many = |host: &str| format!("||7.{host}^\n").repeat(50) + "||ads.example^\n";
    let (first, second) = (many("one.example"), many("two.example"));
    let turn = std::sync::Mutex::new(0);
    let origin = Origin::http(move |seen| {
        let mut turn = turn.lock().unwrap();
        *turn += 1;
        let etag = seen.headers.get("if-none-match").map(|tag| tag.to_str().unwrap().to_owned());
        match (*turn, etag.as_deref()) {
            (1, None) => response(&[("etag", "\"1\"")], format!("! Expires: 4 days\n{first}")),
            (2, Some("\"1\"")) => status(304, ""),
            (3, Some("\"1\"")) => response(&[("etag", "\"2\"")], second.clone()),
            (4, Some("\"2\"")) => response(&[("etag", "\"3\"")], "||one.example^\n"),
            (5, Some("\"2\"")) => response(&[], "<!doctype html><p>Log in to this hotel"),
            (6, Some("\"2\"")) => status(500, "out of order"),
            _ => status(404, "an unexpected request"),
        }
    })
    .await;
    let dir = tempfile::tempdir().unwrap();
    let lists = format!("blocking: {{ lists: ['{}'], dir: '{}/lists' }}\n", origin.url("/l.txt"), dir.path().display());
    let config = dir.path().join("config.yaml");
    fs::write(&config, format!("access: {{ allow_targets: ['127.0.0.1:1-65535'] }}\n{lists}")).unwrap();

    // The proxy starts without the list, fetches it, and takes it over.
    let proxy = TestProxy::start(&lists).await;
    until_blocked(&proxy, false).await;
    let watch = tokio::spawn(gleaner::reload::watch(Arc::clone(&proxy.proxy), |_| {}));
    let upkeep = tokio::spawn(gleaner::list_updates::maintain(Arc::clone(&proxy.proxy)));
    until_blocked(&proxy, true).await;
    upkeep.abort();
    watch.abort();

    for (what, words) in [
        ("unchanged", "as it was"),
        ("changed", "new, 51 lines"),
        ("shrunk", "it shrank from 51 rules to 1"),
        ("no list", "what arrived is no list"),
        ("an error", "it answers 500"),
    ] {
        let (well, text) = run(gleaner(&config, &["lists", "update"])).await;
        assert!(
            text.contains(words) && text.contains("51 rules for requests, 0 for elements, 0 refused"),
            "{what}: {text}"
        );
        assert_eq!(well, ["unchanged", "changed"].contains(&what), "{text}");
    }
    let (well, text) = run(gleaner(&config, &["lists", "status"])).await;
    assert!(well && text.contains("failed: ") && origin.requests().len() == 6, "{text}");
    // Without a network the copy from before is in use.
    drop(origin);
    let offline = gleaner::LoadedConfig::from_yaml(&lists, None).unwrap();
    assert!(
        offline.blocker.blocked_host("7.two.example").is_some()
            && offline.blocker.blocked_host("one.example").is_none()
    );
    proxy.stop().await;
}

/// One server sends nothing, another more than a list may have, if packed: neither keeps the other lists out.
#[tokio::test]
async fn lists_are_fetched_side_by_side_and_one_that_is_too_long_when_unpacked_is_refused() {
    let silent = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    let line = b"||a.bomb.example^\n".repeat(64 << 10);
    (0..58).for_each(|_| std::io::Write::write_all(&mut packed, &line).unwrap());
    let packed = packed.finish().unwrap();
    let origin = Origin::http(move |seen| match seen.uri.path() {
        "/long.txt" => response(&[("content-encoding", "gzip")], packed.clone()),
        _ => response(&[], "||ads.example^\n"),
    })
    .await;
    let dir = tempfile::tempdir().unwrap();
    let lists =
        [format!("http://{}/x.txt", silent.local_addr().unwrap()), origin.url("/long.txt"), origin.url("/l.txt")];
    let lists = format!("blocking: {{ lists: ['{}'], dir: '{}' }}\n", lists.join("', '"), dir.path().display());
    let proxy = TestProxy::start(&lists).await;
    let watch = tokio::spawn(gleaner::reload::watch(Arc::clone(&proxy.proxy), |_| {}));
    let upkeep = tokio::spawn(gleaner::list_updates::maintain(Arc::clone(&proxy.proxy)));
    until_blocked(&proxy, true).await;
    let config = proxy.proxy.config();
    let problem = || gleaner::blocking::fetches::last_fetch(&config, &config.blocking.lists[1])?.problem;
    let refused = async {
        while problem().is_none() {
            sleep(Duration::from_millis(20)).await;
        }
    };
    timeout(Duration::from_secs(20), refused).await.expect("it is too long");
    assert!(problem().unwrap().contains("it is longer than 64 MiB"), "{:?}", problem());
    upkeep.abort();
    watch.abort();
    proxy.stop().await;
}

#[tokio::test]
async fn a_list_of_https_does_not_come_from_an_address_without() {
    let ca = TestCa::new();
    let plain = Origin::http(|_| response(&[], "||ads.example^\n")).await;
    let to = plain.url("/l.txt");
    let origin = Origin::https(&ca, move |_| {
        let mut answer = response(&[("location", &*to)], "");
        *answer.status_mut() = StatusCode::FOUND;
        answer
    })
    .await;
    let dir = tempfile::tempdir().unwrap();
    let config = dir.path().join("config.yaml");
    fs::write(dir.path().join("origins.pem"), ca.pem()).unwrap();
    let yaml = format!(
        "access: {{ allow_targets: ['127.0.0.1:1-65535', '[::1]:1-65535'] }}\nupstream: {{ extra_ca_file: origins.pem }}\n\
         blocking: {{ lists: ['https://localhost:{}/l.txt'], dir: lists }}\n",
        origin.addr.port()
    );
    fs::write(&config, yaml).unwrap();
    let (well, text) = run(gleaner(&config, &["lists", "update"])).await;
    assert!(!well && text.contains("which anybody on the way could change"), "{text}");
}

#[tokio::test]
async fn a_list_that_never_came_is_asked_for_again_at_the_next_start() {
    let turn = std::sync::atomic::AtomicUsize::new(0);
    let origin = Origin::http(move |_| match turn.fetch_add(1, std::sync::atomic::Ordering::Relaxed) {
        0 => status(503, "not yet"),
        1 => response(&[("content-type", "text/html; charset=utf-8")], "||ads.example^\n"),
        _ => response(&[], "||ads.example^\n"),
    })
    .await;
    let dir = tempfile::tempdir().unwrap();
    let lists = format!("blocking: {{ lists: ['{}'], dir: '{}' }}\n", origin.url("/l.txt"), dir.path().display());
    for asked in 1..=3 {
        let proxy = TestProxy::start(&lists).await;
        let watch = tokio::spawn(gleaner::reload::watch(Arc::clone(&proxy.proxy), |_| {}));
        let upkeep = tokio::spawn(gleaner::list_updates::maintain(Arc::clone(&proxy.proxy)));
        if asked == 3 {
            until_blocked(&proxy, true).await;
        } else {
            let asking = async {
                while origin.requests().len() < asked {
                    sleep(Duration::from_millis(20)).await;
                }
            };
            timeout(Duration::from_secs(20), asking).await.expect("each start asks again");
        }
        upkeep.abort();
        watch.abort();
        proxy.stop().await;
    }
    // A copy that was damaged is fetched whole, and not confirmed.
    let copy = fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().path());
    let copy = copy.into_iter().find(|path| path.extension().is_some_and(|extension| extension == "txt")).unwrap();
    fs::write(&copy, "||ads.").unwrap();
    let config = dir.path().join("config.yaml");
    fs::write(&config, format!("access: {{ allow_targets: ['127.0.0.1:1-65535'] }}\n{lists}")).unwrap();
    let (well, text) = run(gleaner(&config, &["lists", "update"])).await;
    assert!(
        well && text.contains("new, 1 lines") && fs::read_to_string(&copy).unwrap() == "||ads.example^\n",
        "{text}"
    );
}

/// The folder cannot be made.
#[tokio::test]
async fn a_list_that_cannot_be_kept_is_used_from_memory_and_not_asked_for_at_once_again() {
    let origin = Origin::http(|_| response(&[], "||ads.example^\n")).await;
    let lists = format!("blocking: {{ lists: ['{}'], dir: /proc/gleaner/lists }}\n", origin.url("/l.txt"));
    let proxy = TestProxy::start(&lists).await;
    let watch = tokio::spawn(gleaner::reload::watch(Arc::clone(&proxy.proxy), |_| {}));
    let upkeep = tokio::spawn(gleaner::list_updates::maintain(Arc::clone(&proxy.proxy)));
    until_blocked(&proxy, true).await;
    let config = proxy.proxy.config();
    let next = gleaner::blocking::fetches::next_fetch(&config, &config.blocking.lists[0]);
    assert!(next.is_some_and(|seconds| seconds > 3600), "{next:?}");
    upkeep.abort();
    watch.abort();
    proxy.stop().await;
}

#[tokio::test]
async fn a_list_that_has_expired_is_fetched_again_and_one_that_has_not_is_not() {
    let turn = std::sync::atomic::AtomicUsize::new(0);
    let origin =
        Origin::http(move |seen| match (seen.uri.path(), turn.fetch_add(1, std::sync::atomic::Ordering::Relaxed)) {
            ("/old.txt", 2..) => response(&[], "||ads.example^\n"),
            _ => response(&[], "||other.example^\n"),
        })
        .await;
    let dir = tempfile::tempdir().unwrap();
    let lists = format!(
        "blocking: {{ lists: ['{}', '{}'], dir: '{}' }}\n",
        origin.url("/new.txt"),
        origin.url("/old.txt"),
        dir.path().display()
    );
    let config = dir.path().join("config.yaml");
    fs::write(&config, format!("access: {{ allow_targets: ['127.0.0.1:1-65535'] }}\n{lists}")).unwrap();
    assert!(run(gleaner(&config, &["lists", "update"])).await.0);
    // As if two days had passed for one of them.
    let states = fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().path());
    let is_old = |path: &std::path::PathBuf| {
        path.extension().is_some_and(|end| end == "json") && path.to_string_lossy().contains("old.txt")
    };
    let state = states.into_iter().find(is_old).unwrap();
    let mut fetched: serde_json::Value = serde_json::from_slice(&fs::read(&state).unwrap()).unwrap();
    fetched["asked"] = (fetched["asked"].as_u64().unwrap() - 2 * 86_400 - 1).into();
    fs::write(&state, fetched.to_string()).unwrap();

    let proxy = TestProxy::start(&lists).await;
    let watch = tokio::spawn(gleaner::reload::watch(Arc::clone(&proxy.proxy), |_| {}));
    let upkeep = tokio::spawn(gleaner::list_updates::maintain(Arc::clone(&proxy.proxy)));
    until_blocked(&proxy, true).await;
    let mut asked: Vec<_> = origin.requests().iter().map(|seen| seen.uri.to_string()).collect();
    asked.sort();
    assert_eq!(asked, ["/new.txt", "/old.txt", "/old.txt"]);
    upkeep.abort();
    watch.abort();
    proxy.stop().await;
}

#[tokio::test]
async fn an_update_on_a_terminal_shows_how_far_it_is() {
    let Some(script) = crate::harness::optional::program("script", "bsdutils") else { return };
    let origin = Origin::http(|_| response(&[], "||ads.example^\n")).await;
    let dir = tempfile::tempdir().unwrap();
    let config = dir.path().join("config.yaml");
    let lists = ["/1.txt", "/2.txt"].map(|path| format!("'{}'", origin.url(path))).join(", ");
    let yaml =
        format!("access: {{ allow_targets: ['127.0.0.1:1-65535'] }}\nblocking: {{ lists: [{lists}], dir: lists }}\n");
    fs::write(&config, yaml).unwrap();
    let mut command = Command::new(script);
    let update = format!("{} --config {} lists update", env!("CARGO_BIN_EXE_gleaner"), config.display());
    command.args(["-qec", &update, "/dev/null"]);
    let (well, text) = run(command).await;
    assert!(well, "{text}");
    for bar in [format!("[{}] 0 of 2: ", ".".repeat(20)), format!("[{}{}] 1 of 2: ", "#".repeat(10), ".".repeat(10))] {
        assert!(text.contains(&bar), "{bar} is missing in {text:?}");
    }
    let (_, plain) = run(gleaner(&config, &["lists", "update"])).await;
    assert!(!plain.contains("of 2: "), "{plain}");
}

/// The program itself: what it logs is of the whole process.
#[tokio::test]
async fn a_list_that_has_changed_is_logged_as_that() {
    let (dir, settings) = with_list("||ads.example^\n");
    let config = dir.path().join("config.yaml");
    fs::write(&config, format!("listen: 0\nauthority: {{ dir: ca }}\nlog: {{ level: info }}\n{settings}")).unwrap();
    let mut running = crate::harness::program::Running::start(gleaner(&config, &[]).current_dir(&dir));
    running.wait_for("to end it");
    let mut log = String::new();
    let mut until = |running: &mut crate::harness::program::Running, word: &str| {
        while !log.contains(word) {
            let mut byte = [0];
            assert_eq!(std::io::Read::read(running.stderr(), &mut byte).unwrap(), 1, "{word} is missing in {log}");
            log.push(byte[0].into());
        }
    };
    fs::write(dir.path().join("list.txt"), "||ads.example^\n||more.example^\n").unwrap();
    until(&mut running, "a list or the pause of blocking has changed, and is in force");
    fs::write(&config, format!("listen: 0\nauthority: {{ dir: ca }}\nlog: {{ level: info }}\n# x\n{settings}"))
        .unwrap();
    until(&mut running, "configuration reloaded");
    assert_eq!(log.matches("configuration reloaded").count(), 1, "{log}");
}

#[tokio::test]
async fn a_local_list_is_read_whatever_its_comments_are_written_in_and_never_waited_for() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(
        dir.path().join("hosts.txt"),
        b"# f\xfcr Werbung\n0.0.0.0 ads.example\n||bad.example^$csp=x\n||\n||b.example^\x1b[2J\n",
    )
    .unwrap();
    let pipe = dir.path().join("pipe.txt");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let config = dir.path().join("config.yaml");
    fs::write(&config, "blocking: { lists: [hosts.txt, pipe.txt] }\n").unwrap();
    let (well, text) = run(gleaner(&config, &["lists", "status", "--verbose"])).await;
    for line in [
        "1 rules for requests, 0 for elements, 3 refused",
        "    ||b.example^\\u{1b}[2J: no rule",
        "    ||: it would match every address",
        "not a regular file",
    ] {
        assert!(well && text.contains(line), "{line} is missing in {text}");
    }
    assert!(text.contains("    ||bad.example^$csp=x: a policy for the page ($csp)"), "{text}");
}

#[tokio::test]
async fn an_answer_that_nothing_has_changed_to_who_has_nothing_is_an_error_and_not_asked_for_at_once_again() {
    let origin = Origin::http(|_| status(304, "")).await;
    let dir = tempfile::tempdir().unwrap();
    let config = dir.path().join("config.yaml");
    let lists = format!("blocking: {{ lists: ['{}'], dir: '{}' }}\n", origin.url("/l.txt"), dir.path().display());
    fs::write(&config, format!("access: {{ allow_targets: ['127.0.0.1:1-65535'] }}\n{lists}")).unwrap();
    let (well, text) = run(gleaner(&config, &["lists", "update"])).await;
    assert!(!well && text.contains("(304), which nobody has asked; next try in "), "{text}");
    assert_eq!(origin.requests().len(), 1);
}

#[tokio::test]
async fn all_refused_rules_can_be_read_and_the_lists_that_have_a_name() {
    let dir = tempfile::tempdir().unwrap();
    let config = dir.path().join("config.yaml");
    let policy = "x".repeat(100);
    let refused: Vec<_> = (0..30).map(|n| format!("||{n}.example^\n||{n}.example^$csp={policy}\n")).collect();
    fs::write(dir.path().join("list.txt"), refused.concat()).unwrap();
    fs::write(&config, "blocking: { lists: [list.txt, easylist] }\n").unwrap();
    for (words, named, longest) in
        [(&["--verbose"][..], 20, 100), (&["--verbose", "--all"], 30, "||29.example^$csp=".len() + 100)]
    {
        let (well, text) = run(gleaner(&config, &[&["lists", "status"], words].concat())).await;
        let rules = text.lines().filter_map(|line| line.strip_prefix("    ||")?.split_once(": "));
        let lengths: Vec<usize> = rules.map(|(rule, _)| rule.len() + 2).collect();
        assert_eq!((well, lengths.len(), lengths.iter().max()), (true, named, Some(&longest)), "{text}");
    }
    let (well, text) = run(gleaner(&config, &["lists", "available"])).await;
    for line in ["* easylist ", "  hagezi-light ", "  oisd-big ", "  adguard-dns ", "  youtube "] {
        assert!(well && text.lines().any(|found| found.starts_with(line)), "{line} is missing in {text}");
    }
    assert!(text.contains("(GPL-3.0") || text.contains("(CC BY-SA"), "licences: {text}");
}

fn status(code: u16, text: &'static str) -> http::Response<Full<bytes::Bytes>> {
    let mut answer = response(&[], text);
    *answer.status_mut() = StatusCode::from_u16(code).unwrap();
    answer
}
