//! A household's Firefox, which has a trust store of its own. It cannot print a page, so the pages tell by their requests what
//! became of them: the script of an untouched one runs.

use crate::harness::{Origin, TestCa, TestProxy, browsers::Firefox, origin::html};

/// An article among menus, advertisements and a cookie dialog.
const DEMO: &str = include_str!("../../../docs/demo/page.html");

#[tokio::test]
async fn a_firefox_without_the_certificate_browses_untouched_and_with_it_decluttered() {
    let ca = TestCa::new();
    let page = DEMO.replace("</head>", "<script>fetch('/ran')</script></head>");
    let origin = Origin::https(&ca, move |_| html(page.clone())).await;
    let proxy = TestProxy::trusting(&ca, "").await;
    let Some(firefox) = Firefox::find(&proxy) else { return };
    firefox.trust("origins", &proxy.ca_file().parent().unwrap().with_file_name("origins.pem"));
    let asked = |path: &str| origin.requests().iter().filter(|seen| seen.uri.path() == path).count();
    firefox.open("http://gleaner.internal/".to_owned()).await;
    firefox.open(origin.https_url("/untouched")).await;
    assert_eq!((asked("/untouched"), asked("/ran")), (1, 1));
    firefox.trust("gleaner", &proxy.ca_file());
    firefox.open("http://gleaner.internal/".to_owned()).await;
    let list = gleaner::TrustedDevices::open(proxy.ca_file().parent());
    assert_eq!(list.all().len(), 1);
    firefox.open(origin.https_url("/decluttered")).await;
    assert_eq!((asked("/decluttered"), asked("/ran")), (1, 1));
    proxy.stop().await;
}
