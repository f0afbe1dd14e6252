//! Arguments of `sayso state`. Every help text ends with examples.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use sayso::stores::Layout;

use super::scope::Whose;
use crate::place::Place;

/// Options of `sayso state`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  sayso state ls
  sayso state show webchat/conversations/c1
  sayso state export > backup.jsonl
  sayso state forget --channel webchat --user ann --dry-run
  sayso state migrate --from sqlite:data/sayso.sqlite --to postgres://bot@db/bot")]
pub(crate) struct State {
    #[command(subcommand)]
    pub(crate) command: StateCommand,
}

/// Subcommands of `sayso state`.
#[derive(Debug, Subcommand)]
pub(crate) enum StateCommand {
    /// List documents: their sizes and pending work, never what was said in them
    ///
    /// One line per document: its revision (how often it was written), turns, size, replies that
    /// wait to be delivered, timers, parked replies (those that could not be delivered), the next
    /// thing to happen, and the key. The order is the store's.
    Ls(Ls),
    /// Show one document, and explain what the runtime keeps in it
    Show(Show),
    /// Remove documents, unless they have changed since they were shown
    ///
    /// A document that changes meanwhile is not removed. One with pending replies or timers is not
    /// removed without --force: they would be lost.
    Rm(Rm),
    /// Write documents to standard output, one JSON object per line
    ///
    /// Each line has `key`, `body` (exactly as it is stored; a string instead of an object if it
    /// has line breaks) and `due` (the time of its next pending work, in milliseconds since 1970,
    /// if there is any; informational only). The bot may keep running: each document is exported
    /// whole, but they are not all from the same moment. Expired documents are left out.
    Export(Export),
    /// Create documents from standard input, as `export` writes them
    ///
    /// A document that already exists is left alone: counted if it is the same, reported if it
    /// differs. With --replace it is replaced, provided that it has not changed meanwhile.
    Import(Import),
    /// Remove the stored data of a user
    ///
    /// Removed, each as a whole, with its state, pending replies and timers, recorded answers and
    /// ids of activities seen:
    ///   - the user's document, CHANNEL/users/USER
    ///   - the user's documents in conversations, CHANNEL/conversations/*/users/USER
    ///   - one-to-one conversations: those in which every stored activity (replies that wait or are
    ///     parked, timers, answers kept for redelivery) is from or to the user, and there is one
    ///   - conversations that you name with --conversation
    ///
    /// Not removed:
    ///   - conversations in which others take part too: those that mention the user are listed
    ///   - conversations in which no activity is stored at the moment: nothing tells whose they
    ///     are. They are counted; name those of the user with --conversation
    ///   - documents under keys of your own (`turn.custom`), even if they are about the user
    ///   - what the channel, your logs, exports and backups hold
    ///   - what a running instance has in memory: it is not saved again, and is dropped with the
    ///     next turn of that conversation, or with the instance
    ///
    /// Deletes are conditional and repeated until nothing is found, so the bot may keep running.
    /// Later messages of the user are stored again. A second run finds nothing.
    #[command(verbatim_doc_comment)]
    Forget(Forget),
    /// Copy a SQLite store into a new file while the bot runs
    ///
    /// The copy is of one moment, whatever is written meanwhile. It is checked and flushed to disk
    /// before it gets its name, and nothing is ever overwritten. To go back to it, stop all
    /// instances and start them with the copy as their store. Other engines have means of their
    /// own; the command says which.
    #[command(verbatim_doc_comment)]
    Backup(Backup),
    /// Copy all documents to another store while the bot runs
    ///
    /// Copies every document from one store to another, of any engine and layout, pass after pass:
    /// first everything, then what changed since, until a pass over both finds no difference.
    /// Nothing is ever overwritten without a condition. A document in the target that is not an
    /// older copy of the source's is left alone and reported, so turns that only the target has
    /// seen are not lost. A second run continues where the first one stopped.
    ///
    /// How to switch without losing a turn:
    ///   1. Run it while the bot serves from the old store. It ends with exit code 3 when all that
    ///      is left to copy is what changes all the time.
    ///   2. Stop all old instances (SIGTERM drains them). From now on users get no answer. What a
    ///      channel redelivers later counts once, since the ids seen are copied too.
    ///   3. Run it again. Exit code 0 means that both stores hold the same. This is the only
    ///      downtime: about two passes; each pass prints how long it took.
    ///   4. Start the new instances on the new store. Pending replies and timers continue there.
    ///
    /// With --cut-over, steps 1 to 3 are one run: it copies, asks you to stop the old instances,
    /// waits for Enter, and copies the rest. It does not stop them itself.
    ///
    /// Never let instances work on both stores at the same time: each would deliver the pending
    /// replies, and turns would be split between them. See docs/guides/migrate.md.
    ///
    /// Exit codes: 0 no difference; 1 a document was left alone, or an error; 3 the source is still
    /// being written.
    #[command(verbatim_doc_comment)]
    Migrate(Migrate),
    /// Encrypt documents with the first key of the key ring, unless they are already
    ///
    /// For the rotation of a key, and after encryption was turned on: a document is encrypted with
    /// the first key when it is saved next, and this command saves the others as they are. Every
    /// write is conditional, so the bot may keep running. A document that does not decrypt is left
    /// alone and reported. With `clear` as the first entry it decrypts them all.
    Reencrypt(Reencrypt),
}

