//! Client of the connector's REST API, against fake channels.

mod addresses;
mod bodies;
mod exchange;
mod faults;
mod recordings;
pub(crate) mod sdk;
mod tokens;
mod user_tokens;

use std::time::Duration;

use sayso_channel::{
    ConnectorOptions,
    client::{Client, Service},
};

use crate::support::PATIENCE;

/// A channel on this machine.
fn channel(service_url: &str, timeout: Duration) -> Service {
    let options = ConnectorOptions { timeout, ..Default::default() };
    Client::new(options).unwrap().at(service_url).unwrap()
}

/// A channel on this machine, with a long timeout.
fn patient(service_url: &str) -> Service {
    channel(service_url, PATIENCE)
}
