//! `sayso serve`: the pizza bot behind HTTP.

use std::{
    future::{Future, pending},
    io::{self, Read as _},
    process::ExitCode,
};

use futures_util::future::Either;
use sayso::{Server, open_store, pizza};
use tokio::sync::oneshot;

use crate::{
    classic,
    cli::{Semantics, Serve},
    place::with_layout,
    terminal::{self, Look, Paint},
};

/// Serves until a signal comes.
pub(crate) async fn run(options: Serve) -> anyhow::Result<ExitCode> {
    terminal::start_log(options.log, "info");
    let store = open_store(&with_layout(&options.place.store, options.place.layout)?).await?;
    let stop = match options.until_stdin_ends {
        true => Either::Left(stdin_ends()),
        false => Either::Right(pending()),
    };
    if options.semantics == Semantics::Classic {
        classic::serve(options.address, store, stop).await?;
        return Ok(ExitCode::SUCCESS);
    }
    let has_chosen_port = options.address.port() != 0;
    Server::new(pizza::bot())
        .address(options.address)
        .store(store)
        .limits(options.limits.apply())
        .auth_from_env()?
        .serve_until(
            |running| {
                if !has_chosen_port {
                    ready(&running.url());
                }
                welcome(&running.welcome());
            },
            stop,
        )
        .await?;
    Ok(ExitCode::SUCCESS)
}

/// The line that programs wait for: requests are taken from now on, here.
pub(crate) fn ready(url: &str) {
    terminal::line(format_args!("ready {url}"));
}

fn welcome(text: &str) {
    let paint = Paint::stdout();
    let name = concat!("sayso ", env!("CARGO_PKG_VERSION"));
    terminal::line(format_args!("{}: the pizza bot", paint.text(Look::Bold, name)));
    terminal::print(text);
    // Started by `cargo run`, the command is not on anybody's path.
    let me = if std::env::var_os("CARGO").is_some() { "cargo run --" } else { "sayso" };
    terminal::line(format_args!(
        "\nTalk to it in the terminal:  {}\nSee what it is all about:    {}\n",
        paint.text(Look::Cyan, format!("{me} chat")),
        paint.text(Look::Cyan, format!("{me} race")),
    ));
}

/// Ends when standard input does. A thread of its own reads, since such a read cannot be cancelled.
fn stdin_ends() -> impl Future<Output = ()> {
    let (ended, end) = oneshot::channel::<()>();
    std::thread::spawn(move || {
        let mut waste = [0; 64];
        while io::stdin().read(&mut waste).is_ok_and(|count| count > 0) {}
        drop(ended);
    });
    async { drop(end.await) }
}
