//! Pictures that are made smaller, and those that come as they are.

use std::{io::Cursor, time::Duration};

use bytes::Bytes;
use futures_util::future::join_all;
use http::{Request, Response};
use http_body_util::Full;
use image::{
    DynamicImage, GenericImageView, GrayImage, ImageFormat, Luma, Rgb, RgbImage, Rgba, RgbaImage,
    codecs::jpeg::JpegEncoder, load_from_memory,
};
use serde_json::json;
use tokio::{io::AsyncWriteExt as _, time::sleep};

use crate::harness::{
    Origin, PAGE, TestProxy,
    client::{Answer, get, send},
    origin::{read_head, response},
    webdriver::Window,
};

const DATE: &str = "Sat, 21 Nov 2026 11:00:00 GMT";

/// The limit of time is not what is tried here: a debug build beside other tests is slow.
const PATIENT: &str = "limits: { picture_seconds: 60 }\n";

const PICTURES: &str = "pictures: { scale: on, max_width: 200, min_bytes: 1000 }";

/// Fields of a browser's request for a picture of a page.
const ASKED: &[(&str, &str)] = &[("sec-fetch-dest", "image"), ("accept", "image/avif,image/webp,*/*;q=0.8")];

/// A picture that is like a photograph: soft, with grain.
fn photograph(width: u32, height: u32) -> RgbImage {
    let mut grain = 1_u32;
    RgbImage::from_fn(width, height, |x, y| {
        grain = grain.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let grain = low(grain >> 28);
        Rgb([1, 2, 3].map(|step| low((x * step + y * 3) % 511 / 3) + grain))
    })
}

/// The low byte of a number.
fn low(number: u32) -> u8 {
    number.to_le_bytes()[0]
}

fn bytes(picture: &DynamicImage, format: ImageFormat) -> Bytes {
    let mut bytes = Cursor::new(Vec::new());
    picture.write_to(&mut bytes, format).unwrap();
    bytes.into_inner().into()
}

fn jpeg(width: u32, height: u32) -> Bytes {
    jpeg_of(width, height, 95)
}

fn jpeg_of(width: u32, height: u32, quality: u8) -> Bytes {
    let mut bytes = Vec::new();
    JpegEncoder::new_with_quality(&mut bytes, quality).encode_image(&photograph(width, height)).unwrap();
    bytes.into()
}

/// Serves a page and this picture, with a tag, and 304 to who has it.
async fn origin_of(kind: &'static str, picture: Bytes) -> Origin {
    Origin::http(move |seen| {
        if seen.uri.path() == "/" {
            return response(&[("content-type", "text/html")], PAGE);
        }
        let mut answer: Response<Full<Bytes>> = response(
            &[("content-type", kind), ("etag", "\"v1\""), ("last-modified", DATE), ("cache-control", "max-age=600")],
            picture.clone(),
        );
        if seen.headers.get("if-none-match").is_some_and(|tag| tag == "\"v1\"") {
            *answer.status_mut() = http::StatusCode::NOT_MODIFIED;
            *answer.body_mut() = Full::default();
        }
        answer
    })
    .await
}

async fn patient(yaml: &str) -> TestProxy {
    TestProxy::start(&format!("{PATIENT}{yaml}")).await
}

async fn asked(yaml: &str, kind: &'static str, picture: Bytes, fields: &[(&str, &str)]) -> Answer {
    let proxy = patient(yaml).await;
    let answer = on_a_page(&proxy, &origin_of(kind, picture).await, fields).await;
    assert_eq!(answer.status, 200);
    answer
}

/// The picture, for the page that was read before.
async fn on_a_page(proxy: &TestProxy, origin: &Origin, fields: &[(&str, &str)]) -> Answer {
    let page = origin.url("/");
    assert!(get(proxy, &page, &[("accept", "text/html")]).await.header("gleaner").starts_with("rewritten"));
    get(proxy, &origin.url("/p"), &[fields, &[("referer", page.as_str())]].concat()).await
}

