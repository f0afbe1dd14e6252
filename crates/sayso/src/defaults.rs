//! Default address and store, of a server and of its configuration.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

/// Default address of a server, with the port that Bot Framework tools expect.
pub const DEFAULT_ADDRESS: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 3978);

/// Default store of a server, as a URL.
pub const DEFAULT_STORE: &str = "sqlite:data/sayso.sqlite";

/// Distance of the default admin port from the port of the bot.
const APART: u16 = 10_000;

/// The default admin address of a bot that listens on this address: on loopback, 10,000 ports
/// further (10,000 below, beyond port 55,535), and any free port beside any free port.
///
/// So bots with ports of their own have admin addresses of their own.
///
/// # Example
/// ```
/// use sayso::server::default_admin_address;
///
/// let admin = default_admin_address(([0, 0, 0, 0], 3978).into());
/// assert_eq!(admin.to_string(), "127.0.0.1:13978");
/// let admin = default_admin_address(([127, 0, 0, 2], 60000).into());
/// assert_eq!(admin.to_string(), "127.0.0.2:50000");
/// ```
#[must_use]
pub fn default_admin_address(address: SocketAddr) -> SocketAddr {
    let ip = match address.ip() {
        ip if ip.is_loopback() => ip,
        _ => IpAddr::V4(Ipv4Addr::LOCALHOST),
    };
    let port = match address.port() {
        0 => 0,
        port => port.checked_add(APART).unwrap_or_else(|| port.wrapping_sub(APART)),
    };
    SocketAddr::new(ip, port)
}
