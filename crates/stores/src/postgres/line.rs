//! One connection to the server, and the notices that change what an answer means.

use std::{
    future::poll_fn,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use deadpool_postgres::ClientWrapper;
use tokio_postgres::{
    AsyncMessage, Client, Config, Connection, NoTls, SimpleQueryMessage, Socket,
    error::{DbError, SqlState},
    tls::TlsStream,
};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::failure::{Cause, Failure};

/// A connection that was not checked yet. It is closed when dropped, answered or not.
#[derive(Debug)]
pub(super) struct Line {
    /// With a cache of prepared statements.
    pub(super) client: ClientWrapper,
    is_unreplicated: Arc<AtomicBool>,
}

impl Line {
    pub(super) async fn dial(
        server: &Config,
        tls: Option<&MakeRustlsConnect>,
    ) -> Result<Self, Failure> {
        let failed = |error| Failure::before(&error);
        Ok(match tls {
            None => Self::start(server.connect(NoTls).await.map_err(failed)?),
            Some(tls) => Self::start(server.connect(tls.clone()).await.map_err(failed)?),
        })
    }

    fn start<T>((client, connection): (Client, Connection<Socket, T>)) -> Self
    where
        T: TlsStream + Unpin + Send + 'static,
    {
        let is_unreplicated = Arc::new(AtomicBool::new(false));
        let task = tokio::spawn(drive(connection, Arc::clone(&is_unreplicated)));
        Self { client: ClientWrapper::new(client, task), is_unreplicated }
    }

    /// True if the server acknowledged a write that its synchronous standby may not have.
    pub(super) fn is_unreplicated(&self) -> bool {
        self.is_unreplicated.load(Ordering::SeqCst)
    }
}

/// Asks for one value, without a prepared statement.
pub(super) async fn first_value(client: &Client, sql: &str) -> Result<Option<String>, Failure> {
    let answer = client.simple_query(sql).await.map_err(|error| Failure::before(&error))?;
    Ok(answer.iter().find_map(|message| match message {
        SimpleQueryMessage::Row(row) => row.get(0).map(str::to_owned),
        _ => None,
    }))
}

/// Reads what the server sends. A notice comes before the end of the answer that it is about, so
/// who has the whole answer finds the notice noted.
async fn drive<T>(mut connection: Connection<Socket, T>, is_unreplicated: Arc<AtomicBool>)
where
    T: TlsStream + Unpin,
{
    while let Some(message) = poll_fn(|context| connection.poll_message(context)).await {
        match message {
            Ok(AsyncMessage::Notice(notice)) if is_cancelled_wait(&notice) => {
                is_unreplicated.store(true, Ordering::SeqCst);
            }
            Ok(_) => {}
            Err(error) => {
                tracing::debug!("connection to PostgreSQL ended: {}", Cause::of(&error));
                return;
            }
        }
    }
}

/// True for `canceling wait for synchronous replication`: the server then acknowledges the commit
/// although no synchronous standby has it. Told by the name of the server's function, since the
/// text comes in the server's language.
fn is_cancelled_wait(notice: &DbError) -> bool {
    notice.routine() == Some("SyncRepWaitForLSN")
        || (*notice.code() == SqlState::WARNING
            && notice.message().contains("synchronous replication"))
}
