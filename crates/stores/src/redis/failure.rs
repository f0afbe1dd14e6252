//! Classifies failed calls: did the call happen, and what can be done?
//!
//! A call that was never sent did not happen. One that was sent and never answered may have
//! happened. An error that the server answered means that it did nothing, as far as the code of the
//! error says so.
//!
//! The server quotes arguments in some of its errors, and arguments are what users wrote; so its
//! text goes no further than this file.

use std::{borrow::Cow, sync::Arc};

use redis::{ErrorKind, RedisError, ServerErrorKind};
use sayso_turn::{Key, store::Error};

use super::acks::Acks;

#[derive(Clone, Debug)]
pub(super) enum Failure {
    /// No connection, or none in time: nothing was sent.
    Unsent(Option<RedisError>),
    /// Sent and not answered: the connection broke, or the time was up.
    Lost(Option<RedisError>),
    /// The server answered with an error.
    Refused(RedisError),
    /// Done, but too few replicas have acknowledged it: a failover may undo it.
    Short(Acks),
    /// Connected to a server that must not be used now, for this reason: nothing was sent.
    Unfit(String),
    /// The sentinels know no master with this name.
    NoSuchMaster(String),
    /// An answer that no server of ours would give.
    Strange,
}

/// The effect a call can have, which decides whether its failure leaves doubt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Call {
    /// A read on opening the store. What a person must put right is final here, and only here:
    /// later it may be put right while the bot runs.
    Open,
    Read,
    Write,
}

impl Failure {
    /// An error of a call that was handed to a connection.
    pub(super) fn sent(error: RedisError) -> Self {
        match error.kind() {
            ErrorKind::Server(_) | ErrorKind::Extension => Self::Refused(error),
            // No connection to the node that has the slot.
            ErrorKind::ClusterConnectionNotFound => Self::Unsent(Some(error)),
            _ if error.is_connection_refusal() => Self::Unsent(Some(error)),
            _ => Self::Lost(Some(error)),
        }
    }

    /// An error before the call was handed to a connection.
    pub(super) fn unsent(error: RedisError) -> Self {
        Self::Unsent(Some(error))
    }

    /// The code of the server's error.
    pub(super) fn code(&self) -> Option<&str> {
        match self {
            Self::Unsent(Some(error)) | Self::Refused(error) => error.code(),
            _ => None,
        }
    }

    /// True if the user, the password or the rights are not, or no longer, what the server wants.
    pub(super) fn is_about_rights(&self) -> bool {
        let is_wrong = match self {
            Self::Unsent(Some(error)) => error.kind() == ErrorKind::AuthenticationFailed,
            _ => false,
        };
        is_wrong || matches!(self.code(), Some("NOAUTH" | "WRONGPASS" | "NOPERM"))
    }

    pub(super) fn is(&self, kind: ServerErrorKind) -> bool {
        matches!(self, Self::Refused(error) if error.kind() == ErrorKind::Server(kind))
    }

    /// True if the connection is of no more use: it is broken, slow, or leads to a server that has
    /// become a replica or lost its own.
    pub(super) fn ends_the_connection(&self) -> bool {
        matches!(self, Self::Unsent(_) | Self::Lost(_) | Self::Short(_))
            || self.is(ServerErrorKind::ReadOnly)
            || self.code() == Some("NOAUTH")
    }

    /// True if another node of the cluster may have the slot by now.
    pub(super) fn doubts_the_map(&self) -> bool {
        self.ends_the_connection()
            || matches!(self, Self::Unfit(_))
            || self.is(ServerErrorKind::ClusterDown)
            || self.is(ServerErrorKind::MasterDown)
    }

