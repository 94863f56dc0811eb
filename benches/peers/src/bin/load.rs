//! Requests through a proxy that runs already, for a profiler: `load PORT [CONNECTIONS [EACH]]`, one connection and 2,000 requests
//! without arguments. The origin is within this program.

use std::{env, net::SocketAddr, sync::Arc};

use gleaner_peers::road::{client, origin};

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let mut arguments = env::args().skip(1).map(|number| number.parse::<usize>());
    let mut next = |default| arguments.next().unwrap_or(Ok(default));
    let port = u16::try_from(next(8118)?)?;
    let (connections, each) = (next(1)?, next(2_000)?);
    let origin = origin::start(None, Arc::default()).await?;
    client::small(
        SocketAddr::from(([127, 0, 0, 1], port)),
        origin,
        connections,
        each,
    )
    .await?;
    Ok(())
}