/// Options of `sayso state reencrypt`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  sayso state reencrypt
  sayso state reencrypt webchat/ --json")]
pub(crate) struct Reencrypt {
    /// Prefix of the keys of the documents
    #[arg(default_value = "", hide_default_value = true)]
    pub(crate) prefix: String,
    /// Print the counts as JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) place: Place,
}

/// Options of `sayso state ls`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  sayso state ls
  sayso state ls webchat/users/
  sayso state ls --bot pizza --tenant contoso
  sayso state ls --limit 20 --store postgres://bot@db/bot
  sayso state ls --waiting
  sayso state ls --parked --timers --json")]
pub(crate) struct Ls {
    /// Prefix of the keys to list
    #[arg(default_value = "", hide_default_value = true)]
    pub(crate) prefix: String,
    /// Maximum number of documents to list
    #[arg(long, value_name = "COUNT")]
    pub(crate) limit: Option<usize>,
    /// Only documents with unfinished turns, waiting replies or an unfinished change. Reads the
    /// index of due documents, and no other document
    #[arg(long)]
    pub(crate) waiting: bool,
    /// Only documents with timers. Reads the index of due documents, and those in it; documents
    /// that expire are in it, too
    #[arg(long)]
    pub(crate) timers: bool,
    /// Only documents with replies, timers or turns that were given up (dead letters). Reads as
    /// much as --timers. Dead letters in documents that only builds before this option wrote are
    /// not in the index: `sayso state ls --json | jq 'select(.parked > 0)'` has all
    #[arg(long)]
    pub(crate) parked: bool,
    /// Print one JSON object per line
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) whose: Whose,
    #[command(flatten)]
    pub(crate) place: Place,
}

/// Options of `sayso state show`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  sayso state show webchat/conversations/c1
  sayso state show webchat/users/ann --json
  sayso state show webchat/users/ann --raw > ann.json")]
pub(crate) struct Show {
    /// Key of the document
    pub(crate) key: String,
    /// Print the stored text unchanged
    #[arg(long, conflicts_with = "json")]
    pub(crate) raw: bool,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) whose: Whose,
    #[command(flatten)]
    pub(crate) place: Place,
}

/// Options of `sayso state rm`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  sayso state rm webchat/conversations/c1
  sayso state rm webchat/conversations/c1 webchat/users/ann --yes")]
pub(crate) struct Rm {
    /// Keys of the documents
    #[arg(required = true, value_name = "KEY")]
    pub(crate) keys: Vec<String>,
    /// Do not ask for confirmation
    #[arg(short, long)]
    pub(crate) yes: bool,
    /// Remove a document even if replies or timers are pending in it, or if it is damaged
    #[arg(long)]
    pub(crate) force: bool,
    /// Print one JSON object per document
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) whose: Whose,
    #[command(flatten)]
    pub(crate) place: Place,
}

/// Options of `sayso state export`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  sayso state export > backup.jsonl
  sayso state export webchat/ | gzip > webchat.jsonl.gz
  sayso state export | jq -r .key")]
pub(crate) struct Export {
    /// Prefix of the keys to export
    #[arg(default_value = "", hide_default_value = true)]
    pub(crate) prefix: String,
    #[command(flatten)]
    pub(crate) whose: Whose,
    #[command(flatten)]
    pub(crate) place: Place,
}

/// Options of `sayso state import`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  sayso state import < backup.jsonl
  gunzip < webchat.jsonl.gz | sayso state import --store postgres://bot@db/bot
  sayso state import --replace < backup.jsonl     go back to what was exported")]
