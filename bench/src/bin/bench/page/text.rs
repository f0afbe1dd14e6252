//! Prose of the page, in lines of at most 100 columns.

/// Opening of the page.
pub(super) const INTRODUCTION: &str = "\
Made by `scripts/bench`, which says what each part needs. Runtimes that are compared ran in the same
run, one after the other in every round; figures are medians, with the middle half in brackets. CPU
time is that of the bot's process alone. The other runtimes run the loop of the published scale-out
sample, which loads, runs, saves with an ETag and tries again. Ours is built as we advise for
production: the profile `fastest` of this repository's `Cargo.toml` and the feature `jemalloc`.";

/// Build of the measured programs: profile-guided, and laid out anew.
pub(super) const LAID_OUT: &str = "
It was also built with profile-guided optimisation, from a short run of all that is measured here,
and laid out by LLVM's BOLT (`scripts/profiled`). What that brings, and how to do it with a bot of
your own: [an optimised build](guides/optimised-build.md).";

/// Build of the measured programs: profile-guided.
pub(super) const PROFILED: &str = "
It was also built with profile-guided optimisation, from a short run of all that is measured here
(`scripts/profiled`). What that brings, and how to do it with a bot of your own:
[an optimised build](guides/optimised-build.md).";

/// Build of the measured programs: neither.
pub(super) const NOT_PROFILED: &str = "
It was built without profile-guided optimisation (`scripts/profiled`).";

pub(super) const QUICK: &str = "
**This was a quick run: it shows that everything works and is no result.**";

pub(super) const GOALS: &str = "What is wanted, and what this run measured.";

pub(super) const IN_PROCESS: &str = "\
One turn at a time on the memory store: the activity is parsed, the turn runs and is saved, the
reply is handed over to nobody. `pizza` adds to a list; `dialog` is a waterfall of three steps with
number prompts; `plain` is the same with prompts that only parse.";

pub(super) const HTTP: &str = "\
The bot as a server under load from 16 conversations at once, then from one. Each sends its next
message when the answer and the reply to the last are there.";

pub(super) const AZURITE: &str =
    "The same with the state in Azurite. Store calls are those that Azurite logged.";

pub(super) const CONTENTION: &str = "\
Messages at once to one conversation that did not exist, over one or two processes that share
Azurite. Then the bot is asked what it has.";

pub(super) const GROWTH: &str = "\
What a turn costs on the memory store as what it meets grows; conversations and instances on SQLite.";

pub(super) const RECOVERY: &str = "\
An instance is killed while replies of this many turns are in flight; another one on the same SQLite
file delivers them. Seconds from the kill, with the default claim of 15 s.";

pub(super) const START: &str = "From starting the process to the first reply, memory store.";

pub(super) const ENGINES: &str = "\
Turns, 64 in flight, beside conditional saves by the engine's client library alone. A file of SQLite
has 20,000 documents, and those that are written lie scattered among them; where there are no
others, all 64 stand on some twenty pages, and a flush writes them together.";
