//! Command line: subcommands, options and help. Every help text ends with examples.

use std::{net::SocketAddr, path::PathBuf, time::Duration};

use anyhow::bail;
use clap::{Args, Parser, Subcommand, ValueEnum, builder::RangedI64ValueParser};
use sayso::{Config, Limits, config::parse_address};

use crate::{place::Place, state::State};

/// Bots that say so only when it is so.
#[derive(Debug, Parser)]
#[command(
    version,
    args_conflicts_with_subcommands = true,
    after_help = "\
Examples:
  sayso new my-bot   make a crate with a bot and its tests
  sayso              serve the pizza bot at http://127.0.0.1:3978
  sayso chat         talk to it here, without a server
  sayso race         two processes, one pizza: see what gets lost, and what does not
  sayso state ls     list the stored documents
  sayso doctor       check that a bot can run here"
)]
pub(crate) struct Cli {
    /// Subcommand; `serve` if none is given.
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    /// The options of `serve`.
    #[command(flatten)]
    pub(crate) serve: Serve,
}

/// Subcommands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Make a crate with a bot of your own, its tests, its settings and its image
    ///
    /// The folder must be new or empty; its name is that of the crate. The crate has a bot
    /// (src/lib.rs), dialogues and a simulation as tests, sayso.toml and a Containerfile.
    New(New),
    /// Serve the pizza bot over HTTP (what `sayso` alone does)
    ///
    /// Accepts activities in Bot Framework JSON at POST /api/messages. With an app (MicrosoftAppId
    /// and MicrosoftAppPassword, or `[app]` in sayso.toml) it authenticates both ways; without one
    /// only loopback addresses are allowed. SIGTERM and Ctrl-C drain; a second signal stops at
    /// once.
    Serve(Serve),
    /// Talk to the pizza bot in the terminal
    ///
    /// No server is needed. Every line is a message. When input is piped in, it reads all of it,
    /// prints the replies and exits.
    Chat(Chat),
    /// Race two processes for one pizza, the usual way and ours
    ///
    /// Starts two instances of the pizza bot on one store, sends toppings to one new conversation
    /// through both, all at once, and compares what the customers were told with what is on the
    /// pizza: first with the usual semantics (load, run, send, overwrite), then with ours.
    Race(Race),
    /// Inspect, move and remove stored state
    State(State),
    /// Show every setting, its value, and where the value comes from
    ///
    /// A setting comes from a flag, else from the environment, else from the file (sayso.toml in
    /// the working directory, or another by --config or SAYSO_CONFIG), else it has its default. The
    /// value of a secret is never shown, only that it is set. Settings that are allowed but unwise
    /// are reported on standard error.
    Config(Show),
    /// Check that a bot with this configuration can run here, and say how to fix what is wrong
    ///
    /// Checks the configuration, that the app gets a token, that the keys of the channels' issuer
    /// can be fetched, the clock, the store (a document of its own is written, replaced and removed
    /// again), the address and the service URLs. Each check ends within 5 seconds. The exit code is
    /// 1 if a check failed; warnings do not count.
    Doctor(Doctor),
}

/// Options of `sayso new`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  sayso new my-bot
  sayso new bots/pizza --path ../sayso       with the crates of a copy of Sayso's repository")]
pub(crate) struct New {
    /// Folder to make; its last part is the name of the crate
    #[arg(value_name = "FOLDER")]
    pub(crate) folder: PathBuf,
    /// Copy of Sayso's repository whose crates are used, in place of the published ones
    #[arg(long, value_name = "FOLDER")]
    pub(crate) path: Option<PathBuf>,
}

/// Options of `sayso serve`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  sayso serve
  sayso serve --address 127.0.0.1:8080 --store sqlite:/var/lib/bot/state.sqlite
  sayso serve --store memory://          keep nothing after it stops
  sayso serve --store azblob:state --layout js     continue with the state of a JavaScript bot
  SAYSO_LOG=debug sayso serve --log json
  sayso serve --config /etc/bot.toml     `sayso config` shows it, `sayso doctor` checks it")]
pub(crate) struct Serve {
    #[command(flatten)]
    pub(crate) sources: Sources,
    /// Go by the flags alone: no file, no environment. For processes that this program starts
    /// itself.
    #[arg(long, hide = true)]
    pub(crate) bare: bool,
    /// Semantics of a turn; `classic` is the usual way, kept to show what goes wrong with it
    #[arg(long, hide = true, default_value = "sayso")]
    pub(crate) semantics: Semantics,
    /// Stop when standard input ends, so that no process outlives the one that started it.
    #[arg(long, hide = true)]
    pub(crate) until_stdin_ends: bool,
    #[command(flatten)]
    pub(crate) limits: LimitFlags,
}

