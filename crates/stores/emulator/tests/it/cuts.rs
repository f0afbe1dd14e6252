//! A connection that breaks after a write was done and before its answer came.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use sayso_stores::CosmosStore;
use sayso_turn::store::{Error, Saved, Store};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};

use super::{
    scene::{committed, create, key, replace, stored},
    server::{Server, config, free_port},
};

/// Proxy between the store and the server. On request it lets the next answers come, keeps them,
/// and closes the connection instead.
#[derive(Clone, Debug, Default)]
struct Knife {
    cuts: Arc<AtomicU32>,
    done: Arc<AtomicU32>,
}

impl Knife {
    async fn serve(self, listener: TcpListener, server: u16) {
        while let Ok((client, _)) = listener.accept().await {
            drop(tokio::spawn(self.clone().carry(client, server)));
        }
    }

    async fn carry(self, client: TcpStream, server: u16) -> std::io::Result<()> {
        let server = TcpStream::connect(("127.0.0.1", server)).await?;
        let (mut from_client, mut to_client) = client.into_split();
        let (mut from_server, mut to_server) = server.into_split();
        let asks = async move { tokio::io::copy(&mut from_client, &mut to_server).await };
        let answers = async move {
            let mut buffer = vec![0; 1 << 16];
            loop {
                let length = from_server.read(&mut buffer).await?;
                let Some(answer) = buffer.get(..length).filter(|answer| !answer.is_empty()) else {
                    return Ok(());
                };
                // Only an answer says 201 or 200; pings and windows are short.
                let is_answer = answer.len() > 100;
                let cut = |left: u32| left.checked_sub(1);
                if is_answer
                    && self.cuts.fetch_update(Ordering::SeqCst, Ordering::SeqCst, cut).is_ok()
                {
                    let _before = self.done.fetch_add(1, Ordering::SeqCst);
                    return Ok(());
                }
                to_client.write_all(answer).await?;
            }
        };
        tokio::select! {
            result = asks => result.map(|_| ()),
            result = answers => result,
        }
    }
}

async fn open() -> (CosmosStore, Knife, Server) {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let server = Server::start(free_port(), port).await;
    let knife = Knife::default();
    drop(tokio::spawn(knife.clone().serve(listener, server.port)));
    let store = CosmosStore::open(config(port)).await.unwrap();
    (store, knife, server)
}

#[tokio::test]
async fn a_write_whose_connection_breaks_is_never_a_conflict_with_itself() {
    let (store, knife, _server) = open().await;
    let mut etag = committed(store.save(create("[0]")).await.unwrap());
    let (mut recognised, mut unknown) = (0, 0);
    for number in 1..=20 {
        let body = format!("[{number}]");
        knife.cuts.store(1, Ordering::SeqCst);
        match store.save(replace(&etag, &body)).await {
            Ok(Saved::Committed(_)) => recognised += 1,
            Err(Error::Unknown { .. }) => unknown += 1,
            Ok(Saved::Conflict) => panic!("our own write is taken for somebody else's"),
            Err(error) => panic!("{error:?}"),
        }
        knife.cuts.store(0, Ordering::SeqCst);
        assert_eq!(stored(&store).await, Some(body), "it was done before the answer was cut");
        etag = store.load(&key()).await.unwrap().unwrap().etag;
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert_eq!(knife.done.load(Ordering::SeqCst), 20, "every answer was cut");
    assert_eq!(recognised + unknown, 20);
    assert!(recognised > 0, "the library sends again, and the store recognises its write");
}
