//! Check of the listen address, and of the admin address.

use std::{
    io,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    sync::Arc,
};

use tokio::net::TcpListener;

use super::{finding::Finding, patient::Patient, web::client};

/// Binds the address; if it is in use, probes whoever listens there.
pub(super) async fn check(patient: Arc<Patient>) -> Finding {
    let address = patient.config.address();
    let has_app = matches!(patient.auth, Ok(Some(_)));
    if !address.ip().is_loopback() && !has_app {
        return Finding::failed(
            format!("{address} can be reached from outside, and no authentication is set up"),
            format!(
                "set MicrosoftAppId and MicrosoftAppPassword, or use 127.0.0.1:{}",
                address.port()
            ),
        );
    }
    match TcpListener::bind(address).await {
        Ok(_) => free(address, patient.config.admin_address()).await,
        Err(error) if error.kind() == io::ErrorKind::AddrInUse => in_use(&patient, address).await,
        Err(error) => Finding::failed(
            format!("cannot listen on {address}: {error}"),
            match error.kind() {
                io::ErrorKind::PermissionDenied => "use a port above 1023",
                io::ErrorKind::AddrNotAvailable => "use an address of this machine",
                _ => "use another address (--address, SAYSO_ADDRESS)",
            },
        ),
    }
}

/// The address is free; checks that the admin address is free, too.
async fn free(address: SocketAddr, admin: Option<SocketAddr>) -> Finding {
    if let Some(admin) = admin
        && let Err(error) = TcpListener::bind(admin).await
    {
        return Finding::failed(
            format!("cannot listen on {admin}, for health and statistics: {error}"),
            "use another address, or none (--admin-address, SAYSO_ADMIN_ADDRESS): off",
        );
    }
    match address.port() {
        0 => Finding::ok(format!("any free port of {}", address.ip())),
        _ => Finding::ok(format!("{address} is free")),
    }
}

/// Asks the admin address for health: a bot of ours may listen there.
async fn in_use(patient: &Patient, address: SocketAddr) -> Finding {
    let unknown = |because: &str| {
        Finding::warning(
            format!("{address} is in use; with {because} nobody can say by whom"),
            format!("stop it, or use another address: --address {}:0", address.ip()),
        )
    };
    let Some(admin) = patient.config.admin_address() else {
        return unknown("admin-address off");
    };
    // Its certificate is for the names of others, and it may ask for one.
    if !matches!(patient.config.admin_tls(), Ok(None)) {
        return unknown("admin-tls");
    }
    let health = ask(admin, "healthz").await;
    if health != Some((200, "ok".to_owned())) {
        return Finding::failed(
            format!("{address} is in use by something else"),
            format!("stop it, or use another address: --address {}:0", address.ip()),
        );
    }
    match ask(admin, "readyz").await {
        Some((200, _)) => Finding::ok(format!("{address} is in use by a bot that is ready")),
        _ => Finding::warning(
            format!("{address} is in use by a bot that is not ready"),
            "see its log: its store may not answer, or it may be shutting down",
        ),
    }
}

async fn ask(mut address: SocketAddr, page: &str) -> Option<(u16, String)> {
    match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => address.set_ip(Ipv4Addr::LOCALHOST.into()),
        IpAddr::V6(ip) if ip.is_unspecified() => address.set_ip(Ipv6Addr::LOCALHOST.into()),
        _ => {}
    }
    let mut answer = client()?.get(format!("http://{address}/{page}")).send().await.ok()?;
    let status = answer.status().as_u16();
    // The first piece is enough to know it by; a stranger may send without end.
    let body = answer.chunk().await.ok()?.unwrap_or_default();
    Some((status, String::from_utf8_lossy(&body).into_owned()))
}
