//! Log of a server whose program has none: on standard error, as the settings say.

use std::io::{self, IsTerminal as _};

use tracing_subscriber::{EnvFilter, fmt, layer::SubscriberExt as _, util::SubscriberInitExt as _};

use crate::{Config, ConfigError};

/// Starts a log, unless the program has set a subscriber: then everything is as it wants it.
pub(crate) fn start(config: &Config) -> Result<(), ConfigError> {
    if tracing::dispatcher::has_been_set() {
        return Ok(());
    }
    let (filter, format) = config.log();
    let filter = EnvFilter::try_new(filter).map_err(|error| config.wrong_filter(&error))?;
    let registry = tracing_subscriber::registry().with(filter);
    let layer = fmt::layer().with_writer(io::stderr);
    let started = match format {
        "json" => registry.with(layer.json()).try_init(),
        _ => registry.with(layer.with_ansi(wants_colour())).try_init(),
    };
    // It fails only when another thread was quicker, whose log then goes on.
    drop(started);
    sayso_turn::note_panics();
    Ok(())
}

/// Reports whether standard error is a terminal whose user wants colours.
fn wants_colour() -> bool {
    let is_refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    io::stderr().is_terminal() && !is_refused
}
