//! Microsoft's in-memory emulator of Cosmos DB over HTTP, for tests:
//! `sayso-cosmos-emulator PORT [PUBLIC]`.
//!
//! An account tells its clients where it is. `PUBLIC` is the port that it names, when something
//! stands between the clients and this program.
//!
//! This program serves the loopback address only, keeps everything in memory, and checks no keys.

use std::env;

use anyhow::Context;
use azure_core::http::Url;
use azure_data_cosmos_driver::in_memory_emulator::{
    ConsistencyLevel, VirtualAccountConfig, VirtualRegion,
};
use sayso_cosmos_emulator::Emulator;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let ports = env::args().skip(1).map(|port| port.parse::<u16>());
    let ports: Vec<u16> = ports.collect::<Result<_, _>>().context("a port is not a number")?;
    let (port, public) = match ports.as_slice() {
        [port] => (*port, *port),
        [port, public] => (*port, *public),
        _ => anyhow::bail!("use: sayso-cosmos-emulator PORT [PUBLIC]"),
    };
    let base = Url::parse(&format!("http://127.0.0.1:{public}/"))?;
    let account = VirtualAccountConfig::new(vec![VirtualRegion::new("East US", base.clone())])?
        .with_consistency(ConsistencyLevel::Session);
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", port)).await?;
    Emulator::new(account, base).serve(listener).await?;
    Ok(())
}
