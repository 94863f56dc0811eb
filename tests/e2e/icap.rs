//! The filters as a service for another proxy: ICAP by hand, by c-icap's client, by the client of the crate icap-rs, and by Squid.

mod conversation;
mod icap_rs_client;
mod squid;

use std::{net::SocketAddr, sync::Arc};

use tokio::net::TcpListener;

use crate::harness::TestProxy;

/// A proxy, and the address of its service.
async fn service(yaml: &str) -> (TestProxy, SocketAddr) {
    let proxy = TestProxy::start(yaml).await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let addr = listener.local_addr().unwrap();
    tokio::spawn(gleaner::icap::serve(listener, Arc::clone(&proxy.proxy), proxy.shutdown.clone()));
    (proxy, addr)
}