    pub(super) fn into_error(self, store: &str, key: Option<&Key>, call: Call) -> Error {
        let store = Cow::Owned(store.to_owned());
        match self {
            Self::Unsent(None) => {
                let reason = "there was no connection in time".to_owned();
                Error::Unavailable { store, reason, source: None }
            }
            Self::Unsent(Some(error)) => unsent(store, error, call),
            Self::Unfit(reason) => Error::Unavailable { store, reason, source: None },
            Self::NoSuchMaster(master) => {
                let master = master.escape_debug();
                let reason = format!(
                    "the sentinels know no master named `{master}`; correct the name in the URL"
                );
                unusable(store, reason, None, call)
            }
            Self::Short(acks) => {
                let reason =
                    format!("too few replicas acknowledged it in time ({acks} in the URL)");
                in_doubt(store, reason, None, call)
            }
            Self::Lost(error) => {
                let reason = match &error {
                    None => "there was no answer in time".to_owned(),
                    Some(error) => format!("the connection broke ({})", error.category()),
                };
                in_doubt(store, reason, error.map(Into::into), call)
            }
            Self::Refused(error) => refused(store, &error, key, call),
            Self::Strange => {
                let reason = "the server gave an answer that makes no sense here".to_owned();
                in_doubt(store, reason, None, call)
            }
        }
    }
}

type Source = Option<Box<dyn std::error::Error + Send + Sync>>;

fn in_doubt(store: Cow<'static, str>, reason: String, source: Source, call: Call) -> Error {
    match call {
        Call::Open | Call::Read => Error::Unavailable { store, reason, source },
        Call::Write => Error::Unknown { store, reason, source },
    }
}

/// An error that a person must put right. Nothing was done.
fn unusable(store: Cow<'static, str>, reason: String, source: Source, call: Call) -> Error {
    match call {
        Call::Open => Error::Invalid { store, reason, source },
        Call::Read | Call::Write => Error::Unavailable { store, reason, source },
    }
}

/// Connecting failed.
fn unsent(store: Cow<'static, str>, error: RedisError, call: Call) -> Error {
    let is_refused = error.is_connection_refusal();
    match error.kind() {
        ErrorKind::Io if is_about_tls(&error) => {
            let reason =
                "no encrypted connection can be made; check that this port speaks TLS, that the \
                 system (or the file of sslrootcert) trusts the server's certificate, and that the \
                 server asks for none or takes that of sslcert"
                    .to_owned();
            unusable(store, reason, Some(error.into()), call)
        }
        ErrorKind::Io | ErrorKind::ClusterConnectionNotFound => {
            let reason = match is_refused {
                true => "it does not accept connections: is it running there?".to_owned(),
                false => "no connection could be made".to_owned(),
            };
            Error::Unavailable { store, reason, source: Some(error.into()) }
        }
        ErrorKind::AuthenticationFailed => wrong_password(store, call),
        ErrorKind::Server(ServerErrorKind::ResponseError) => {
            let reason =
                "it refuses the connection; check the number of the database in the URL, and \
                use redis:// for a server that is no cluster"
                    .to_owned();
            unusable(store, reason, None, call)
        }
        // Whatever it answered, the call itself was not sent.
        ErrorKind::Server(_) | ErrorKind::Extension => {
            let call = if call == Call::Write { Call::Read } else { call };
            refused(store, &error, None, call)
        }
        _ => {
            let reason = "the connection cannot be set up; check the URL".to_owned();
            unusable(store, reason, Some(error.into()), call)
        }
    }
}

fn is_about_tls(error: &RedisError) -> bool {
    let inside = std::error::Error::source(error)
        .and_then(|source| source.downcast_ref::<Arc<dyn std::error::Error + Send + Sync>>())
        .and_then(|source| source.downcast_ref::<std::io::Error>())
        .and_then(std::io::Error::get_ref);
    inside.is_some_and(<dyn std::error::Error + Send + Sync>::is::<rustls::Error>)
}

fn wrong_password(store: Cow<'static, str>, call: Call) -> Error {
    let reason = "the user name or the password is wrong; correct it in the URL or its secret \
                  file, or the rights of the identity"
        .to_owned();
    unusable(store, reason, None, call)
}

