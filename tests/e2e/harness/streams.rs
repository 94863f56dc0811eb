//! HTTP/2 clients and origins on the crate h2, which allows misuse that hyper prevents.

use std::time::Duration;

use bytes::Bytes;
use h2::{RecvStream, client::SendRequest, server::SendResponse};
use http::{HeaderMap, Request};
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;

use super::{Origin, TestCa, TestProxy, client::connect_tls};

/// An origin that speaks HTTP/2; every request is given to a function.
pub(crate) async fn origin<F>(
    ca: &TestCa,
    serve: impl Fn(Request<RecvStream>, SendResponse<Bytes>) -> F + Send + Sync + Clone + 'static,
) -> Origin
where
    F: Future<Output = ()> + Send + 'static,
{
    origin_of_few(ca, u32::MAX, serve).await
}

/// An HTTP/2 origin that allows so many requests at once on a connection.
pub(crate) async fn origin_of_few<F>(
    ca: &TestCa,
    most: u32,
    serve: impl Fn(Request<RecvStream>, SendResponse<Bytes>) -> F + Send + Sync + Clone + 'static,
) -> Origin
where
    F: Future<Output = ()> + Send + 'static,
{
    let tls: TlsAcceptor = ca.server(&["localhost"], &[b"h2"], |_| {}).into();
    Origin::sockets(move |stream| {
        let (tls, serve) = (tls.clone(), serve.clone());
        async move {
            let stream = tls.accept(stream).await.unwrap();
            let mut builder = h2::server::Builder::new();
            builder.max_concurrent_streams(most);
            // A stream that is not read stops no other here.
            builder.initial_connection_window_size(1 << 26);
            // A client may think better of a connection.
            let Ok(mut connection) = builder.handshake(stream).await else {
                return;
            };
            while let Some(Ok((request, respond))) = connection.accept().await {
                tokio::spawn(serve(request, respond));
            }
        }
    })
    .await
}

/// A client's side of an intercepted HTTP/2 connection.
pub(crate) async fn client(proxy: &TestProxy, target: &str) -> SendRequest<Bytes> {
    let stream = connect_tls(proxy, target, &proxy.ca_file(), &[b"h2"]).await;
    let (sender, connection) = h2::client::handshake(stream.unwrap()).await.unwrap();
    // It ends with the test, however that is.
    tokio::spawn(async { drop(connection.await) });
    sender.ready().await.unwrap()
}

/// The response as a client saw it.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) body: Vec<u8>,
    pub(crate) trailers: HeaderMap,
    /// Whether it ended as it should.
    pub(crate) whole: bool,
}

/// Reads an answer to its end.
pub(crate) async fn reply(response: h2::client::ResponseFuture) -> Result<Reply, h2::Error> {
    let read = async {
        let (head, mut stream) = response.await?.into_parts();
        let mut body = Vec::new();
        let mut whole = true;
        while let Some(data) = stream.data().await {
            let Ok(data) = data else {
                whole = false;
                break;
            };
            stream.flow_control().release_capacity(data.len())?;
            body.extend_from_slice(&data);
        }
        let trailers = stream.trailers().await.unwrap_or_default();
        Ok(Reply { status: head.status.as_u16(), body, trailers: trailers.unwrap_or_default(), whole })
    };
    let bound = Duration::from_secs(30);
    timeout(bound, read).await.expect("it does not hang")
}
