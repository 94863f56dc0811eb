use http_body_util::BodyExt;

use super::*;

#[tokio::test]
async fn a_whole_body_is_counted_and_has_its_length() {
    let count = ByteCount::default();
    let body = Body::from("hello".to_owned()).counted(Arc::clone(&count));
    assert_eq!(body.size_hint().exact(), Some(5));
    assert_eq!(body.collect().await.unwrap().to_bytes(), "hello");
    assert_eq!(count.load(Relaxed), 5);
}

#[tokio::test]
async fn kept_frames_come_first_and_trailers_last() {
    let mut trailers = http::HeaderMap::new();
    trailers.insert("x-sum", http::HeaderValue::from_static("1"));
    let frames = VecDeque::from([
        Frame::data(Bytes::from_static(b"ab")),
        Frame::data(Bytes::from_static(b"c")),
        Frame::trailers(trailers),
    ]);
    let collected = Body::prefixed(frames, Rest::Nothing).collect().await.unwrap();
    assert_eq!(collected.trailers().unwrap()["x-sum"], "1");
    assert_eq!(collected.to_bytes(), "abc");
}
