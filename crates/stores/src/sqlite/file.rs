//! The database file: checks that it is ours, creates what is missing, and opens it.
//!
//! A file that is not ours, or newer than this build, is refused before anything could change it.

use std::{
    borrow::Cow,
    fs::{self, OpenOptions},
    io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
    thread,
    time::{Duration, Instant},
};

use rusqlite::{
    Connection, ErrorCode, OpenFlags, Transaction, TransactionBehavior, config::DbConfig,
};
use sayso_turn::store::Error;

use super::{failure::Failure, mount};
use crate::sync::lock;

/// Application id in the file's header: "Says", as ASCII.
const APPLICATION_ID: i32 = 0x5361_7973;

/// Format of the tables. A build refuses a file with a higher number, unless the file says that
/// this build may use it: see [`Format`].
const FORMAT: i32 = 1;

/// The table. An ordinary one: without row ids, bodies of a kilobyte would take twice the time and
/// room.
const SCHEMA: &str = "
    CREATE TABLE document (
        key TEXT NOT NULL PRIMARY KEY,
        version INTEGER NOT NULL,
        due INTEGER,
        body TEXT NOT NULL
    ) STRICT;";

/// Partial index of the few documents that are due. Holds nothing that changes with every save.
const INDEX: &str = "CREATE INDEX document_due ON document (due, key) WHERE due IS NOT NULL";

