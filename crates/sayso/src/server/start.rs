//! Starting a server, and serving until it is told to stop.

use std::future::{Future, pending};

use sayso_channel::{LocalGuard, StatusOptions, status_routes};
use sayso_turn::Logic;
use tokio::net::TcpListener;

use super::{
    Server, audit,
    error::ServeError,
    listen::{bind, listen},
    parts::Assembled,
    running::{Listener, Running, tls},
    senders::Senders,
};
use crate::{Config, announce, config::TlsFiles, log, signals::Signals};

impl<L: Logic> Server<L> {
    /// Starts the server and gives a handle to it; this is what a test wants.
    ///
    /// # Errors
    /// When the address or the store cannot be had; see [`ServeError`].
    ///
    /// # Cancellation
    /// Dropping the future starts nothing, or stops what was started.
    pub async fn start(mut self) -> Result<Running, ServeError> {
        ServeError::of_mistakes(self.logic.mistakes())?;
        let socket = match &self.senders {
            Senders::Unset => return Err(ServeError::NoAuth),
            Senders::Unauthenticated => bind(self.address).await?,
            Senders::App(_) => listen(self.address).await?,
        };
        let admin_socket = self.admin.bind(self.address).await?;
        let admin_address = self.admin.beside(self.address);
        for what in audit::lowered(&self.senders, admin_address, self.admin_tls.as_ref()) {
            tracing::warn!("a guard is lowered: {what}");
        }
        let tls = start_tls(self.tls.take(), Some(&socket))?;
        let admin_tls = start_tls(self.admin_tls.take(), admin_socket.as_ref())?;
        let Assembled { router, engine, store, refusals, app } = self.assemble(false).await?;
        let guard = app.is_none().then(|| LocalGuard::new(refusals.clone()));
        let admin = match admin_socket {
            Some(socket) => {
                let is_local = socket.local_addr()?.ip().is_loopback();
                let options = StatusOptions { refusals, is_local };
                let router = status_routes(engine.clone(), options);
                Some(Listener { socket, router, guard: None, tls: admin_tls })
            }
            None => None,
        };
        let public = Listener { socket, router, guard, tls };
        Ok(Running::new(public, admin, engine, store, app)?)
    }

    /// Serves until SIGTERM or Ctrl-C, then drains. Prints where it listens and what to try, and
    /// starts a log as [`serve`](crate::serve) does.
    ///
    /// # Errors
    /// When it cannot start, or a second signal cut the drain short; see [`ServeError`].
    ///
    /// # Cancellation
    /// Dropping the future stops taking connections; what was committed is delivered by the next
    /// start.
    pub async fn serve(self) -> Result<(), ServeError> {
        log::start(self.config.as_ref().unwrap_or(&Config::default()))?;
        self.serve_until(|running| announce::print(&running.welcome()), pending()).await
    }

    /// Serves until a signal, or until `stop` ends, then drains. `started` is called once, when
    /// requests are taken and signals already lead to a drain.
    ///
    /// # Errors
    /// As [`serve`](Self::serve).
    ///
    /// # Cancellation
    /// As [`serve`](Self::serve).
    pub async fn serve_until<F>(
        self,
        started: impl FnOnce(&Running) + Send,
        stop: F,
    ) -> Result<(), ServeError>
    where
        F: Future<Output = ()> + Send,
    {
        let mut signals = Signals::new()?;
        let running = self.start().await?;
        started(&running);
        tokio::select! {
            () = signals.next() => tracing::info!("draining; a second signal stops at once"),
            () = stop => tracing::info!("draining"),
        }
        let busy = running.engine().clone();
        tokio::select! {
            left = running.stop() => {
                report(left);
                Ok(())
            }
            () = signals.next() => Err(ServeError::Interrupted { left: busy.busy() }),
        }
    }
}

/// Starts TLS on a listener, if it has files for it.
fn start_tls(
    files: Option<TlsFiles>,
    socket: Option<&TcpListener>,
) -> Result<Option<tls::Tls>, ServeError> {
    let (Some(files), Some(socket)) = (files, socket) else { return Ok(None) };
    Ok(Some(tls::Tls::start(files, socket.local_addr()?, tls::LOOK_EVERY)?))
}

fn report(left: usize) {
    match left {
        0 => tracing::info!("drained"),
        left => tracing::warn!(left, "conversations are left for others to finish"),
    }
}
