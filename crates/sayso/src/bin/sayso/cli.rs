//! What can be said on the command line. Every help text ends with examples.

use std::{net::SocketAddr, time::Duration};

use clap::{Args, Parser, Subcommand, ValueEnum, builder::RangedI64ValueParser};
use sayso::Limits;

use crate::{place::Place, state::State};

/// Bots that say so only when it is so.
#[derive(Debug, Parser)]
#[command(
    version,
    args_conflicts_with_subcommands = true,
    after_help = "\
Examples:
  sayso              serve the pizza bot at http://127.0.0.1:3978
  sayso chat         talk to it here, without a server
  sayso race         two processes, one pizza: see what gets lost, and what does not
  sayso state ls     what is kept"
)]
pub(crate) struct Cli {
    /// What to do; `serve` when nothing is said.
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    /// The options of `serve`.
    #[command(flatten)]
    pub(crate) serve: Serve,
}

/// What the command can do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Serve the pizza bot over HTTP (what `sayso` alone does)
    ///
    /// Activities in Bot Framework JSON are taken at POST /api/messages. There is no authentication
    /// yet, so only loopback addresses are allowed. SIGTERM and Ctrl-C drain; a second one stops at
    /// once.
    Serve(Serve),
    /// Talk to the pizza bot in the terminal
    ///
    /// No server is needed. Every line is a message. With a pipe instead of a terminal it reads to the
    /// end, prints the replies and stops.
    Chat(Chat),
    /// Race two processes for one pizza, the usual way and ours
    ///
    /// Starts two instances of the pizza bot on one store, sends toppings to one new conversation
    /// through both, all at once, and compares what the customers were told with what is on the pizza:
    /// first with the usual semantics (load, run, send, overwrite), then with ours.
    Race(Race),
    /// Look at what is kept, move it, remove it
    State(State),
}

/// How to serve.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  sayso serve
  sayso serve --address 127.0.0.1:8080 --store sqlite:/var/lib/bot/state.sqlite
  sayso serve --store memory://          forget everything at the end
  sayso serve --store azblob:state --layout js     go on with what a JavaScript bot has kept
  SAYSO_LOG=debug sayso serve --log json")]
pub(crate) struct Serve {
    /// Where to listen: a loopback address and a port, 0 for any free one
    #[arg(long, default_value = "127.0.0.1:3978", value_parser = address)]
    pub(crate) address: SocketAddr,
    #[command(flatten)]
    pub(crate) place: Place,
    /// How to write the log, which goes to standard error
    #[arg(long, value_name = "FORM", default_value = "text")]
    pub(crate) log: Log,
    /// How to run turns; `classic` is the usual way, kept to show what goes wrong with it
    #[arg(long, hide = true, default_value = "sayso")]
    pub(crate) semantics: Semantics,
    /// Stop when standard input ends, so that no process outlives the one that started it.
    #[arg(long, hide = true)]
    pub(crate) until_stdin_ends: bool,
    #[command(flatten)]
    pub(crate) limits: LimitFlags,
}

/// The engine's limits that tests and experiments turn down.
#[derive(Args, Clone, Copy, Debug, Default)]
pub(crate) struct LimitFlags {
    #[arg(long, hide = true)]
    claim_ms: Option<u64>,
    #[arg(long, hide = true)]
    sweep_ms: Option<u64>,
    #[arg(long, hide = true)]
    record_ms: Option<u64>,
    #[arg(long, hide = true)]
    send_timeout_ms: Option<u64>,
}

impl LimitFlags {
    /// The flags again, for a process that should have the same limits.
    pub(crate) fn to_arguments(self) -> Vec<String> {
        let flags = [
            ("claim", self.claim_ms),
            ("sweep", self.sweep_ms),
            ("record", self.record_ms),
            ("send-timeout", self.send_timeout_ms),
        ];
        let said = flags.into_iter().filter_map(|(name, flag)| Some((name, flag?)));
        said.map(|(name, millis)| format!("--{name}-ms={millis}")).collect()
    }

    /// The defaults, changed by what was said.
    pub(crate) fn apply(self) -> Limits {
        let mut limits = Limits::default();
        for (flag, limit) in [
            (self.claim_ms, &mut limits.claim),
            (self.sweep_ms, &mut limits.sweep_every),
            (self.record_ms, &mut limits.record_after),
            (self.send_timeout_ms, &mut limits.send_timeout),
        ] {
            if let Some(millis) = flag {
                *limit = Duration::from_millis(millis);
            }
        }
        limits
    }
}

