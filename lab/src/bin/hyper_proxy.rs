//! A minimal forward proxy of hyper, for comparison: plain requests and tunnels, no rules, no limits, no log.

use std::{convert::Infallible, net::SocketAddr};

use http_body_util::{BodyExt, Empty, combinators::BoxBody};
use hyper::{
    Method, Request, Response, StatusCode,
    body::{Bytes, Incoming},
    server::conn::http1,
    service::service_fn,
};
use hyper_util::{
    client::legacy::{Client, connect::HttpConnector},
    rt::{TokioExecutor, TokioIo},
};
use tokio::net::{TcpListener, TcpStream};

type Body = BoxBody<Bytes, hyper::Error>;

#[tokio::main]
async fn main() -> std::io::Result<()> {
    let port = std::env::args().nth(1).and_then(|port| port.parse().ok()).unwrap_or(0);
    let listener = TcpListener::bind(SocketAddr::from(([127, 0, 0, 1], port))).await?;
    let mut connector = HttpConnector::new();
    connector.set_nodelay(true);
    let client = Client::builder(TokioExecutor::new()).build::<_, Incoming>(connector);
    loop {
        let (stream, _) = listener.accept().await?;
        let _ = stream.set_nodelay(true);
        let client = client.clone();
        tokio::spawn(async move {
            let service = service_fn(|request| answer(client.clone(), request));
            let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), service).with_upgrades().await;
        });
    }
}

async fn answer(
    client: Client<HttpConnector, Incoming>,
    request: Request<Incoming>,
) -> Result<Response<Body>, Infallible> {
    if request.method() == Method::CONNECT {
        return Ok(Response::new(tunnel(request)));
    }
    Ok(client.request(request).await.map_or_else(
        |_| {
            let mut response = Response::new(empty());
            *response.status_mut() = StatusCode::BAD_GATEWAY;
            response
        },
        |response| response.map(BodyExt::boxed),
    ))
}

fn tunnel(request: Request<Incoming>) -> Body {
    tokio::spawn(async move {
        let Some(place) = request.uri().authority().map(ToString::to_string) else {
            return;
        };
        let Ok(client) = hyper::upgrade::on(request).await else {
            return;
        };
        let Ok(mut upstream) = TcpStream::connect(place).await else {
            return;
        };
        let _ = tokio::io::copy_bidirectional(&mut TokioIo::new(client), &mut upstream).await;
    });
    empty()
}

fn empty() -> Body {
    Empty::new().map_err(|never| match never {}).boxed()
}
