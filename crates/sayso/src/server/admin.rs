//! The admin address: health, readiness and statistics, apart from where channels post.

use std::net::SocketAddr;

use tokio::net::TcpListener;

use super::{error::ServeError, listen::listen};
use crate::defaults::default_admin_address;

/// Choice of the admin address.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Admin {
    /// Beside the address of the bot: [`default_admin_address`].
    #[default]
    Beside,
    /// This address.
    At(SocketAddr),
    /// None.
    Off,
}

impl Admin {
    /// The address to listen on, beside that of the bot.
    pub(super) fn beside(self, address: SocketAddr) -> Option<SocketAddr> {
        match self {
            Self::Beside => Some(default_admin_address(address)),
            Self::At(at) => Some(at),
            Self::Off => None,
        }
    }

    /// Binds the admin address. One that is taken is an error: a bot must not run without what its
    /// operator looks at, and not say so.
    pub(super) async fn bind(self, address: SocketAddr) -> Result<Option<TcpListener>, ServeError> {
        let Some(at) = self.beside(address) else { return Ok(None) };
        match listen(at).await {
            Ok(listener) => Ok(Some(listener)),
            Err(ServeError::InUse { address }) => Err(ServeError::AdminInUse { address }),
            Err(other) => Err(other),
        }
    }
}
