use super::*;

fn fields(list: &[(&'static str, &'static str)]) -> HeaderMap {
    list.iter().map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value))).collect()
}

fn forward(list: &[(&'static str, &'static str)], received: Version) -> HeaderMap {
    let forwarding = Forwarding { host: "example.com:8080", upgrade: None, pseudonym: "gleaner-test", via: true };
    forward_request(fields(list), &forwarding, received)
}

#[test]
fn fields_of_one_hop_are_removed_order_is_kept_and_host_is_the_target() {
    let headers = forward(
        &[
            ("connection", "keep-alive, X-Private, host, content-length"),
            ("x-private", "1"),
            ("keep-alive", "timeout=5"),
            ("host", "other.example"),
            ("content-length", "3"),
            ("proxy-authorization", "Basic Zm9v"),
            ("proxy-connection", "keep-alive"),
            ("te", "trailers"),
            ("transfer-encoding", "chunked"),
            ("accept", "2"),
        ],
        Version::HTTP_11,
    );
    let names: Vec<_> = headers.keys().map(HeaderName::as_str).collect();
    // `Connection` cannot remove what the message needs.
    assert_eq!(names, ["host", "content-length", "accept", "via", "cdn-loop"]);
    assert_eq!(headers["host"], "example.com:8080");
}

#[test]
fn split_cookies_of_http2_are_joined() {
    let list = [("cookie", "a=1"), ("cookie", "b=2")];
    let headers = forward(&list, Version::HTTP_2);
    let cookies: Vec<_> = headers.get_all("cookie").iter().collect();
    assert_eq!(cookies, ["a=1; b=2"]);
    assert_eq!(headers["via"], "2 gleaner-test");
    // Over HTTP/1.1 they pass as they came.
    assert_eq!(forward(&list, Version::HTTP_11).get_all("cookie").iter().count(), 2);
}

#[test]
fn a_loop_is_detected_behind_other_proxies() {
    let pseudonyms = Pseudonyms::new();
    let [own, elsewhere] = ["a.example", "b.example"].map(|host| pseudonyms.of(host));
    assert_ne!(own, elsewhere);
    for (field, value, expected) in [
        ("via", format!("1.1 other, 1.1 {own} (x)"), true),
        ("via", "1.1 gleaner-ffff".to_owned(), false),
        ("cdn-loop", format!("other, {own}"), true),
        ("cdn-loop", elsewhere, false),
    ] {
        let headers = HeaderMap::from_iter([(HeaderName::from_static(field), HeaderValue::try_from(&value).unwrap())]);
        assert_eq!(pseudonyms.are_in(&headers, "a.example"), expected, "{field}: {value}");
    }
}

#[test]
fn alternative_services_do_not_pass_and_set_cookies_all_do() {
    let response =
        fields(&[("alt-svc", "h3=\":443\""), ("set-cookie", "a=1"), ("set-cookie", "b=2"), ("connection", "close")]);
    let headers = forward_response(response, None, Version::HTTP_2);
    assert!(!headers.contains_key("alt-svc") && !headers.contains_key("connection"));
    assert_eq!(headers.get_all("set-cookie").iter().count(), 2);
}

#[test]
fn an_upgrade_counts_only_where_connection_names_it() {
    let named = fields(&[("connection", "keep-alive, Upgrade"), ("upgrade", "websocket")]);
    assert_eq!(upgrade_of(&named).unwrap(), "websocket");
    assert_eq!(upgrade_of(&fields(&[("upgrade", "websocket")])), None);
    assert_eq!(upgrade_of(&fields(&[("connection", "upgrade"), ("upgrade", "h2c")])), None);
}