/// Participants of documents, and the mark of those documents whose participants were told. Earlier
/// builds know neither: what they create has no mark, and what they delete the trigger cleans up.
const PARTICIPANTS: &str = "
    ALTER TABLE document ADD COLUMN participants INTEGER;
    CREATE INDEX document_unlisted ON document (key) WHERE participants IS NULL;
    CREATE TABLE participant (
        document TEXT NOT NULL,
        participant INTEGER NOT NULL,
        PRIMARY KEY (document, participant)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX participant_document ON participant (participant, document);
    CREATE TRIGGER document_deleted AFTER DELETE ON document BEGIN
        DELETE FROM participant WHERE document = old.key;
    END;";

/// The smallest file that can be a database: one page. SQLite would take less for an empty one.
const DATABASE_BYTES_MIN: u64 = 512;

/// The time limit of setting up while other processes hold locks on the file.
const SET_UP_MAX: Duration = Duration::from_secs(10);
const TRY_AGAIN_AFTER: Duration = Duration::from_millis(25);

pub(super) struct DatabaseFile {
    path: PathBuf,
    store_name: Arc<str>,
    busy: Duration,
}

impl DatabaseFile {
    pub(super) fn new(path: &Path, busy: Duration) -> Result<Self, Error> {
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
        let store_name: Arc<str> = format!("SQLite at {}", name.escape_debug()).into();
        // Absolute, so that no name has a special meaning for SQLite (":memory:" has one).
        match std::path::absolute(path) {
            Ok(path) => Ok(Self { path, store_name, busy }),
            Err(source) => Err(Error::Invalid {
                store: Cow::Owned(store_name.to_string()),
                reason: "the path of its file is empty or has no meaning here".into(),
                source: Some(source.into()),
            }),
        }
    }

    pub(super) fn store_name(&self) -> &Arc<str> {
        &self.store_name
    }

    /// Creates what is missing, checks what is there, and opens it for the writer.
    pub(super) fn open_for_writing(&self) -> Result<Connection, Error> {
        self.create_folder()?;
        self.check_mount()?;
        self.check_at_rest()?;
        self.create_hidden();
        let connection = self.connect(OpenFlags::SQLITE_OPEN_CREATE)?;
        // Until the file is known to be ours, closing it must not write to it.
        self.sql(connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true))?;
        self.check_numbers(self.patiently(|| numbers(&connection))?)?;
        self.check_numbers(self.patiently(|| set_up(&connection))?)?;
        self.use_log(&connection)?;
        self.sql(connection.execute_batch(
            // What is replaced or deleted is overwritten, so that an erasure leaves nothing of it.
            "PRAGMA synchronous = FULL; PRAGMA cache_size = -65536; PRAGMA wal_autocheckpoint = 4000;
             PRAGMA secure_delete = ON;",
        ))?;
        self.sql(connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false))?;
        Ok(connection)
    }

    /// Opens the file for a reader, after the writer.
    pub(super) fn open_for_reading(&self) -> Result<Connection, Error> {
        let connection = self.connect(OpenFlags::empty())?;
        self.sql(connection.pragma_update(None, "query_only", true))?;
        Ok(connection)
    }

    /// Opens the file for a backup: it must be there, and ours.
    pub(super) fn open_for_copying(&self) -> Result<Connection, Error> {
        if !self.path.is_file() {
            let reason = format!("there is no file {}", self.path.display());
            return Err(self.invalid(reason, None));
        }
        self.check_at_rest()?;
        let connection = self.open_for_reading()?;
        let numbers = self.patiently(|| numbers(&connection))?;
        self.check_numbers(numbers)?;
        if numbers == Numbers::NEW {
            return Err(self.not_ours("has no documents table"));
        }
        Ok(connection)
    }

    fn connect(&self, further: OpenFlags) -> Result<Connection, Error> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX | further;
        let connection = Connection::open_with_flags(&self.path, flags).map_err(|error| {
            let reason = format!("cannot open or create {}", self.path.display());
            self.invalid(reason, Some(error.into()))
        })?;
        self.sql(connection.busy_timeout(self.busy))?;
        Ok(connection)
    }

    /// Creates the file, if it is not there, without rights for users who are neither its owner nor
    /// of its group: at once, so that nobody can open it before. SQLite gives its log the same
    /// rights. What fails here fails again when SQLite opens it, which says why.
    fn create_hidden(&self) {
        // Closing a file releases the locks that this process has on it. So nobody else of this
        // process may connect to a new file before it is closed here.
        static CREATING: Mutex<()> = Mutex::new(());
        let _turn = lock(&CREATING);
        let mut options = OpenOptions::new();
        let options = options.write(true).create_new(true);
        #[cfg(unix)]
        let options = std::os::unix::fs::OpenOptionsExt::mode(options, 0o660);
        drop(options.open(&self.path));
    }

    fn use_log(&self, connection: &Connection) -> Result<(), Error> {
        let mode = self.patiently(|| {
            connection
                .pragma_update_and_check(None, "journal_mode", "wal", |row| row.get::<_, String>(0))
        })?;
        if mode == "wal" {
            return Ok(());
        }
        let path = self.path.display();
        let reason = format!("{path} cannot have a write-ahead log; put it on a local disk");
        Err(self.invalid(reason, None))
    }

    fn create_folder(&self) -> Result<(), Error> {
        let Some(folder) = self.path.parent().filter(|folder| !folder.is_dir()) else {
            return Ok(());
        };
        let mut builder = fs::DirBuilder::new();
        let builder = builder.recursive(true);
        #[cfg(unix)]
        let builder = std::os::unix::fs::DirBuilderExt::mode(builder, 0o700);
        let missing: Vec<_> = folder.ancestors().take_while(|above| !above.is_dir()).collect();
        let created = builder.create(folder).and_then(|()| sync_parents(&missing));
        created.map_err(|error| {
            let reason = format!("cannot create the folder {}: {error}", folder.display());
            self.invalid(reason, Some(error.into()))
        })
    }

    fn check_mount(&self) -> Result<(), Error> {
        let Some(system) = self.path.parent().and_then(mount::network_of) else { return Ok(()) };
        let path = self.path.display();
        let reason = format!(
            "{path} is on a network file system ({system}), where two machines can both believe \
             that they write alone; put it on a local disk, or use another engine"
        );
        Err(self.invalid(reason, None))
    }

    /// Checks an existing file as it lies there: without its log, without a lock, without a change.
    ///
    /// Through SQLite all the same: to open and close the file any other way would release the
    /// locks that this process may already hold on it.
    fn check_at_rest(&self) -> Result<(), Error> {
        let Ok(metadata) = fs::metadata(&self.path) else { return Ok(()) };
        if metadata.is_file() && (1..DATABASE_BYTES_MIN).contains(&metadata.len()) {
            return Err(self.not_ours("is not a SQLite database"));
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
            | OpenFlags::SQLITE_OPEN_NO_MUTEX
            | OpenFlags::SQLITE_OPEN_URI;
        let look = Connection::open_with_flags(immutable_url(&self.path), flags)
            .and_then(|connection| numbers(&connection));
        match look {
            Ok(numbers) => self.check_numbers(numbers),
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::NotADatabase) => {
                Err(self.not_ours("is not a SQLite database"))
            }
            // It may be in use right now, or out of reach: opening it properly will tell.
            Err(_) => Ok(()),
        }
    }

    fn check_numbers(&self, numbers: Numbers) -> Result<(), Error> {
        let Numbers { application, format, .. } = numbers;
        if numbers == Numbers::NEW {
            return Ok(());
        }
        let format = Format::of(format);
        if application != APPLICATION_ID || format.number < 1 {
            return Err(self.not_ours("belongs to another program"));
        }
        if format.usable_from > FORMAT {
            let path = self.path.display();
            let reason = format!(
                "{path} has format {} and this build knows up to {FORMAT}; it was left as it is, \
                 use a newer build",
                format.number
            );
            return Err(self.invalid(reason, None));
        }
        Ok(())
    }

    /// Retries while other processes hold a lock: setting up needs locks that SQLite does not wait
    /// for by itself.
    fn patiently<T>(&self, step: impl Fn() -> rusqlite::Result<T>) -> Result<T, Error> {
        let started = Instant::now();
        loop {
            match step() {
                Err(error) if is_busy(&error) && started.elapsed() < SET_UP_MAX => {
                    thread::sleep(TRY_AGAIN_AFTER);
                }
                result => return self.sql(result),
            }
        }
    }

    fn sql<T>(&self, result: rusqlite::Result<T>) -> Result<T, Error> {
        result.map_err(|error| self.error(error))
    }

    pub(super) fn error(&self, error: rusqlite::Error) -> Error {
        Failure::before_commit(error).into_error(&self.store_name)
    }

    fn not_ours(&self, what: &str) -> Error {
        let path = self.path.display();
        let reason = format!("{path} {what}; it was left as it is, choose another file");
        self.invalid(reason, None)
    }

    pub(super) fn invalid(
        &self,
        reason: String,
        source: Option<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Error {
        Error::Invalid { store: Cow::Owned(self.store_name.to_string()), reason, source }
    }
}