/// Sources of a server's configuration: the file, and the settings that have flags.
#[derive(Args, Debug)]
pub(crate) struct Sources {
    /// Address and port to listen on, port 0 for any free one; only loopback without an app
    /// [env: SAYSO_ADDRESS] [default: 127.0.0.1:3978]
    #[arg(long, value_parser = parse_address)]
    pub(crate) address: Option<SocketAddr>,
    /// Address and port of health and statistics, or `off` [env: SAYSO_ADMIN_ADDRESS] [default: on
    /// loopback, 10,000 ports after the other]
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) admin_address: Option<String>,
    #[command(flatten)]
    pub(crate) place: Place,
    /// Format of the log, which goes to standard error [env: SAYSO_LOG_FORMAT] [default: text]
    #[arg(long, value_name = "FORM")]
    pub(crate) log: Option<Log>,
}

impl Sources {
    /// The whole configuration: file, environment, flags.
    pub(crate) fn config(&self) -> anyhow::Result<Config> {
        self.add_to(self.place.load()?)
    }

    /// The flags alone.
    pub(crate) fn flags(&self) -> anyhow::Result<Config> {
        if self.place.config.is_some() {
            bail!("--bare and --config cannot be used together");
        }
        self.add_to(Config::default())
    }

    fn add_to(&self, config: Config) -> anyhow::Result<Config> {
        let mut config = self.place.add_to(config)?;
        if let Some(address) = self.address {
            config = config.flag("address", &address.to_string())?;
        }
        if let Some(admin) = &self.admin_address {
            config = config.flag("admin-address", admin)?;
        }
        if let Some(log) = self.log {
            config = config.flag("log.format", log.name())?;
        }
        Ok(config)
    }
}

/// Options of `sayso config`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  sayso config
  sayso config --config /etc/bot.toml
  SAYSO_STORE=redis://cache sayso config --address 127.0.0.1:8080
  sayso config --json | jq 'select(.source != \"default\")'")]
pub(crate) struct Show {
    #[command(flatten)]
    pub(crate) sources: Sources,
    /// Print one JSON object per setting
    #[arg(long)]
    pub(crate) json: bool,
}

/// Options of `sayso doctor`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  sayso doctor
  sayso doctor --config /etc/bot.toml
  sayso doctor --store postgres://bot@db/bot
  sayso doctor --json | jq 'select(.mark == \"failed\")'")]
pub(crate) struct Doctor {
    #[command(flatten)]
    pub(crate) sources: Sources,
    /// Print one JSON object per check
    #[arg(long)]
    pub(crate) json: bool,
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

/// Options of `sayso chat`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  sayso chat
  sayso chat --store sqlite:data/chat.sqlite     the pizza is still there next time
  printf 'ham\\nolives\\n' | sayso chat")]
pub(crate) struct Chat {
    /// Store of the conversation: memory:// or sqlite:path
    #[arg(long, value_name = "URL", default_value = "memory://")]
    pub(crate) store: String,
    /// Name of the conversation to continue
    #[arg(long, value_name = "NAME", default_value = "terminal")]
    pub(crate) conversation: String,
}

/// Options of `sayso race`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  sayso race
  sayso race -k 64
  sayso race -k 64 --runs 10 --semantics sayso --json
  sayso race -k 64 --svg race.svg                the picture as a file, for a page or a slide
  sayso race --store sqlite:data/race.sqlite     keep the pizzas")]
pub(crate) struct Race {
    /// Number of toppings
    #[arg(short, value_name = "COUNT", default_value_t = 8, value_parser = up_to(256))]
    pub(crate) k: u16,
    /// Number of races, each in a conversation of its own
    #[arg(long, value_name = "COUNT", default_value_t = 1, value_parser = up_to(1000))]
    pub(crate) runs: u16,
    /// The store both processes share [default: SQLite in a temporary folder]
    #[arg(long, value_name = "URL")]
    pub(crate) store: Option<String>,
    /// Semantics to race
    #[arg(long, value_name = "WHICH", default_value = "both")]
    pub(crate) semantics: Which,
    /// Print one line of JSON per run instead of the picture
    #[arg(long)]
    pub(crate) json: bool,
    /// Write the picture to an SVG file: the last run of each semantics, side by side
    #[arg(long, value_name = "FILE")]
    pub(crate) svg: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) limits: LimitFlags,
}

/// Format of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Log {
    // For people.
    Text,
    // One JSON object a line.
    Json,
}

impl Log {
    /// The form that a configuration names.
    pub(crate) fn of(config: &Config) -> Self {
        if config.log().1 == Self::Json.name() { Self::Json } else { Self::Text }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Json => "json",
        }
    }
}

/// Semantics of a turn.
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

/// Selection of the semantics to race.
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
        assert_eq!(names, ["new", "serve", "chat", "race", "state", "config", "doctor"]);
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
        assert_eq!(cli.serve.sources.flags().unwrap().address().to_string(), "127.0.0.1:0");
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