/// How to chat.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  sayso chat
  sayso chat --store sqlite:data/chat.sqlite     the pizza is still there next time
  printf 'ham\\nolives\\n' | sayso chat")]
pub(crate) struct Chat {
    /// Where to keep state: memory:// or sqlite:path
    #[arg(long, value_name = "URL", default_value = "memory://")]
    pub(crate) store: String,
    /// Which conversation to go on with
    #[arg(long, value_name = "NAME", default_value = "terminal")]
    pub(crate) conversation: String,
}

/// How to race.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  sayso race
  sayso race -k 64
  sayso race -k 64 --runs 10 --semantics sayso --json
  sayso race --store sqlite:data/race.sqlite     keep the pizzas")]
pub(crate) struct Race {
    /// How many toppings
    #[arg(short, value_name = "COUNT", default_value_t = 8, value_parser = up_to(256))]
    pub(crate) k: u16,
    /// How many races, each in a conversation of its own
    #[arg(long, value_name = "COUNT", default_value_t = 1, value_parser = up_to(1000))]
    pub(crate) runs: u16,
    /// The store both processes share [default: SQLite in a temporary folder]
    #[arg(long, value_name = "URL")]
    pub(crate) store: Option<String>,
    /// Which semantics to race
    #[arg(long, value_name = "WHICH", default_value = "both")]
    pub(crate) semantics: Which,
    /// Print one line of JSON a run instead of the picture
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) limits: LimitFlags,
}

/// How the log is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Log {
    // For people.
    Text,
    // One JSON object a line.
    Json,
}

/// How turns are run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Semantics {
    // Load, run, commit, then send.
    Sayso,
    // Load, run, send, overwrite.
    Classic,
}

impl Semantics {
    /// The name, as it is written on the command line.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Sayso => "sayso",
            Self::Classic => "classic",
        }
    }
}

/// Which semantics to race.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Which {
    // Only the usual ones.
    Classic,
    // Only ours.
    Sayso,
    // One after the other.
    Both,
}

impl Which {
    /// In the order of racing.
    pub(crate) fn list(self) -> &'static [Semantics] {
        match self {
            Self::Classic => &[Semantics::Classic],
            Self::Sayso => &[Semantics::Sayso],
            Self::Both => &[Semantics::Classic, Semantics::Sayso],
        }
    }
}

fn up_to(most: i64) -> RangedI64ValueParser<u16> {
    RangedI64ValueParser::new().range(1..=most)
}

fn address(text: &str) -> Result<SocketAddr, String> {
    let text = text.strip_prefix("http://").unwrap_or(text);
    let text = text.replace("localhost:", "127.0.0.1:");
    text.parse().map_err(|_| "use an address and a port, such as 127.0.0.1:3978".to_owned())
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn every_help_text_has_examples() {
        let mut cli = Cli::command();
        cli.clone().debug_assert();
        let names: Vec<String> =
            cli.get_subcommands().map(|command| command.get_name().to_owned()).collect();
        assert_eq!(names, ["serve", "chat", "race", "state"]);
        assert!(cli.render_help().to_string().contains("Examples:"));
        for name in names {
            let command = cli.find_subcommand_mut(&name).unwrap();
            for command in
                std::iter::once(&mut command.clone()).chain(command.get_subcommands_mut())
            {
                let help = command.render_long_help().to_string();
                assert!(help.contains("Examples:"), "{help}");
            }
        }
    }

    #[test]
    fn no_subcommand_means_serve_with_its_options() {
        let cli = Cli::parse_from(["sayso", "--address", "localhost:0", "--claim-ms", "70"]);
        assert!(cli.command.is_none());
        assert_eq!(cli.serve.address.to_string(), "127.0.0.1:0");
        assert_eq!(cli.serve.limits.apply().claim, Duration::from_millis(70));
        assert_eq!(cli.serve.limits.apply().sweep_every, Limits::default().sweep_every);
        assert_eq!(cli.serve.limits.to_arguments(), ["--claim-ms=70"]);
    }

    #[test]
    fn an_address_that_is_none_is_refused_with_an_example() {
        let error = Cli::try_parse_from(["sayso", "--address", "3978"]).unwrap_err().to_string();
        assert!(error.contains("127.0.0.1:3978"), "{error}");
    }
}
