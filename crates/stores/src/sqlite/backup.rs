//! Online backup: copies the file into a new one while bots write.
//!
//! A read transaction pins the snapshot that is copied (the write-ahead log keeps it), so the copy
//! is of one moment and no write makes it begin anew. It gets its name only when it is whole, was
//! checked and is on disk.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, ErrorKind},
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use rusqlite::{
    Connection, OpenFlags,
    backup::{Backup, StepResult},
};
use sayso_turn::store::Error;

use super::{
    BUSY_MAX, SqliteStore,
    file::{DatabaseFile, immutable_url},
};

/// Number of pages copied between two reports of progress: four MiB.
const PAGES: i32 = 1024;

/// The time limit of waits for locks, which nobody but us should hold.
const LOCK_WAIT_MAX: Duration = Duration::from_secs(10);
const TRY_AGAIN_AFTER: Duration = Duration::from_millis(25);

/// Suffix of the copy while it is being made.
const PARTIAL: &str = ".partial";

/// Progress of a [backup](SqliteStore::backup).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BackupProgress {
    /// Bytes copied so far.
    pub bytes: u64,
    /// Size of the copy.
    pub bytes_all: u64,
}

/// Result of a [backup](SqliteStore::backup): what is in the copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BackupSummary {
    /// Number of documents.
    pub documents: u64,
    /// Size of the file.
    pub bytes: u64,
}

impl SqliteStore {
    /// Copies a store's file into a new file, consistently, while any number of processes use it.
    ///
    /// The copy is of the moment of the call. Before it gets its name it is checked (`PRAGMA
    /// integrity_check`) and flushed to disk; until then it is called `NAME.partial`. Blocks:
    /// call it on a thread that may wait. Meanwhile the log of the source cannot be cleaned up and
    /// grows with what is written.
    ///
    /// # Errors
    /// [`Error::Invalid`] when the source is no store of this engine, when there is a file of the
    /// copy's name already (it is left as it is), or when the copy does not pass the check.
    /// [`Error::Unavailable`] when the disk is full. The partial copy is removed.
    ///
    /// # Example
    /// ```
    /// use sayso_stores::SqliteStore;
    ///
    /// # let folder = tempfile::tempdir().unwrap();
    /// let (bot, copy) = (folder.path().join("bot.sqlite"), folder.path().join("copy.sqlite"));
    /// let _store = SqliteStore::open(&bot)?;
    /// let summary = SqliteStore::backup(&bot, &copy, |progress| println!("{progress:?}"))?;
    /// assert_eq!(summary.documents, 0);
    /// assert!(SqliteStore::backup(&bot, &copy, |_| {}).is_err(), "nothing is overwritten");
    /// # Ok::<(), sayso_turn::store::Error>(())
    /// ```
    pub fn backup(
        from: impl AsRef<Path>,
        to: impl AsRef<Path>,
        mut progress: impl FnMut(BackupProgress),
    ) -> Result<BackupSummary, Error> {
        let source = DatabaseFile::new(from.as_ref(), BUSY_MAX)?;
        let connection = source.open_for_copying()?;
        let target = Target::new(&source, to.as_ref())?;
        let made = copy(&source, &connection, &target.partial, &mut progress)
            .and_then(|()| check(&source, &target.partial))
            .and_then(|documents| target.finish(&source, documents));
        if made.is_err() {
            // What is not whole is of no use, and would be in the way of the next try.
            drop(fs::remove_file(&target.partial));
        }
        made
    }
}

/// Name of the copy, and the file in which it is made.
struct Target {
    path: PathBuf,
    partial: PathBuf,
}