pub(crate) struct Import {
    /// Replace documents that differ
    #[arg(long)]
    pub(crate) replace: bool,
    /// Print the counts as JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) place: Place,
}

/// Options of `sayso state forget`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  sayso state forget --channel webchat --user ann --dry-run
  sayso state forget --channel msteams --user 29:1abc --conversation a:1xyz
  sayso state forget --channel msteams --user 29:1abc --bot pizza --tenant contoso")]
pub(crate) struct Forget {
    /// The channel's id, such as webchat or msteams
    #[arg(long)]
    pub(crate) channel: String,
    /// The user's id on that channel
    #[arg(long)]
    pub(crate) user: String,
    /// A conversation of that channel that is the user's alone (may be given several times)
    #[arg(long, value_name = "ID")]
    pub(crate) conversation: Vec<String>,
    /// Count it as complete although conversations with others are left
    #[arg(long)]
    pub(crate) allow_shared: bool,
    /// Count it as complete although conversations are left of which nobody knows whose they are
    #[arg(long)]
    pub(crate) allow_silent: bool,
    /// Read every document of the channel instead of asking the store's index of participants:
    /// after a roll-back to a build that keeps none
    #[arg(long)]
    pub(crate) scan: bool,
    /// Let the store write its files anew, so that they hold no remains (locks it meanwhile; SQLite
    /// and PostgreSQL)
    #[arg(long)]
    pub(crate) rewrite: bool,
    /// Show what would be removed, and remove nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) whose: Whose,
    #[command(flatten)]
    pub(crate) place: Place,
}

/// Options of `sayso state backup`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  sayso state backup backups/2026-11-19.sqlite
  sayso state backup copy.sqlite --store sqlite:data/sayso.sqlite")]
pub(crate) struct Backup {
    /// File to create
    pub(crate) file: PathBuf,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) place: Place,
}

/// Options of `sayso state migrate`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  sayso state migrate --from sqlite:data/sayso.sqlite --to postgres://bot@db/bot
  sayso state migrate --from azblob:state --from-layout js --to cosmos://bots.documents.azure.com/bots
  sayso state migrate --from sqlite:a.sqlite --to sqlite:b.sqlite --to-keys keys    encrypt it
  sayso state migrate --from redis://cache --to s3://bots --prefix webchat/ --cut-over")]
pub(crate) struct Migrate {
    /// The store to copy from; it is only read
    #[arg(long, value_name = "URL")]
    pub(crate) from: String,
    /// The store to copy to
    #[arg(long, value_name = "URL")]
    pub(crate) to: String,
    /// Layout of a source written by another SDK: dotnet, js, python or sample
    #[arg(long, value_name = "SDK")]
    pub(crate) from_layout: Option<Layout>,
    /// Layout of a target meant for another SDK: dotnet, js, python or sample
    #[arg(long, value_name = "SDK")]
    pub(crate) to_layout: Option<Layout>,
    /// File with the encryption keys of the source. Without it the source is read as it is
    #[arg(long, value_name = "FILE")]
    pub(crate) from_keys: Option<PathBuf>,
    /// File with the encryption keys of the target. Without it the target is not encrypted
    #[arg(long, value_name = "FILE")]
    pub(crate) to_keys: Option<PathBuf>,
    /// File with the key for hashed names of the source
    #[arg(long, value_name = "FILE", requires = "from_keys")]
    pub(crate) from_names_key: Option<PathBuf>,
    /// File with the key for hashed names of the target
    #[arg(long, value_name = "FILE", requires = "to_keys")]
    pub(crate) to_names_key: Option<PathBuf>,
    /// Copy only documents whose keys have this prefix
    #[arg(long, default_value = "", hide_default_value = true)]
    pub(crate) prefix: String,
    /// Copy, wait until the old instances are stopped, copy the rest
    #[arg(long)]
    pub(crate) cut_over: bool,
    /// Replace documents in the target that differ and are not known to be older copies. Needed to
    /// continue the copy of another SDK's state, which carries no history
    #[arg(long)]
    pub(crate) replace: bool,
    /// Remove documents that are only in the target, unless they change meanwhile
    #[arg(long, conflicts_with = "keep_extra")]
    pub(crate) delete_extra: bool,
    /// Accept documents that are only in the target
    #[arg(long)]
    pub(crate) keep_extra: bool,
    /// Print one JSON object per pass, and one at the end
    #[arg(long)]
    pub(crate) json: bool,
}
