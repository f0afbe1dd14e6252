//! Classifies the errors of PostgreSQL by remedy: did the call happen, and what can be done?
//!
//! An error that the server itself reports has undone its statement: nothing happened. When the
//! connection breaks or the time is up while a write is in flight, the outcome is unknown.
//!
//! The client's errors are not passed on. Their details quote rows, and rows hold what users say.

use std::{borrow::Cow, error::Error as StdError, fmt, io, sync::Arc, time::Duration};

use sayso_turn::store::Error;
use tokio_postgres::error::{DbError, Severity};

use crate::certificate::is_refused;

/// SQLSTATE `read_only_sql_transaction`: the server takes no writes.
const READ_ONLY: &str = "25006";

/// SQLSTATE `invalid_authorization_specification` and `invalid_password`.
const LOGIN: [&str; 2] = ["28000", "28P01"];
const ONLY_READS: &str = "it only reads at the moment, as a standby does";

/// A classified error of PostgreSQL. All callers of one statement share it.
#[derive(Clone, Debug)]
pub(super) struct Failure {
    remedy: Remedy,
    reason: Cow<'static, str>,
    cause: Option<Arc<Cause>>,
    /// True if it would hit every other statement just the same.
    is_about_all: bool,
    /// True if the session can go on after it.
    keeps_session: bool,
    is_silence: bool,
    /// True if the server does not take the user or the password.
    is_about_login: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Remedy {
    /// It may have happened.
    Look,
    /// It did not happen and may succeed later.
    Later,
    /// It did not happen and never will.
    Never,
}

/// The effect of a statement, which decides whether its failure leaves doubt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    Read,
    Write,
}

impl Failure {
    /// A failure before anything was sent.
    pub(super) fn before(error: &tokio_postgres::Error) -> Self {
        match error.as_db_error() {
            Some(answer) => Self::answered(answer),
            None => Self::unreachable(error),
        }
    }

    /// A failure of a statement that was sent.
    pub(super) fn during(access: Access, error: &tokio_postgres::Error) -> Self {
        let mut failure = Self::before(error);
        // A session that the server ends, or a broken one, may have ended after the commit.
        if access == Access::Write && !error.as_db_error().is_some_and(is_undone) {
            failure.remedy = Remedy::Look;
            // What may have happened must not be sent again.
            failure.is_about_all = true;
        }
        failure
    }

    pub(super) fn out_of_time(access: Access, limit: Duration) -> Self {
        let remedy = if access == Access::Write { Remedy::Look } else { Remedy::Later };
        let reason = format!("it has not answered within {limit:?}");
        Self { is_silence: true, ..Self::sorted(remedy, Cow::Owned(reason), None) }
    }

    /// A server that did not complete a connection.
    pub(super) fn no_answer(limit: Duration) -> Self {
        Self::later(format!("it accepts no connection within {limit:?}"))
    }

    pub(super) fn only_reads() -> Self {
        Self::later(ONLY_READS)
    }

    pub(super) fn shared_session() -> Self {
        Self::never(
            "a connection pooler shares its sessions between clients (PgBouncer's \
             pool_mode=transaction or statement); set pool_mode=session, or name the server itself",
        )
    }

    /// The server acknowledged a commit, and said that it no longer waits for its standby.
    pub(super) fn unreplicated() -> Self {
        let reason = "somebody cancelled its wait for the synchronous standby: the write is on one \
                      server only, and a failover would lose it";
        Self::sorted(Remedy::Look, Cow::Borrowed(reason), None)
    }

    /// The failures of several servers in one. It is final if each of them is.
    pub(super) fn of_all(failures: &[(&str, Self)]) -> Self {
        if let [(_, only)] = failures {
            return only.clone();
        }
        let is_final = failures.iter().all(|(_, failure)| failure.is_final());
        let remedy = if is_final { Remedy::Never } else { Remedy::Later };
        let reasons: Vec<_> =
            failures.iter().map(|(place, failure)| format!("{place}: {failure}")).collect();
        let causes = failures.iter().filter_map(|(place, failure)| {
            failure.cause.as_ref().map(|cause| format!("{place}: {cause}"))
        });
        let causes: Vec<_> = causes.collect();
        let cause = (!causes.is_empty()).then(|| Cause(causes.join("; ")));
        Self::sorted(remedy, Cow::Owned(reasons.join("; ")), cause)
    }

    pub(super) fn no_connection_in_time(limit: Duration) -> Self {
        let reason = format!("no connection became free within {limit:?}");
        Self::sorted(Remedy::Later, Cow::Owned(reason), None)
    }

    pub(super) fn never(reason: impl Into<Cow<'static, str>>) -> Self {
        Self::sorted(Remedy::Never, reason.into(), None)
    }

    pub(super) fn later(reason: impl Into<Cow<'static, str>>) -> Self {
        Self::sorted(Remedy::Later, reason.into(), None)
    }

    /// True if there is no use in trying each statement alone.
    pub(super) fn is_about_all(&self) -> bool {
        self.is_about_all
    }

    pub(super) fn keeps_session(&self) -> bool {
        self.keeps_session
    }

    /// True if the server gave no answer in time.
    pub(super) fn is_silence(&self) -> bool {
        self.is_silence
    }

    /// True if another password may be taken.
    pub(super) fn is_about_login(&self) -> bool {
        self.is_about_login
    }

    /// True if it will not pass by itself.
    pub(super) fn is_final(&self) -> bool {
        self.remedy == Remedy::Never
    }