impl Target {
    /// Creates the file, which nobody but its owner may read: it has all that users said.
    fn new(source: &DatabaseFile, to: &Path) -> Result<Self, Error> {
        let absolute = std::path::absolute(to);
        let path = absolute.map_err(|error| failed(source, "the path means nothing", error))?;
        if path.symlink_metadata().is_ok() {
            return Err(is_there(source, &path));
        }
        let mut name = path.clone().into_os_string();
        name.push(PARTIAL);
        let partial = PathBuf::from(name);
        let mut options = OpenOptions::new();
        let options = options.write(true).create_new(true);
        #[cfg(unix)]
        let options = std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
        match options.open(&partial) {
            Ok(_) => Ok(Self { path, partial }),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                let reason = format!(
                    "{} is there: another backup is under way, or was interrupted and its file \
                     can be removed",
                    partial.display()
                );
                Err(source.invalid(reason, None))
            }
            Err(error) => Err(failed(source, "the copy cannot be created", error)),
        }
    }

    /// Flushes the copy and gives it its name, if that is still free.
    fn finish(&self, source: &DatabaseFile, documents: u64) -> Result<BackupSummary, Error> {
        let flushed = File::open(&self.partial).and_then(|file| {
            file.sync_all()?;
            Ok(file.metadata()?.len())
        });
        let bytes = flushed.map_err(|error| failed(source, "the copy cannot be flushed", error))?;
        match fs::hard_link(&self.partial, &self.path) {
            Ok(()) => drop(fs::remove_file(&self.partial)),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                return Err(is_there(source, &self.path));
            }
            // Not every file system has hard links.
            Err(_) if !self.path.exists() => fs::rename(&self.partial, &self.path)
                .map_err(|error| failed(source, "the copy cannot be named", error))?,
            Err(_) => return Err(is_there(source, &self.path)),
        }
        sync_folder(&self.path).map_err(|error| failed(source, "its folder", error))?;
        Ok(BackupSummary { documents, bytes })
    }
}

fn sync_folder(path: &Path) -> io::Result<()> {
    #[cfg(unix)]
    if let Some(folder) = path.parent() {
        File::open(folder)?.sync_all()?;
    }
    Ok(())
}

/// Copies all pages of one snapshot.
fn copy(
    source: &DatabaseFile,
    connection: &Connection,
    partial: &Path,
    progress: &mut dyn FnMut(BackupProgress),
) -> Result<(), Error> {
    let sql = |error| source.error(error);
    // The first read of a transaction takes the snapshot.
    connection.execute_batch("BEGIN").map_err(sql)?;
    let _any: Option<i64> = connection
        .query_row("SELECT max(rowid) FROM document", [], |row| row.get(0))
        .map_err(sql)?;
    let page_bytes: u64 = connection
        .query_row("SELECT page_size FROM pragma_page_size", [], |row| row.get::<_, u32>(0))
        .map_err(sql)?
        .into();
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut target = Connection::open_with_flags(partial, flags).map_err(sql)?;
    let backup = Backup::new(connection, &mut target).map_err(sql)?;
    let mut waiting_since = None;
    loop {
        let step = backup.step(PAGES).map_err(sql)?;
        let pages = backup.progress();
        let all = u64::try_from(pages.pagecount).unwrap_or_default();
        let left = u64::try_from(pages.remaining).unwrap_or_default();
        let bytes = all.saturating_sub(left) * page_bytes;
        match step {
            StepResult::Done => {
                progress(BackupProgress { bytes, bytes_all: all * page_bytes });
                return Ok(());
            }
            StepResult::More => {
                waiting_since = None;
                progress(BackupProgress { bytes, bytes_all: all * page_bytes });
            }
            // Busy or locked: nobody else should have a lock that is in the way.
            _ => {
                let since = *waiting_since.get_or_insert_with(Instant::now);
                if since.elapsed() >= LOCK_WAIT_MAX {
                    let reason = "somebody else keeps the copy or the file locked".to_owned();
                    return Err(source.invalid(reason, None));
                }
                thread::sleep(TRY_AGAIN_AFTER);
            }
        }
    }
}

/// Checks the copy as it lies there, and counts its documents.
fn check(source: &DatabaseFile, partial: &Path) -> Result<u64, Error> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_URI;
    let look = Connection::open_with_flags(immutable_url(partial), flags).and_then(|copy| {
        let verdict =
            copy.query_row("PRAGMA integrity_check(1)", [], |row| row.get::<_, String>(0));
        let documents = copy.query_row("SELECT count(*) FROM document", [], |row| row.get(0));
        Ok((verdict?, documents?))
    });
    let (verdict, documents): (_, i64) = look.map_err(|error| source.error(error))?;
    if verdict != "ok" {
        let reason = format!("the copy is damaged, and so is the file, perhaps: {verdict}");
        return Err(source.invalid(reason, None));
    }
    Ok(u64::try_from(documents).unwrap_or_default())
}

fn is_there(source: &DatabaseFile, path: &Path) -> Error {
    let reason = format!("{} is there; it was left as it is, choose another name", path.display());
    source.invalid(reason, None)
}

fn failed(source: &DatabaseFile, what: &str, error: io::Error) -> Error {
    source.invalid(format!("{what}: {error}"), Some(error.into()))
}
