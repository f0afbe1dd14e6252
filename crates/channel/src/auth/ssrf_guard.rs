//! SSRF guard: refuses host names that resolve to non-public addresses.
//!
//! A name on an allow-list can still resolve to an internal address: this machine, its neighbours
//! or the cloud's metadata service. So the addresses are checked after DNS resolution, and names
//! are resolved anew for every connection.

use std::{
    io,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
};

use futures_util::future::BoxFuture;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};

/// DNS resolver that refuses names with an address that is not public.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SsrfGuard {
    look_up: fn(String) -> BoxFuture<'static, io::Result<Vec<SocketAddr>>>,
}

impl SsrfGuard {
    /// Uses the system's resolver.
    pub(crate) fn new() -> Self {
        Self { look_up: |name| Box::pin(look_up(name)) }
    }

    #[cfg(test)]
    pub(crate) fn with_resolver(
        look_up: fn(String) -> BoxFuture<'static, io::Result<Vec<SocketAddr>>>,
    ) -> Self {
        Self { look_up }
    }

    /// Resolves a name to its addresses, all of them public.
    pub(crate) async fn look_up(
        self,
        name: &str,
    ) -> Result<Vec<SocketAddr>, Box<dyn std::error::Error + Send + Sync>> {
        let addresses = (self.look_up)(name.to_owned()).await?;
        // One internal address is enough to refuse the name: whoever controls the DNS record could
        // influence which address is tried.
        if !addresses.iter().all(|address| is_public(address.ip())) {
            return Err(
                "the host name resolves to an address that is not public; to allow that, set \
                        private_addresses"
                    .into(),
            );
        }
        Ok(addresses)
    }
}

impl Resolve for SsrfGuard {
    fn resolve(&self, name: Name) -> Resolving {
        let this = *self;
        Box::pin(async move {
            let addresses = this.look_up(name.as_str()).await?;
            Ok(Box::new(addresses.into_iter()) as Addrs)
        })
    }
}

/// Resolves a name with the system's resolver.
pub(crate) async fn look_up(name: String) -> io::Result<Vec<SocketAddr>> {
    Ok(tokio::net::lookup_host((name, 0)).await?.collect())
}

/// Reports whether an address belongs to the public internet.
pub(crate) fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    let is_special = address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_broadcast()
        || address.is_documentation()
        || address.is_multicast()
        || a == 0
        || a >= 240
        // Carrier-grade NAT (RFC 6598).
        || (a == 100 && (64..128).contains(&b))
        || (a, b, c) == (192, 0, 0)
        // Benchmarking (RFC 2544).
        || (a == 198 && (18..20).contains(&b))
        // Azure's virtual machine agent (WireServer).
        || address == Ipv4Addr::new(168, 63, 129, 16);
    !is_special
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let [a, b, c, d, e, f, g, h] = address.segments();
    let v4 = |high: u16, low: u16| {
        let [[a, b], [c, d]] = [high.to_be_bytes(), low.to_be_bytes()];
        is_public_v4(Ipv4Addr::new(a, b, c, d))
    };
    match (a, b) {
        // An embedded IPv4 address: mapped, NAT64 or 6to4.
        (0, 0) if (c, d, e, f) == (0, 0, 0, 0xffff) => v4(g, h),
        (0x64, 0xff9b) if (c, d, e, f) == (0, 0, 0, 0) => v4(g, h),
        (0x2002, _) => v4(b, c),
        // Teredo, and documentation addresses.
        (0x2001, 0 | 0x0db8) => false,
        // Global unicast: 2000::/3 is all that is allocated today.
        _ => a & 0xe000 == 0x2000,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_of_the_public_network_are_public() {
        for text in ["8.8.8.8", "52.1.2.3", "172.32.0.1", "100.128.0.1", "2603:1030::1"] {
            assert!(is_public(text.parse().unwrap()), "{text}");
        }
        for text in [
            "0.0.0.0",
            "0.1.2.3",
            "10.0.0.1",
            "100.64.0.1",
            "100.127.255.255",
            "127.0.0.1",
            "127.9.9.9",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.192",
            "192.168.1.1",
            "192.0.2.1",
            "198.18.0.1",
            "198.51.100.1",
            "203.0.113.1",
            "224.0.0.1",
            "240.0.0.1",
            "255.255.255.255",
            "168.63.129.16",
            "::",
            "::1",
            "::7f00:1",
            "fe80::1",
            "fec0::1",
            "fc00::1",
            "fd00:ec2::254",
            "ff02::1",
            "::ffff:127.0.0.1",
            "::ffff:169.254.169.254",
            "64:ff9b::a00:1",
            "64:ff9b:1::1",
            "2002:7f00:1::",
            "2002:a9fe:a9fe::",
            "2001::1",
            "2001:db8::1",
            "100::1",
        ] {
            assert!(!is_public(text.parse().unwrap()), "{text}");
        }
        assert!(is_public("::ffff:8.8.8.8".parse().unwrap()));
        assert!(is_public("64:ff9b::808:808".parse().unwrap()));
    }

    fn client(
        look_up: fn(String) -> BoxFuture<'static, io::Result<Vec<SocketAddr>>>,
    ) -> reqwest::Client {
        reqwest::Client::builder()
            .no_proxy()
            .timeout(std::time::Duration::from_secs(2))
            .dns_resolver(SsrfGuard { look_up })
            .build()
            .unwrap()
    }

    #[tokio::test]
    async fn a_name_that_leads_inside_is_not_called() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let inside = |_| -> BoxFuture<'static, _> {
            let both = [Ipv4Addr::LOCALHOST, Ipv4Addr::new(8, 8, 8, 8)];
            Box::pin(async move { Ok(both.map(|ip| (ip, 0).into()).to_vec()) })
        };
        let url = format!("http://channel.example:{port}/");
        let error = client(inside).get(url).send().await.unwrap_err();
        assert!(error.is_connect(), "{error:?}");
        assert!(format!("{error:?}").contains("not public"), "{error:?}");
        assert!(futures_util::FutureExt::now_or_never(listener.accept()).is_none());
    }

    #[tokio::test]
    async fn the_machines_own_name_is_not_public() {
        let name: Name = "localhost".parse().unwrap();
        let error = SsrfGuard::new().resolve(name).await.err().unwrap();
        assert!(error.to_string().contains("not public"), "{error}");
    }
}