    /// The same as a trouble that passes once somebody has changed something.
    pub(super) fn into_passing(self) -> Self {
        Self { remedy: Remedy::Later, ..self }
    }

    pub(super) fn into_error(self, store: &str) -> Error {
        let store = Cow::Owned(store.to_owned());
        let reason = self.reason.into_owned();
        let source: Option<Box<dyn StdError + Send + Sync>> =
            self.cause.map(|cause| -> Box<dyn StdError + Send + Sync> { Box::new(cause) });
        match self.remedy {
            Remedy::Look => Error::Unknown { store, reason, source },
            Remedy::Later => Error::Unavailable { store, reason, source },
            Remedy::Never => Error::Invalid { store, reason, source },
        }
    }

    fn sorted(remedy: Remedy, reason: Cow<'static, str>, cause: Option<Cause>) -> Self {
        let cause = cause.map(Arc::new);
        Self {
            remedy,
            reason,
            cause,
            is_about_all: true,
            keeps_session: false,
            is_silence: false,
            is_about_login: false,
        }
    }

    fn answered(answer: &DbError) -> Self {
        let (remedy, is_about_all, reason) = sort(answer);
        let code = answer.code().code();
        let cause = Some(Arc::new(Cause(format!("{code} {}", answer.message()))));
        // A statement that the server has forgotten belongs to a session that was swapped under us.
        // And a server that only reads may have become a standby: a new session finds the primary.
        let is_lost = code.starts_with("26") || code == READ_ONLY;
        let keeps_session = is_undone(answer) && !is_lost;
        let is_about_login = LOGIN.contains(&code);
        Self {
            remedy,
            reason,
            cause,
            is_about_all,
            keeps_session,
            is_silence: false,
            is_about_login,
        }
    }

    fn unreachable(error: &tokio_postgres::Error) -> Self {
        let text = Cause::of(error);
        let kind = error.to_string();
        let is_insecure = match tls_error(error) {
            Some(error) => kind.contains("TLS") || is_refused(error),
            None => kind.contains("TLS") && io_error(error).is_none(),
        };
        let (remedy, reason) = if is_insecure {
            let reason = "no secure connection; check sslmode, sslrootcert and sslcert in the URL";
            (Remedy::Never, reason)
        } else if kind.contains("configuration") || kind.contains("authentication") {
            (Remedy::Never, "it does not let us in; check user and password in the URL")
        } else if kind.contains("parameter") || kind.contains("column") {
            (Remedy::Never, "its table is not the one that was made; restore it")
        } else {
            (Remedy::Later, "it cannot be reached or the connection broke")
        };
        Self::sorted(remedy, Cow::Borrowed(reason), Some(text))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)
    }
}

/// True for an error that undoes its statement and leaves the session open.
fn is_undone(answer: &DbError) -> bool {
    answer.parsed_severity() == Some(Severity::Error)
}

/// Remedy, whether it concerns every statement, and what to do.
fn sort(answer: &DbError) -> (Remedy, bool, Cow<'static, str>) {
    let code = answer.code().code();
    let (remedy, is_about_all, reason) = match code {
        "28000" | "28P01" => {
            let reason = "it does not let us in; check user and password in the URL, its secret \
                          file or the identity";
            (Remedy::Never, true, reason)
        }
        "3D000" => (Remedy::Never, true, "there is no such database; create it or correct the URL"),
        "42501" => (
            Remedy::Never,
            true,
            "our role may not do this; let an administrator run CREATE SCHEMA <schema> AUTHORIZATION <role>",
        ),
        "42P01" | "42703" => {
            (Remedy::Never, true, "its table is gone or changed; restore it or open the store anew")
        }
        "53300" => (
            Remedy::Later,
            true,
            "it has no connection left; raise max_connections or lower `connections` in the URL",
        ),
        READ_ONLY => (Remedy::Later, true, ONLY_READS),
        "53100" => (Remedy::Later, true, "its disk is full"),
        // From here on a neighbour in the same statement need not suffer.
        "55P03" => (Remedy::Later, false, "another session keeps the document locked"),
        "57014" => (Remedy::Later, false, "it gave the statement up for taking too long"),
        code => {
            let reason = Cow::Owned(format!("it answers with error {code}"));
            return match code.get(..2) {
                // Rolled back for the sake of others.
                Some("40") => (Remedy::Later, false, reason),
                Some("08" | "25" | "26" | "53" | "55" | "57" | "58") => {
                    (Remedy::Later, true, reason)
                }
                _ => (Remedy::Never, false, reason),
            };
        }
    };
    (remedy, is_about_all, Cow::Borrowed(reason))
}

/// The trouble of the network, if there is any.
fn io_error(error: &tokio_postgres::Error) -> Option<&io::Error> {
    let mut next = error.source();
    while let Some(source) = next {
        if let Some(source) = source.downcast_ref::<io::Error>() {
            return Some(source);
        }
        next = source.source();
    }
    None
}

/// The error of TLS, which is wrapped into one of the network.
fn tls_error(error: &tokio_postgres::Error) -> Option<&rustls::Error> {
    io_error(error)?.get_ref()?.downcast_ref()
}

/// The client's or server's explanation, without the details.
#[derive(Debug)]
pub(super) struct Cause(String);

impl Cause {
    pub(super) fn of(error: &tokio_postgres::Error) -> Self {
        let mut text = error.to_string();
        let mut next = error.source();
        while let Some(source) = next {
            text.push_str(": ");
            text.push_str(&source.to_string());
            next = source.source();
        }
        Self(text)
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl StdError for Cause {}
