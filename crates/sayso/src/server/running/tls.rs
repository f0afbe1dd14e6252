//! TLS of a listener: the certificate in use, replaced when its files change.
//!
//! The files are looked at every few seconds, because that notices every way of replacing them: a
//! rename, a write in place, the symbolic links of Kubernetes. Only handshakes after a change see
//! it; connections that are open go on. Files that cannot be used change nothing but the log.

use std::{
    fmt,
    net::SocketAddr,
    sync::Arc,
    time::{Duration, Instant, SystemTime},
};

use rustls::ServerConfig;
use tokio::sync::watch;
use tokio_rustls::TlsAcceptor;

use crate::config::{TlsError, TlsFiles, TlsIdentity, TlsTexts, Validity};

/// Time between two looks at the files.
pub(in crate::server) const LOOK_EVERY: Duration = Duration::from_secs(5);

/// Time between two lines in the log about the same trouble.
const REPEAT_EVERY: Duration = Duration::from_secs(10 * 60);

/// Time between two warnings of a certificate that is about to expire.
const WARN_EVERY: Duration = Duration::from_secs(24 * 60 * 60);

/// TLS of a listener. Dropping the last clone ends the looks at its files.
#[derive(Clone)]
pub(in crate::server) struct Tls {
    current: watch::Receiver<Arc<ServerConfig>>,
    has_clients: bool,
}

impl fmt::Debug for Tls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tls").field("has_clients", &self.has_clients).finish_non_exhaustive()
    }
}

impl Tls {
    /// Reads the files now, and again and again. `address` names the listener in the log.
    pub(in crate::server) fn start(
        files: TlsFiles,
        address: SocketAddr,
        every: Duration,
    ) -> Result<Self, TlsError> {
        let (watched, identity) = Watched::new(files)?;
        let now = SystemTime::now();
        let validity = identity.validity.at(now);
        match identity.validity.is_valid(now) {
            true => tracing::info!("TLS on {address}: certificate {watched}, {validity}"),
            false => tracing::error!(
                "TLS on {address}: certificate {watched} is not valid: {validity}; clients will \
                 refuse it until its file is replaced"
            ),
        }
        let has_clients = watched.files.has_clients();
        let (sender, current) = watch::channel(identity.config);
        tokio::spawn(keep_up(watched, identity.validity, sender, address, every));
        Ok(Self { current, has_clients })
    }

    /// The acceptor for a handshake that begins now.
    pub(super) fn acceptor(&self) -> TlsAcceptor {
        TlsAcceptor::from(Arc::clone(&self.current.borrow()))
    }
}

/// Looks at the files until nobody needs them any more.
async fn keep_up(
    mut watched: Watched,
    mut validity: Validity,
    sender: watch::Sender<Arc<ServerConfig>>,
    address: SocketAddr,
    every: Duration,
) {
    let (mut trouble, mut warned) = (Repeated::new(REPEAT_EVERY), Repeated::new(WARN_EVERY));
    loop {
        tokio::select! {
            biased;
            () = sender.closed() => return,
            () = tokio::time::sleep(every) => {}
        }
        let looking = tokio::task::spawn_blocking(move || {
            let seen = watched.look(SystemTime::now(), &validity);
            (watched, seen)
        });
        let Ok((back, seen)) = looking.await else { return };
        watched = back;
        let now = SystemTime::now();
        match seen {
            Seen::Same => trouble.reset(),
            Seen::Replaced(identity) => {
                (validity, warned) = (identity.validity, Repeated::new(WARN_EVERY));
                trouble.reset();
                sender.send_replace(identity.config);
                let validity = validity.at(now);
                tracing::info!("TLS on {address}: certificate {watched} was replaced, {validity}");
            }
            Seen::Broken(reason) if trouble.is_due() => tracing::error!(
                "TLS on {address}: the new files cannot be used, so the old certificate stays \
                 ({}): {reason}",
                validity.at(now)
            ),
            Seen::Unsettled | Seen::Broken(_) => {}
        }
        if validity.is_short(now) && warned.is_due() {
            let validity = validity.at(now);
            tracing::warn!("TLS on {address}: replace the certificate {watched}: {validity}");
        }
    }
}

/// The files, and their contents that were seen last.
#[derive(Debug)]
struct Watched {
    files: TlsFiles,
    /// Those in use.
    used: TlsTexts,
    /// Trouble with the files at the last look; none if they were well.
    broken: Option<String>,
}

/// Result of a look at the files.
#[derive(Debug)]
enum Seen {
    Same,
    Replaced(TlsIdentity),
    /// Trouble for the first time: perhaps only one file of the pair is written yet.
    Unsettled,
    Broken(String),
}

impl Watched {
    fn new(files: TlsFiles) -> Result<(Self, TlsIdentity), TlsError> {
        let used = files.read()?;
        let identity = files.understand(&used)?;
        Ok((Self { files, used, broken: None }, identity))
    }

    /// Looks whether the files have changed, and whether the new ones are better than what is used.
    fn look(&mut self, now: SystemTime, used: &Validity) -> Seen {
        let read = self.files.read().and_then(|texts| {
            let is_new = texts != self.used;
            let identity = is_new.then(|| self.files.understand(&texts)).transpose()?;
            Ok(identity.map(|identity| (texts, identity)))
        });
        let reason = match read {
            Ok(None) => {
                self.broken = None;
                return Seen::Same;
            }
            Ok(Some((_, identity))) if !identity.validity.is_valid(now) && used.is_valid(now) => {
                format!("the new certificate is not valid: {}", identity.validity.at(now))
            }
            Ok(Some((texts, identity))) => {
                (self.used, self.broken) = (texts, None);
                return Seen::Replaced(identity);
            }
            Err(error) => error.to_string(),
        };
        let is_known = self.broken.as_ref() == Some(&reason);
        self.broken = Some(reason.clone());
        if is_known { Seen::Broken(reason) } else { Seen::Unsettled }
    }
}

impl fmt::Display for Watched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.files)
    }
}

/// Something that is said again only after a while.
#[derive(Debug)]
struct Repeated {
    every: Duration,
    last: Option<Instant>,
}

impl Repeated {
    fn new(every: Duration) -> Self {
        Self { every, last: None }
    }

    fn is_due(&mut self) -> bool {
        let is_due = self.last.is_none_or(|last| last.elapsed() >= self.every);
        if is_due {
            self.last = Some(Instant::now());
        }
        is_due
    }

    fn reset(&mut self) {
        self.last = None;
    }
}

#[cfg(unix)]
#[cfg(test)]
mod tests;
