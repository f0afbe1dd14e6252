//! Errors of starting and stopping a server, each a sentence with the remedy.

use std::{fmt, io, net::SocketAddr};

use crate::{ConfigError, OpenError, config::TlsError};

/// Error of a server that could not start, or was cut short.
///
/// `Debug` shows the sentence too, because that is what a `main` that returns an error prints.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The bot is not put together as it should be: a handler would never run, for example.
    #[error("the bot cannot be started: {}", mistakes.join("; "))]
    Bot {
        /// The mistakes, a sentence each, with the place in the bot's code.
        mistakes: Vec<String>,
    },
    /// Neither an app is configured nor that there shall be none.
    #[error(
        "refusing to start: no authentication is configured, so nothing would tell a channel from \
         a stranger; set MicrosoftAppId and MicrosoftAppPassword, or, for programs of this machine \
         only, SAYSO_AUTH=none (in sayso.toml: auth = \"none\"; in code: `Server::unauthenticated`)"
    )]
    NoAuth,
    /// The address can be reached from outside, and nothing would check who calls.
    #[error(
        "refusing to listen on {address}: no authentication is configured, so anybody who reaches \
         that address could speak for anybody; set MicrosoftAppId and MicrosoftAppPassword, or use a \
         loopback address such as 127.0.0.1:{}",
        address.port()
    )]
    NotLoopback {
        /// The requested address.
        address: SocketAddr,
    },
    /// The address is in use.
    #[error(
        "{address} is in use, perhaps by another server of this kind; stop that one, or choose \
         another address: SAYSO_ADDRESS={}:0 takes any free port (in sayso.toml: address; in code: \
         `Server::address`; the command has --address {}:0)",
        address.ip(), address.ip()
    )]
    InUse {
        /// The requested address.
        address: SocketAddr,
    },
    /// The admin address is in use.
    #[error(
        "{address}, for health and statistics, is in use, perhaps by another bot; choose another \
         with SAYSO_ADMIN_ADDRESS (in sayso.toml: admin-address; in code: \
         `Server::admin_address`), or none with the value off"
    )]
    AdminInUse {
        /// The requested address.
        address: SocketAddr,
    },
    /// The system refused the address for another reason.
    #[error("cannot listen on {address}: {source}")]
    Bind {
        /// The requested address.
        address: SocketAddr,
        /// The error of the system.
        source: io::Error,
    },
    /// The configuration cannot be used.
    #[error("the configuration cannot be used: {0}")]
    Config(ConfigError),
    /// The files of a listener that is to speak TLS cannot be used.
    #[error("TLS cannot be set up: {0}")]
    Tls(TlsError),
    /// The store could not be opened.
    #[error(transparent)]
    Store(#[from] OpenError),
    /// The client that hands replies over could not be made.
    #[error("the connector cannot be set up: {0}")]
    Connector(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The credentials of the app are missing or wrong.
    #[error("authentication cannot be set up: {0}")]
    Auth(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The system refused something else.
    #[error("the server cannot run: {0}")]
    System(#[from] io::Error),
    /// A second signal came before the drain was over.
    #[error(
        "stopped at once by a second signal; {left} conversations were busy, and what they \
         committed is delivered by another instance or the next start"
    )]
    Interrupted {
        /// Number of conversations that were busy.
        left: usize,
    },
}

// Not as a source: the sentence has all of it, and whoever prints the chain would print it twice.
impl From<ConfigError> for ServeError {
    fn from(error: ConfigError) -> Self {
        Self::Config(error)
    }
}

impl From<TlsError> for ServeError {
    fn from(error: TlsError) -> Self {
        Self::Tls(error)
    }
}

impl ServeError {
    /// Fails if there are mistakes.
    pub(super) fn of_mistakes(mistakes: Vec<String>) -> Result<(), Self> {
        if mistakes.is_empty() { Ok(()) } else { Err(Self::Bot { mistakes }) }
    }

    pub(super) fn auth(error: impl std::error::Error + Send + Sync + 'static) -> Self {
        Self::Auth(Box::new(error))
    }

    pub(super) fn connector(error: impl std::error::Error + Send + Sync + 'static) -> Self {
        Self::Connector(Box::new(error))
    }
}

impl fmt::Debug for ServeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
