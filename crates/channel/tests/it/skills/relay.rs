//! Relay with an address that is known before the one that it leads to.

use std::{
    net::SocketAddr,
    sync::{Arc, OnceLock},
};

use tokio::{
    io::copy_bidirectional,
    net::{TcpListener, TcpStream},
};

/// A listener that passes connections on.
pub(crate) struct Relay {
    address: SocketAddr,
    target: Arc<OnceLock<SocketAddr>>,
}

impl Relay {
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (address, target) = (listener.local_addr().unwrap(), Arc::new(OnceLock::new()));
        let leads_to = Arc::clone(&target);
        drop(tokio::spawn(async move {
            while let Ok((mut from, _)) = listener.accept().await {
                let target = *leads_to.get().expect("nobody calls before it leads anywhere");
                drop(tokio::spawn(async move {
                    let mut to = TcpStream::connect(target).await?;
                    copy_bidirectional(&mut from, &mut to).await
                }));
            }
        }));
        Self { address, target }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub(crate) fn lead_to(&self, target: SocketAddr) {
        self.target.set(target).expect("it leads to one place");
    }
}
