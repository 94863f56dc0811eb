//! A page in an `<iframe>` gets no bar and no head of ours.

use crate::harness::{Origin, PAGE, TestProxy, get, origin::html};

#[tokio::test]
async fn a_page_inside_a_frame_has_no_head_of_ours() {
    for style in ["reader", "original"] {
        let origin = Origin::http(|_| html(PAGE)).await;
        let proxy = TestProxy::start(&format!("filters: {{ output: {{ style: {style} }} }}")).await;
        for (destination, is_alone) in [("document", true), ("iframe", false), ("frame", false)] {
            let fields = [("sec-fetch-dest", destination)];
            let answer = get(&proxy, &origin.url("/"), &fields).await;
            assert!(answer.header("gleaner").starts_with("rewritten"), "{destination}");
            let has_link = answer.text().contains("gleaner.internal/original?page=");
            assert_eq!(has_link, is_alone, "{style}, {destination}");
            let has_bar = answer.text().contains("<header");
            assert_eq!(has_bar, is_alone && style == "reader", "{style}, {destination}");
            let mut vary = answer.headers.get_all("vary").iter();
            assert!(vary.any(|value| value == "Sec-Fetch-Dest"), "{destination}");
        }
        proxy.stop().await;
    }
}