/// What becomes of a picture whose server pauses in the middle of it, with these limits.
async fn with_a_pause(limits: &str) -> String {
    let picture = jpeg(600, 400);
    let origin = Origin::sockets(move |mut stream| {
        let picture = picture.clone();
        async move {
            let is_page = read_head(&mut stream).await.starts_with("GET / ");
            let (kind, body) = if is_page { ("text/html", Bytes::from(PAGE)) } else { ("image/jpeg", picture) };
            let length = body.len();
            let head = format!(
                "HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
            );
            stream.write_all(&[head.as_bytes(), &body[..length / 2]].concat()).await.unwrap();
            if !is_page {
                sleep(Duration::from_millis(2500)).await;
            }
            stream.write_all(&body[length / 2..]).await.unwrap();
        }
    })
    .await;
    let proxy = TestProxy::start(&format!("limits: {{ picture_seconds: 60, {limits} }}\n{PICTURES}")).await;
    on_a_page(&proxy, &origin, ASKED).await.header("gleaner").to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_picture_has_as_long_to_come_as_a_page() {
    let (steady, halting, late) = tokio::join!(
        with_a_pause("page_pause_seconds: 60, page_arrival_seconds: 60"),
        with_a_pause("page_pause_seconds: 1, page_arrival_seconds: 60"),
        with_a_pause("page_pause_seconds: 60, page_arrival_seconds: 1"),
    );
    assert!(steady.starts_with("scaled"), "{steady}");
    assert_eq!([halting, late], ["passed; reason=slow"; 2]);
}

#[tokio::test(flavor = "multi_thread")]
async fn pictures_that_come_at_once_wait_for_memory() {
    let origin = origin_of("image/jpeg", jpeg(600, 400)).await;
    // Of a picture of this size 5.6 MB are reserved.
    let limits = "limits: { picture_seconds: 60, pictures_memory_bytes: 7000000, pictures_cache_bytes: 0 }";
    let proxy = TestProxy::start(&format!("{limits}\n{PICTURES}")).await;
    let (first, page) = (on_a_page(&proxy, &origin, ASKED).await, origin.url("/"));
    assert!(first.header("gleaner").starts_with("scaled"), "{}", first.header("gleaner"));
    let url = origin.url("/p");
    let fields = [ASKED, &[("referer", page.as_str())]].concat();
    for answer in join_all((0..6).map(|_| get(&proxy, &url, &fields))).await {
        assert!(answer.header("gleaner").starts_with("scaled"), "{}", answer.header("gleaner"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_script_fetches_ends_nothing_for_the_pictures_of_a_page() {
    let picture = jpeg(600, 400);
    let origin = Origin::http(move |seen| match seen.uri.path() {
        "/" => response(&[("content-type", "text/html")], PAGE),
        "/part" => response(&[("content-type", "text/html")], "<div>Three more <b>clocks</b></div>"),
        _ => response(&[("content-type", "image/jpeg")], picture.clone()),
    })
    .await;
    let proxy = patient(PICTURES).await;
    let answer = on_a_page(&proxy, &origin, ASKED).await;
    assert!(answer.header("gleaner").starts_with("scaled"), "{}", answer.header("gleaner"));
    let part = get(&proxy, &origin.url("/part"), &[]).await;
    assert_eq!(part.header("gleaner"), "passed; reason=fragment");
    let page = origin.url("/");
    let answer = get(&proxy, &origin.url("/p"), &[ASKED, &[("referer", page.as_str())]].concat()).await;
    assert!(answer.header("gleaner").starts_with("scaled"), "{}", answer.header("gleaner"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_photograph_fits_the_screen_and_caches_keep_it_as_long() {
    let original = jpeg(600, 400);
    let origin = origin_of("image/jpeg", original.clone()).await;
    let proxy = patient(PICTURES).await;
    let answer = on_a_page(&proxy, &origin, ASKED).await;
    assert_eq!(load_from_memory(&answer.body).unwrap().dimensions(), (200, 133));
    assert!(answer.body.len() * 2 < original.len(), "{} of {}", answer.body.len(), original.len());
    assert_eq!(answer.header("content-type"), "image/jpeg");
    assert_eq!(answer.header("content-length"), answer.body.len().to_string());
    assert_eq!(answer.header("cache-control"), "max-age=600");
    let expected = format!("scaled; before={}; after={}", original.len(), answer.body.len());
    assert_eq!(answer.header("gleaner"), expected);
    // Kinds that cannot be made smaller are not asked for.
    assert_eq!(origin.last().headers["accept"], "image/webp, */*;q=0.8");
    let tag = answer.header("etag").to_owned();
    let again = on_a_page(&proxy, &origin, &[ASKED, &[("if-none-match", tag.as_str())]].concat()).await;
    assert_eq!(
        (again.status.as_u16(), again.header("etag"), again.header("cache-control")),
        (304, &*tag, "max-age=600")
    );
    // The second screen of a household gets the one that is kept.
    let second = on_a_page(&proxy, &origin, ASKED).await;
    assert_eq!(second.body, answer.body);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_transparent_stays_so_and_what_is_turned_stands_upright() {
    let drawing = RgbaImage::from_fn(600, 300, |x, y| {
        let noise = low((x * 7919) ^ (y * 104_729));
        Rgba([noise, noise / 2, 200, if x < 300 { 0 } else { 255 }])
    });
    let answer = asked(PICTURES, "image/png", bytes(&drawing.into(), ImageFormat::Png), ASKED).await;
    let shown = load_from_memory(&answer.body).unwrap();
    assert_eq!((answer.header("content-type"), shown.dimensions()), ("image/png", (200, 100)));
    assert_eq!((shown.get_pixel(10, 50)[3], shown.get_pixel(190, 50)[3]), (0, 255));

    // An opaque PNG that is a photograph becomes a JPEG.
    let photograph = DynamicImage::from(photograph(600, 300));
    let answer = asked(PICTURES, "image/png", bytes(&photograph, ImageFormat::Png), ASKED).await;
    assert_eq!(answer.header("content-type"), "image/jpeg");

    // Exif: turned by 90 degrees to the right (orientation 6), so the stored height is the width that is seen.
    let mut turned = jpeg(600, 400).to_vec();
    let exif = b"Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0";
    let length = u16::try_from(exif.len() + 2).unwrap().to_be_bytes();
    turned.splice(2..2, [&[0xff, 0xe1][..], &length, exif].concat());
    let answer = asked(PICTURES, "image/jpeg", turned.into(), ASKED).await;
    assert_eq!(load_from_memory(&answer.body).unwrap().dimensions(), (200, 300));
}

#[tokio::test(flavor = "multi_thread")]
async fn settings_make_it_grey_old_or_leave_it() {
    let grey = "pictures: { scale: on, max_width: 200, min_bytes: 1000, greys: 16 }";
    let answer = asked(grey, "image/jpeg", jpeg(600, 400), ASKED).await;
    assert!(!load_from_memory(&answer.body).unwrap().color().has_color());

    // A browser of the nineties knows neither WebP nor PNG.
    let old = "pictures: { scale: on, max_width: 200, formats: old }";
    let webp = bytes(&photograph(150, 100).into(), ImageFormat::WebP);
    let answer = asked(old, "image/webp", webp, ASKED).await;
    assert_eq!(
        (answer.header("content-type"), load_from_memory(&answer.body).unwrap().dimensions()),
        ("image/jpeg", (150, 100))
    );

    let saving = "pictures: { scale: save-data, max_width: 200 }";
    let original = jpeg(600, 400);
    for (fields, is_scaled) in [(&[][..], false), (&[("save-data", "on")][..], true)] {
        let answer = asked(saving, "image/jpeg", original.clone(), &[ASKED, fields].concat()).await;
        assert_eq!(answer.header("gleaner").starts_with("scaled"), is_scaled);
        assert_eq!(answer.header("vary").contains("Save-Data"), is_scaled);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_screen_of_few_greys_gets_them_in_as_few_bits_and_dots_between_them() {
    // Two areas in greys between those of the screen.
    let drawing = GrayImage::from_fn(403, 200, |x, _| Luma([if x < 200 { 100 } else { 120 }]));
    let drawing = bytes(&drawing.into(), ImageFormat::Png);
    // Something of the original's size is saved only where it is larger than its pixels are worth.
    let text = [&1500_u32.to_be_bytes()[..], b"tEXt", &[b'x'; 1500], &[0; 4]].concat();
    let drawing: Bytes = [&drawing[..33], &text, &drawing[33..]].concat().into();
    let shown = |answer: &Answer| load_from_memory(&answer.body).unwrap().into_luma8();
    // Bits of a pixel: the ninth byte of the first chunk's content.
    let depth = |answer: &Answer| (answer.header("content-type").to_owned(), answer.body[24]);
    let plain = "pictures: { scale: on, min_bytes: 1000, greys: 16 }";
    let answer = asked(plain, "image/png", drawing.clone(), ASKED).await;
    assert_eq!(depth(&answer), ("image/png".to_owned(), 4), "{}", answer.header("gleaner"));
    let image = shown(&answer);
    assert_eq!((image.dimensions(), image[(10, 10)][0], image[(402, 199)][0]), ((403, 200), 102, 119));

    let dithered = "pictures: { scale: on, min_bytes: 1000, greys: 16, dither: true }";
    let image = shown(&asked(dithered, "image/png", drawing, ASKED).await);
    let values: Vec<u8> = image.view(0, 0, 8, 8).pixels().map(|(_, _, value)| value[0]).collect();
    assert!(values.iter().all(|value| [85, 102].contains(value)) && values.contains(&85), "{values:?}");

    // A photograph is no drawing, but for who wants to see its shades.
    let black = "pictures: { scale: on, max_width: 200, min_bytes: 1000, greys: 2, dither: true }";
    let answer = asked(black, "image/jpeg", jpeg(600, 400), ASKED).await;
    assert_eq!(depth(&answer), ("image/png".to_owned(), 1));
    assert!(shown(&answer).pixels().all(|pixel| [0, 255].contains(&pixel[0])));
    // Where dots would not be smaller than the original, the shades come as JPEG has them.
    let answer = asked(dithered, "image/jpeg", jpeg_of(300, 200, 20), ASKED).await;
    assert_ne!(answer.header("content-type"), "image/png");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_head_says_of_a_picture_what_a_get_would_as_far_as_it_is_known() {
    let origin = origin_of("image/jpeg", jpeg(600, 400)).await;
    let proxy = patient(PICTURES).await;
    let page = origin.url("/");
    get(&proxy, &page, &[("accept", "text/html")]).await;
    let head = async || {
        let mut request = Request::head(origin.url("/p")).header("referer", page.as_str());
        for (name, value) in ASKED {
            request = request.header(*name, *value);
        }
        send(&proxy, request.body(Full::default()).unwrap()).await
    };
    let before = head().await;
    assert_eq!((before.status.as_u16(), before.header("gleaner")), (200, "eligible"));
    for name in ["content-length", "content-type", "etag", "accept-ranges"] {
        assert_eq!(before.header(name), "", "{name}");
    }
    assert_eq!((before.header("last-modified"), before.header("cache-control")), (DATE, "max-age=600"));
    assert_eq!(origin.last().headers["accept"], "image/webp, */*;q=0.8");
    let got = on_a_page(&proxy, &origin, ASKED).await;
    let after = head().await;
    for name in ["gleaner", "content-length", "content-type", "etag", "accept-ranges", "cache-control"] {
        assert_eq!(after.header(name), got.header(name), "{name}");
    }
    // What passes by its header alone is known at once.
    let small = origin_of("image/jpeg", Bytes::from_static(&[7; 500])).await;
    get(&proxy, &small.url("/"), &[("accept", "text/html")]).await;
    let request = Request::head(small.url("/p")).header("referer", small.url("/")).header("sec-fetch-dest", "image");
    let passed = send(&proxy, request.body(Full::default()).unwrap()).await;
    let said = ["gleaner", "content-length", "etag"].map(|name| passed.header(name));
    assert_eq!(said, ["passed; reason=small", "500", "\"v1\""]);
}

#[tokio::test(flavor = "multi_thread")]
async fn pictures_of_a_page_that_comes_as_it_is_stay_as_they_are() {
    let original = jpeg(600, 400);
    let picture = original.clone();
    let origin = Origin::http(move |seen| match seen.uri.path() {
        "/p" => response(&[("content-type", "image/jpeg")], picture.clone()),
        "/" => response(&[("content-type", "text/html")], PAGE),
        _ => response(&[("content-type", "text/html")], "<!doctype html><title>App</title><div id=app></div>"),
    })
    .await;
    let proxy = patient(PICTURES).await;
    let (page, picture) = (origin.url("/"), origin.url("/p"));
    let referer = [ASKED, &[("referer", page.as_str())]].concat();
    // A map of areas or a sprite is placed by the pixels of its file.
    assert_eq!(get(&proxy, &picture, &referer).await.body, original);
    assert_ne!(on_a_page(&proxy, &origin, ASKED).await.body, original);
    assert_eq!(get(&proxy, &picture, ASKED).await.body, original);
    get(&proxy, &origin.url("/app"), &[("accept", "text/html")]).await;
    assert_eq!(get(&proxy, &picture, &referer).await.body, original);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_offers_one_size_where_its_pictures_are_made_smaller() {
    let page = format!(
        "<title>Clocks</title><article><h1>Clocks</h1><p>{}<p><img srcset='/a 300w, /b 900w, /c 1600w' sizes=100vw src=/a alt=Clock><p>{0}</article>",
        "A clock shows the time to all who look. ".repeat(30)
    );
    let origin = Origin::http(move |_| response(&[("content-type", "text/html")], page.clone())).await;
    for (scale, save_data, offered) in [
        ("on", "off", "srcset=\"/b 800w\""),
        ("save-data", "on", "srcset=\"/b 800w\""),
        ("save-data", "off", "srcset=\"/a 300w, /b 900w, /c 1600w\""),
    ] {
        let proxy = patient(&format!("pictures: {{ scale: {scale}, max_width: 800 }}")).await;
        let fields = [("accept", "text/html"), ("save-data", save_data)];
        let answer = get(&proxy, &origin.url("/"), &fields).await;
        assert!(answer.text().contains(offered), "{scale} {save_data}: {}", answer.text());
        let is_said = answer.text().contains("smaller pictures</bdi>");
        assert_eq!(is_said, offered.contains("800w"), "{scale} {save_data}: {}", answer.text());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_script_or_a_person_asks_for_comes_as_it_is() {
    let original = jpeg(600, 400);
    let origin = origin_of("image/jpeg", original.clone()).await;
    let proxy = patient(PICTURES).await;
    let cases: [&[(&str, &str)]; 6] = [
        &[("sec-fetch-dest", "empty")],
        &[("sec-fetch-dest", "document"), ("accept", "text/html")],
        &[("sec-fetch-dest", "image"), ("sec-fetch-mode", "cors")],
        &[("sec-fetch-dest", "image"), ("range", "bytes=0-99999999")],
        &[("sec-fetch-dest", "image"), ("cache-control", "no-transform")],
        &[("x-requested-with", "XMLHttpRequest")],
    ];
    for fields in cases {
        let answer = on_a_page(&proxy, &origin, fields).await;
        assert!(answer.body == original && answer.header("etag") == "\"v1\"", "{fields:?}");
    }
}

/// A GIF of two pictures, one after the other.
fn animation() -> Bytes {
    let mut bytes = Vec::new();
    let mut encoder = image::codecs::gif::GifEncoder::new(&mut bytes);
    for shade in [10, 200] {
        let picture = RgbaImage::from_fn(300, 200, |x, y| Rgba([shade, low(x * y), low(x), 255]));
        encoder.encode_frame(image::Frame::new(picture)).unwrap();
    }
    drop(encoder);
    bytes.into()
}

/// A PNG that says it has so many pixels, with a chunk of this name before its data.
fn png_of(width: u32, height: u32, depth: u8, chunk: [u8; 4]) -> Bytes {
    let mut bytes = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
    bytes.extend([width.to_be_bytes(), height.to_be_bytes()].concat());
    bytes.extend([depth, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 8]);
    bytes.extend(chunk);
    bytes.extend([0; 12]);
    bytes.extend(b"\0\0\0\0IDAT");
    bytes.extend([7; 2000]);
    bytes.into()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_odd_broken_or_too_large_comes_as_it_is_with_the_reason() {
    let mut cmyk = jpeg(300, 200).to_vec();
    let frame = cmyk.windows(2).position(|two| two == [0xff, 0xc0]).unwrap();
    cmyk[frame + 9] = 4;
    let whole = jpeg(600, 400);
    let mut scans = whole.to_vec();
    let scan = scans.windows(2).position(|two| two == [0xff, 0xda]).unwrap();
    let one = scans[scan..].to_vec();
    for _ in 0..70 {
        scans.extend(&one);
    }
    let cases: [(&str, Bytes, &str); 11] = [
        ("image/gif", animation(), "animated"),
        ("image/png", png_of(500, 400, 8, *b"acTL"), "animated"),
        ("image/png", png_of(500, 400, 16, *b"tEXt"), "odd-picture"),
        ("image/png", png_of(30_000, 30_000, 8, *b"tEXt"), "too-many-pixels"),
        ("image/png", png_of(500, 400, 8, *b"tEXt"), "broken-picture"),
        ("image/jpeg", cmyk.into(), "odd-picture"),
        ("image/jpeg", whole.slice(..whole.len() - 2000), "broken-picture"),
        ("image/jpeg", b"<!doctype html>".repeat(200).into(), "other-kind"),
        ("image/bmp", [b"BM", &[0; 3000][..]].concat().into(), "other-kind"),
        ("image/png", Bytes::from_static(&[7; 500]), "small"),
        ("image/jpeg", Bytes::from(whole[..300].to_vec()), "small"),
    ];
    let proxy = patient(PICTURES).await;
    for (kind, picture, reason) in cases {
        let origin = origin_of(kind, picture.clone()).await;
        let answer = on_a_page(&proxy, &origin, ASKED).await;
        assert!(answer.body == picture, "{reason}");
        assert_eq!(answer.header("gleaner"), format!("passed; reason={reason}"));
        assert_eq!(answer.header("content-type"), kind);
    }
    let metrics = get(&proxy, "http://gleaner.internal/metrics", &[]).await;
    let counted = "gleaner_pictures_passed_total{reason=\"other-kind\"} 2\n";
    assert!(metrics.text().contains(counted), "{}", metrics.text());
    let fine = "pictures: { scale: on, quality: 100, min_bytes: 1000 }";
    let answer = asked(fine, "image/jpeg", jpeg(300, 200), ASKED).await;
    assert_eq!((answer.header("gleaner"), &answer.body), ("passed; reason=not-smaller", &jpeg(300, 200)));
    let first = "pictures: { scale: on, max_width: 100, min_bytes: 1000, animations: first }";
    let answer = asked(first, "image/gif", animation(), ASKED).await;
    assert!(answer.header("gleaner").starts_with("scaled"), "{}", answer.header("gleaner"));
    assert_eq!(load_from_memory(&answer.body).unwrap().dimensions(), (100, 67));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_readers_address_shows_them_fitting_too() {
    let original = jpeg(600, 400);
    let picture = original.clone();
    let origin = Origin::http(move |seen| match seen.uri.path() {
        "/p.jpg" => response(&[("content-type", "image/jpeg")], picture.clone()),
        _ => response(
            &[("content-type", "text/html")],
            format!("<title>Clocks</title><article><h1>Clocks</h1><p>{}<p><img src=/p.jpg width=600 height=400 alt=Clock><p>{0}</article>", "A clock shows the time to all who look. ".repeat(30)),
        ),
    })
    .await;
    let proxy = patient(&format!("read: {{ targets: ['127.0.0.1'] }}\n{PICTURES}")).await;
    let page = get(&proxy, &format!("{}/read?url={}", proxy.url(), origin.url("/")), &[("accept", "text/html")]).await;
    let address = page.text().split('"').find(|part| part.contains("/read/picture?")).unwrap().replace("&amp;", "&");
    let address = address.rsplit_once("/read/").map(|(_, rest)| format!("{}/read/{rest}", proxy.url())).unwrap();
    let answer = get(&proxy, &address, ASKED).await;
    assert_eq!(load_from_memory(&answer.body).unwrap().dimensions(), (200, 133), "{}", answer.header("gleaner"));
}

/// Browsers lay a picture that has not come yet out without a height where the page states none, so that all of a long page are near.
#[tokio::test(flavor = "multi_thread")]
async fn in_chromium_pictures_without_a_size_wait_until_they_are_near_and_then_take_their_own() {
    const PICTURES: usize = 150;
    let shown = jpeg(240, 160);
    let pictures = "<p><img src=/pN alt=Clock>".repeat(PICTURES);
    // Each has an address of its own.
    let pictures = (0..PICTURES).fold(pictures, |pictures, n| pictures.replacen("pN", &format!("p{n}"), 1));
    let text = "A clock shows the time to all who look. ".repeat(30);
    let page =
        format!("<!doctype html><title>Clocks</title><article><h1>Clocks</h1><p>{text}{pictures}<p>{text}</article>");
    let origin = Origin::http(move |seen| match seen.uri.path() {
        "/" => response(&[("content-type", "text/html")], page.clone()),
        "/favicon.ico" => response(&[("content-type", "image/x-icon")], ""),
        _ => response(&[("content-type", "image/jpeg")], shown.clone()),
    })
    .await;
    let proxy = patient("pictures: { scale: on, max_width: 800 }").await;
    let Some(window) = Window::open(&proxy).await else { return };
    window.go(&origin.url("/")).await;
    let asked = || origin.requests().iter().filter(|seen| seen.uri.path().starts_with("/p")).count();
    assert!((1..30).contains(&asked()), "{}", asked());
    window.run("for (const picture of document.images) picture.loading = 'eager'").await;
    window.until("[...document.images].every(picture => picture.complete)").await;
    let heights =
        "return [...document.images].filter(picture => picture.alt == 'Clock').map(picture => picture.height)";
    assert_eq!(window.run(heights).await, json!(vec![160; PICTURES]));
}
