//! `sayso serve`: the pizza bot behind HTTP.

use std::{
    future::{Future, pending},
    io::{self, Read as _},
    process::ExitCode,
};

use futures_util::future::Either;
use sayso::{Opened, Server, open_configured_store, pizza};
use tokio::sync::oneshot;

use crate::{
    classic,
    cli::{Log, Semantics, Serve},
    terminal::{self, Look, Paint},
};

/// Serves until a signal comes.
pub(crate) async fn run(options: Serve) -> anyhow::Result<ExitCode> {
    let config = match options.bare {
        true => options.sources.flags()?,
        false => options.sources.config()?,
    };
    // A demonstration: without an app it serves programs of this machine, and says so.
    let config = config.or_unauthenticated()?;
    terminal::start_log(Log::of(&config), config.log().0);
    let Opened { store, warnings, .. } = open_configured_store(&config).await?;
    let warnings = [config.warnings(), warnings].concat();
    let stop = match options.until_stdin_ends {
        true => Either::Left(stdin_ends()),
        false => Either::Right(pending()),
    };
    if options.semantics == Semantics::Classic {
        classic::serve(config.address(), store, stop).await?;
        return Ok(ExitCode::SUCCESS);
    }
    let has_chosen_port = config.address().port() != 0;
    Server::new(pizza::bot())
        .config(&config)?
        .store(store)
        .limits(options.limits.apply())
        .serve_until(
            |running| {
                if !has_chosen_port {
                    terminal::ready(&running.url(), running.admin_url().as_deref());
                }
                welcome(&running.welcome(), &warnings);
            },
            stop,
        )
        .await?;
    Ok(ExitCode::SUCCESS)
}

fn welcome(text: &str, warnings: &[String]) {
    let paint = Paint::stdout();
    let name = concat!("sayso ", env!("CARGO_PKG_VERSION"));
    terminal::line(format_args!("{}: the pizza bot", paint.text(Look::Bold, name)));
    terminal::print(text);
    for warning in warnings {
        terminal::line(format_args!("\n{} {warning}", paint.text(Look::Yellow, "warning:")));
    }
    // Started by `cargo run`, the command is not on anybody's path.
    let me = if std::env::var_os("CARGO").is_some() { "cargo run --" } else { "sayso" };
    terminal::line(format_args!(
        "\nTalk to it in the terminal:  {}\nSee what it is all about:    {}\n",
        paint.text(Look::Cyan, format!("{me} chat")),
        paint.text(Look::Cyan, format!("{me} race")),
    ));
}

/// Resolves at the end of standard input. A thread of its own reads, since such a read cannot be
/// cancelled.
fn stdin_ends() -> impl Future<Output = ()> {
    let (ended, end) = oneshot::channel::<()>();
    std::thread::spawn(move || {
        let mut waste = [0; 64];
        while io::stdin().read(&mut waste).is_ok_and(|count| count > 0) {}
        drop(ended);
    });
    async { drop(end.await) }
}
