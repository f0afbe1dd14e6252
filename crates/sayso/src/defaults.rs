//! Default address and store, of a server and of its configuration.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

/// Default address of a server, with the port that Bot Framework tools expect.
pub const DEFAULT_ADDRESS: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 3978);

/// Default store of a server, as a URL.
pub const DEFAULT_STORE: &str = "sqlite:data/sayso.sqlite";
