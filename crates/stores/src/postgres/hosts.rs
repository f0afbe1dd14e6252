//! Failover: the servers of a URL, tried in turn for one that takes writes.
//!
//! Each has a short time limit for the whole of a connection: TCP, TLS, start-up and our own
//! checks. A frozen server accepts connections and then says nothing, so a limit on TCP alone would
//! wait for it for ever. The server that answered last is tried first.
//!
//! Settings do not fail over, so every new connection is checked, not only the first.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
    },
    time::Duration,
};

use tokio::time::{Instant, timeout};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::{
    config::PostgresConfig,
    failure::Failure,
    line::Line,
    lineage::Lineage,
    pooler::{self, Backends},
    session::{self, Session},
    settings,
    sql::Names,
    tls,
};
use crate::{
    certificate::ClientCertificate,
    login::{Login, Password},
    sync::lock,
};

/// The time limit of a connection to one of several servers. That to the only one may take as long
/// as the call.
const ANSWER_MAX: Duration = Duration::from_secs(3);

/// The pause after a server has turned us away, by a wrong password for example.
const REFUSED_FOR: Duration = Duration::from_secs(1);

/// The scope of tokens for PostgreSQL of Azure.
const SCOPE: &str = "https://ossrdbms-aad.database.windows.net/.default";

/// The servers of a URL.
pub(super) struct Hosts {
    store: Arc<str>,
    names: Names,
    is_unsafe_allowed: bool,
    tls: Option<MakeRustlsConnect>,
    login: Login,
    hosts: Vec<Host>,
    answer_max: Duration,
    /// The server to try first.
    first: AtomicUsize,
    /// Raised when a server falls silent: sessions of an earlier era are not used again.
    era: AtomicU64,
    is_open: AtomicBool,
    lineage: Lineage,
    /// The warnings that were logged last.
    warnings: Mutex<Vec<String>>,
    refused: Mutex<Option<(Instant, Failure)>>,
}

struct Host {
    place: String,
    server: tokio_postgres::Config,
    backends: Arc<Backends>,
    /// True once it is known that no pooler shares its sessions.
    is_direct: AtomicBool,
    /// Of many connections at once, one looks for a pooler.
    look: tokio::sync::Mutex<()>,
}

impl Hosts {
    pub(super) fn new(config: &PostgresConfig, store: &Arc<str>) -> Result<Self, Failure> {
        if config.login.is_token() && !config.is_private() {
            return Err(Failure::never(
                "a token of Entra ID is sent over TLS only; add sslmode=verify-full (or require) to \
                 the URL",
            ));
        }
        let login = config.login.open(SCOPE).map_err(Failure::never)?;
        let certificate = config.certificate.clone().map(ClientCertificate::open);
        let certificate = certificate.transpose().map_err(Failure::never)?;
        let servers = config.servers();
        let count = u32::try_from(servers.len()).unwrap_or(u32::MAX).max(1);
        let limit = if count == 1 { config.timeout } else { ANSWER_MAX };
        let limit = config.server.get_connect_timeout().copied().unwrap_or(limit);
        // One more part than servers, so that the last has time for the call itself.
        let part = if count == 1 { config.timeout } else { config.timeout / (count + 1) };
        let answer_max = limit.min(part);
        let hosts = servers.into_iter().map(|(place, mut server)| {
            // Half of it, since a name may have two addresses.
            let _server = server.connect_timeout(answer_max / 2);
            Host {
                place,
                server,
                backends: Arc::default(),
                is_direct: AtomicBool::new(false),
                look: tokio::sync::Mutex::default(),
            }
        });
        Ok(Self {
            store: Arc::clone(store),
            names: config.names.clone(),
            is_unsafe_allowed: config.is_unsafe_allowed,
            tls: config
                .proof
                .as_ref()
                .map(|proof| tls::connector(proof, certificate))
                .transpose()?,
            login,
            hosts: hosts.collect(),
            answer_max,
            first: AtomicUsize::new(0),
            era: AtomicU64::new(0),
            is_open: AtomicBool::new(false),
            lineage: Lineage::default(),
            warnings: Mutex::default(),
            refused: Mutex::default(),
        })
    }

    /// Marks the store as open: what refuses us from now on is a trouble that may pass.
    pub(super) fn opened(&self) {
        self.is_open.store(true, Ordering::SeqCst);
    }

    /// Connects to the first server that answers in time and takes writes.
    pub(super) async fn connect(&self, set_up: &str) -> Result<Session, Failure> {
        if let Some(failure) = self.refusal() {
            return Err(failure);
        }
        let (first, era) = (self.first.load(Ordering::SeqCst), self.era.load(Ordering::SeqCst));
        let mut failures = Vec::new();
        let in_turn = self.hosts.iter().enumerate().cycle().skip(first).take(self.hosts.len());
        for (number, host) in in_turn {
            let mut trial = Trial { hosts: self, number, is_answered: false };
            let failure = match timeout(self.answer_max, self.contact(host, set_up)).await {
                Ok(Ok((session, is_newer))) => {
                    trial.is_answered = true;
                    self.first.store(number, Ordering::SeqCst);
                    if !is_newer && number == first {
                        return Ok(session.of(number, era));
                    }
                    // Sessions to the server before, which may still be there, are not trusted.
                    let era = self.era.fetch_add(1, Ordering::SeqCst) + 1;
                    return Ok(session.of(number, era));
                }
                Ok(Err(failure)) => failure,
                Err(_) => Failure::no_answer(self.answer_max),
            };
            failures.push((host.place.as_str(), failure));
        }
        Err(self.refuse(Failure::of_all(&failures)))
    }

