//! Session: a connection that was checked (health check) and set up, and the questions of the
//! check.

use tokio_postgres::Client;

use super::{
    failure::Failure,
    line::{Line, first_value},
    pooler::{self, Backend, Seat},
    product,
};

/// A session that was checked and set up.
#[derive(Debug)]
pub(super) struct Session {
    pub(super) line: Line,
    /// The number of its server.
    pub(super) host: usize,
    pub(super) era: u64,
    _seat: Seat,
}

impl Session {
    pub(super) fn new(line: Line, seat: Seat) -> Self {
        Self { line, host: 0, era: 0, _seat: seat }
    }

    pub(super) fn of(self, host: usize, era: u64) -> Self {
        Self { host, era, ..self }
    }
}

/// The first answers of a server.
pub(super) struct Greeting {
    pub(super) backend: Backend,
    pub(super) only_reads: bool,
}

/// Asks what the server is and which process of it we talk to. Sets nothing.
pub(super) async fn greet(client: &Client) -> Result<Greeting, Failure> {
    // All at once (pipelined): on a bad network each answer is a risk.
    let (version, backend, only_reads) = tokio::join!(
        first_value(client, "SELECT version()"),
        pooler::backend(client),
        first_value(client, "SHOW transaction_read_only"),
    );
    product::refuse_others(version?.as_deref().unwrap_or_default())?;
    Ok(Greeting { backend: backend?, only_reads: only_reads?.as_deref() == Some("on") })
}