fn refused(store: Cow<'static, str>, error: &RedisError, key: Option<&Key>, call: Call) -> Error {
    let code = error.code().unwrap_or_default();
    let later = |reason: &str| Error::Unavailable {
        store: store.clone(),
        reason: reason.to_owned(),
        source: None,
    };
    let never = |reason: &str| Error::Invalid {
        store: store.clone(),
        reason: reason.to_owned(),
        source: None,
    };
    let not_now = |reason: &str| unusable(store.clone(), reason.to_owned(), None, call);
    match code {
        "LOADING" => later("it is reading its data after a start"),
        "BUSY" => later("a script of somebody else keeps it busy"),
        "OOM" => later("its memory is full; raise `maxmemory` or delete what is not needed"),
        "READONLY" => later("it is a replica now and cannot write; connect to the primary"),
        "MISCONF" => later("it cannot write to its disk and therefore refuses writes"),
        "NOREPLICAS" => later("it has fewer replicas than `min-replicas-to-write` asks for"),
        "MASTERDOWN" => later("it is a replica that has lost its primary"),
        "CLUSTERDOWN" => later("the cluster is down: some of its slots are served by nobody"),
        "TRYAGAIN" | "ASK" => later("a slot of the cluster is on its way to another node"),
        "MOVED" | "CROSSSLOT" => {
            never("it is a node of a cluster; use redis+cluster:// in the URL")
        }
        "WRONGPASS" => wrong_password(store, call),
        "NOAUTH" => not_now("it asks for a password; put it into the URL: redis://:password@host"),
        "NOPERM" => not_now(
            "its user may not do this; allow EVAL, EVALSHA, HGETALL, SCAN and what the scripts use \
             (`+@connection +info +@hash +@sortedset +@scripting +scan +exists +del`) on the keys \
             of the prefix",
        ),
        "WRONGTYPE" => match key {
            Some(key) => Error::Corrupt {
                key: key.clone(),
                reason: "under its name there is something that is no document".to_owned(),
            },
            None => never("under a name of ours there is something that another program made"),
        },
        "ERR" if error.detail().is_some_and(|detail| detail.starts_with("unknown command")) => {
            never("it does not know a command that this store needs; Redis 6 or newer does")
        }
        // What else may come is not known, so neither is what it did.
        code => in_doubt(store, format!("it answered with the error {code}"), None, call),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The report of an error that the server answered.
    fn report(answer: &str, call: Call) -> (&'static str, String) {
        let value = redis::parse_redis_value(format!("-{answer}\r\n").as_bytes()).unwrap();
        let failure = Failure::sent(value.extract_error().unwrap_err());
        let key = Key::new("k").unwrap();
        let error = failure.into_error("Redis at x", Some(&key), call);
        let kind = match &error {
            Error::Unknown { .. } => "unknown",
            Error::Unavailable { .. } => "unavailable",
            Error::Invalid { .. } => "invalid",
            Error::Corrupt { .. } => "corrupt",
            _ => "other",
        };
        let source = std::error::Error::source(&error).map(ToString::to_string);
        (kind, format!("{error} {}", source.unwrap_or_default()))
    }

    #[test]
    fn what_the_server_refuses_did_not_happen() {
        for (answer, expected) in [
            ("LOADING Redis is loading the dataset in memory", "unavailable"),
            ("BUSY Redis is busy running a script.", "unavailable"),
            ("OOM command not allowed when used memory > 'maxmemory'. script: x", "unavailable"),
            ("READONLY You can't write against a read only replica.", "unavailable"),
            ("MISCONF Errors writing to the AOF file: No space left on device", "unavailable"),
            ("NOREPLICAS Not enough good replicas to write.", "unavailable"),
            ("MASTERDOWN Link with MASTER is down", "unavailable"),
            ("CLUSTERDOWN The cluster is down", "unavailable"),
            ("TRYAGAIN Multiple keys request during rehashing of slot", "unavailable"),
            ("ASK 7 127.0.0.1:1", "unavailable"),
            ("MOVED 7 127.0.0.1:1", "invalid"),
            ("CROSSSLOT Keys in request don't hash to the same slot", "invalid"),
            ("NOAUTH Authentication required.", "unavailable"),
            ("WRONGPASS invalid username-password pair", "unavailable"),
            ("NOPERM this user has no permissions", "unavailable"),
            ("WRONGTYPE Operation against a key holding the wrong kind of value", "corrupt"),
            ("ERR unknown command 'EVALSHA', with args beginning with: 'secret'", "invalid"),
        ] {
            for call in [Call::Read, Call::Write] {
                assert_eq!(report(answer, call).0, expected, "{answer}");
            }
        }
    }

    /// A password that is changed while the bot runs is put right while it runs.
    #[test]
    fn missing_rights_are_final_only_on_opening() {
        for answer in ["NOAUTH Authentication required.", "WRONGPASS invalid", "NOPERM no"] {
            for (call, expected) in
                [(Call::Open, "invalid"), (Call::Read, "unavailable"), (Call::Write, "unavailable")]
            {
                assert_eq!(report(answer, call).0, expected, "{answer}");
            }
            let value = redis::parse_redis_value(format!("-{answer}\r\n").as_bytes()).unwrap();
            let error = value.extract_error().unwrap_err();
            assert!(Failure::sent(error.clone()).is_about_rights());
            assert!(Failure::unsent(error).is_about_rights());
        }
        assert!(!Failure::Lost(None).is_about_rights());
    }

    #[test]
    fn a_write_that_too_few_replicas_have_is_in_doubt() {
        let short = || Failure::Short(Acks::parse("2").unwrap());
        assert!(short().ends_the_connection());
        let error = short().into_error("Redis", None, Call::Write);
        assert!(matches!(error, Error::Unknown { .. }), "{error}");
        assert!(error.to_string().contains("wait=2"), "{error}");
        let error = short().into_error("Redis", None, Call::Read);
        assert!(matches!(error, Error::Unavailable { .. }), "{error}");
        let unfit = Failure::Unfit("it is a replica now".to_owned());
        let error = unfit.into_error("Redis", None, Call::Write);
        assert!(matches!(error, Error::Unavailable { .. }), "{error}");
    }

    #[test]
    fn what_is_not_understood_may_have_happened() {
        for answer in ["ERR upstream failure", "ERR user_script:3: something", "NEWCODE what"] {
            assert_eq!(report(answer, Call::Write).0, "unknown", "{answer}");
            assert_eq!(report(answer, Call::Read).0, "unavailable", "{answer}");
        }
    }

    #[test]
    fn what_the_server_quotes_goes_no_further() {
        for answer in
            ["ERR unknown command 'X', with args beginning with: 'pizza'", "ERR pizza", "NEW pizza"]
        {
            let (_, text) = report(answer, Call::Write);
            assert!(!text.contains("pizza"), "{text}");
        }
    }

    #[test]
    fn a_broken_connection_leaves_a_write_in_doubt_and_a_refused_one_does_not() {
        let io =
            |kind: std::io::ErrorKind| Failure::sent(RedisError::from(std::io::Error::from(kind)));
        for kind in [std::io::ErrorKind::BrokenPipe, std::io::ErrorKind::UnexpectedEof] {
            let error = io(kind).into_error("Redis", None, Call::Write);
            assert!(matches!(error, Error::Unknown { .. }), "{error}");
            let error = io(kind).into_error("Redis", None, Call::Read);
            assert!(matches!(error, Error::Unavailable { .. }), "{error}");
        }
        let error =
            io(std::io::ErrorKind::ConnectionRefused).into_error("Redis", None, Call::Write);
        assert!(matches!(error, Error::Unavailable { .. }), "{error}");
        let error = Failure::Lost(None).into_error("Redis", None, Call::Write);
        assert!(matches!(error, Error::Unknown { .. }), "{error}");
        let error = Failure::Unsent(None).into_error("Redis", None, Call::Write);
        assert!(matches!(error, Error::Unavailable { .. }), "{error}");
    }
}