    /// Reads the settings of a server: warnings, or the reason why it cannot be used.
    pub(super) async fn check(
        &self,
        client: &tokio_postgres::Client,
    ) -> Result<Vec<String>, Failure> {
        let settings = settings::read(client, &self.names).await?;
        let warnings = settings.judge(self.is_unsafe_allowed, self.hosts.len())?;
        let mut logged = lock(&self.warnings);
        for warning in warnings.iter().filter(|warning| !logged.contains(warning)) {
            tracing::warn!(store = %self.store, "{warning}");
        }
        logged.clone_from(&warnings);
        Ok(warnings)
    }

    /// Notes that a session gave no answer in time: the others of its age are not trusted, and
    /// another server is tried first.
    pub(super) fn fell_silent(&self, number: usize, era: u64) {
        // Once, however many calls were waiting.
        let raised = self.era.compare_exchange(era, era + 1, Ordering::SeqCst, Ordering::SeqCst);
        if raised.is_ok() {
            self.put_last(number);
        }
    }

    pub(super) fn is_trusted(&self, era: u64) -> bool {
        era == self.era.load(Ordering::SeqCst)
    }

    /// Opens a session with a password that the server takes; true if the server is of a newer
    /// timeline than those before.
    async fn contact(&self, host: &Host, set_up: &str) -> Result<(Session, bool), Failure> {
        let mut tries = self.login.tries();
        loop {
            let password = self.login.password().await.map_err(Failure::later)?;
            let answer = self.contact_as(host, &host.entry(password.as_ref()), set_up).await;
            tries -= 1;
            let is_worth_another = tries > 0
                && answer.as_ref().is_err_and(Failure::is_about_login)
                && password.is_some_and(|password| self.login.refused(&password));
            if !is_worth_another {
                return answer;
            }
        }
    }

    async fn contact_as(
        &self,
        host: &Host,
        entry: &tokio_postgres::Config,
        set_up: &str,
    ) -> Result<(Session, bool), Failure> {
        let line = Line::dial(entry, self.tls.as_ref()).await?;
        let greeting = session::greet(&line.client).await?;
        if self.hosts.len() > 1 && greeting.only_reads {
            return Err(Failure::only_reads());
        }
        let (seat, is_taken) = host.backends.seat(greeting.backend);
        if is_taken {
            // By a connection that has just ended, or by one that shares the session.
            host.is_direct.store(false, Ordering::SeqCst);
        }
        // Before anything is set: settings must not get into a session that others share.
        self.refuse_pooler(host, entry, &line).await?;
        line.client.batch_execute(set_up).await.map_err(|error| Failure::before(&error))?;
        let (warnings, is_newer, backend) = tokio::join!(
            self.check(&line.client),
            self.lineage.refuse_replaced(&line.client),
            pooler::backend(&line.client),
        );
        let _warnings = warnings?;
        let is_newer = is_newer?;
        if backend? != *seat.backend() {
            host.is_direct.store(false, Ordering::SeqCst);
            return Err(Failure::shared_session());
        }
        Ok((Session::new(line, seat), is_newer))
    }

    async fn refuse_pooler(
        &self,
        host: &Host,
        entry: &tokio_postgres::Config,
        line: &Line,
    ) -> Result<(), Failure> {
        if host.is_direct.load(Ordering::SeqCst) {
            return Ok(());
        }
        let _turn = host.look.lock().await;
        if !host.is_direct.load(Ordering::SeqCst) {
            let peer = Line::dial(entry, self.tls.as_ref()).await?;
            pooler::refuse_shared(&line.client, &peer.client).await?;
            host.is_direct.store(true, Ordering::SeqCst);
        }
        Ok(())
    }

    fn refusal(&self) -> Option<Failure> {
        let refused = lock(&self.refused);
        let (since, failure) = refused.as_ref()?;
        (since.elapsed() < REFUSED_FOR).then(|| failure.clone())
    }

    /// Softens a refusal once the store is open: somebody is changing a password or a setting, and
    /// no turn must be given up for that. It is logged, at most once a second.
    fn refuse(&self, failure: Failure) -> Failure {
        if !self.is_open.load(Ordering::SeqCst) || !failure.is_final() {
            return failure;
        }
        tracing::error!(store = %self.store, "no new connection: {failure}");
        let failure = failure.into_passing();
        *lock(&self.refused) = Some((Instant::now(), failure.clone()));
        failure
    }

    fn put_last(&self, number: usize) {
        let next = (number + 1) % self.hosts.len();
        let _before = self.first.compare_exchange(number, next, Ordering::SeqCst, Ordering::SeqCst);
    }
}

impl Host {
    /// The server, with the password to present.
    fn entry(&self, password: Option<&Password>) -> tokio_postgres::Config {
        let mut entry = self.server.clone();
        if let Some(password) = password {
            let _entry = entry.password(password.text.expose());
        }
        entry
    }
}

/// An attempt to connect to a server. Without success, also when the caller ran out of time
/// meanwhile, another server is tried first the next time.
struct Trial<'a> {
    hosts: &'a Hosts,
    number: usize,
    is_answered: bool,
}

impl Drop for Trial<'_> {
    fn drop(&mut self) {
        if !self.is_answered {
            self.hosts.put_last(self.number);
        }
    }
}