/// Identity of a file: its header fields and the number of its tables.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Numbers {
    application: i32,
    format: i32,
    tables: i64,
}

impl Numbers {
    const NEW: Self = Self { application: 0, format: 0, tables: 0 };
}

/// Format of a file, as its header has it (`user_version`): the number in the lower 16 bits, and
/// above them the oldest format whose builds may use the file all the same, so that a roll-back to
/// them works. Zero there means that no older build may.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Format {
    number: i32,
    usable_from: i32,
}

impl Format {
    fn of(user_version: i32) -> Self {
        let (number, usable_from) = (user_version & 0xffff, user_version >> 16);
        Self { number, usable_from: if usable_from == 0 { number } else { usable_from } }
    }
}

/// Creates what is missing in a file that is new or ours, unless another process was faster. A
/// newer file is for newer builds to change.
fn set_up(connection: &Connection) -> rusqlite::Result<Numbers> {
    let found = numbers(connection)?;
    let is_newer = Format::of(found.format).number > FORMAT;
    let is_whole = has_index(connection)? && has_participants(connection)?;
    if found != Numbers::NEW && (is_newer || is_whole) {
        return Ok(found);
    }
    let transaction = Transaction::new_unchecked(connection, TransactionBehavior::Immediate)?;
    if numbers(&transaction)? == Numbers::NEW {
        transaction.execute_batch(SCHEMA)?;
        transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
        transaction.pragma_update(None, "user_version", FORMAT)?;
    }
    if !has_index(&transaction)? {
        transaction.execute_batch("DROP INDEX IF EXISTS document_due")?;
        transaction.execute_batch(INDEX)?;
    }
    if !has_participants(&transaction)? {
        transaction.execute_batch(PARTICIPANTS)?;
    }
    transaction.commit()?;
    numbers(connection)
}

/// True if the index is as this build makes it. Earlier builds had the version in it; they and this
/// one get along with either.
fn has_index(connection: &Connection) -> rusqlite::Result<bool> {
    let sql = "SELECT count(*) FROM sqlite_schema WHERE name = 'document_due' AND sql = ?1";
    connection.query_row(sql, [INDEX], |row| Ok(row.get::<_, i64>(0)? == 1))
}

fn has_participants(connection: &Connection) -> rusqlite::Result<bool> {
    let sql = "SELECT count(*) FROM sqlite_schema WHERE name = 'document_deleted'";
    connection.query_row(sql, [], |row| Ok(row.get::<_, i64>(0)? == 1))
}

fn numbers(connection: &Connection) -> rusqlite::Result<Numbers> {
    connection.query_row(
        "SELECT (SELECT application_id FROM pragma_application_id),
                (SELECT user_version FROM pragma_user_version),
                (SELECT count(*) FROM sqlite_schema)",
        [],
        |row| Ok(Numbers { application: row.get(0)?, format: row.get(1)?, tables: row.get(2)? }),
    )
}

fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}

/// URL that opens the file as immutable: read alone, as if nobody could ever change it.
pub(super) fn immutable_url(path: &Path) -> String {
    let mut url = String::from("file:");
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'/' | b'-' | b'_' | b'.' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => {
                url.push(char::from(*byte));
            }
            other => url.push_str(&format!("%{other:02X}")),
        }
    }
    url.push_str("?immutable=1");
    url
}

/// Syncs the parents of new folders to disk: a folder is an entry in the one above it.
fn sync_parents(folders: &[&Path]) -> io::Result<()> {
    #[cfg(unix)]
    for parent in folders.iter().filter_map(|folder| folder.parent()) {
        fs::File::open(parent)?.sync_all()?;
    }
    Ok(())
}
