//! Classifies SQLite's errors by remedy: did the call happen, and what can be done?
//!
//! Before COMMIT nothing has happened, whatever the error. A COMMIT that fails is different: when
//! the disk or the memory failed, the log may hold the whole transaction all the same.

use std::{borrow::Cow, sync::Arc};

use rusqlite::ErrorCode;
use sayso_turn::store::Error;

/// A classified error of SQLite. All callers of one transaction share it.
#[derive(Clone, Debug)]
pub(super) struct Failure {
    remedy: Remedy,
    reason: Cow<'static, str>,
    source: Arc<rusqlite::Error>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Remedy {
    /// It may have happened.
    Look,
    /// It did not happen and may succeed later.
    Later,
    /// It did not happen and never will.
    Never,
}

impl Failure {
    /// A failure outside COMMIT: nothing happened.
    pub(super) fn before_commit(error: rusqlite::Error) -> Self {
        let (remedy, reason) = sort(&error);
        Self { remedy, reason, source: Arc::new(error) }
    }

    /// A failure of COMMIT itself.
    pub(super) fn at_commit(error: rusqlite::Error) -> Self {
        let mut failure = Self::before_commit(error);
        if !is_surely_undone(&failure.source) {
            failure.remedy = Remedy::Look;
        }
        failure
    }

    /// True if it is about the lock that all writes need, so that there is no use in trying each
    /// alone.
    pub(super) fn is_about_the_lock(&self) -> bool {
        matches!(
            self.source.sqlite_error_code(),
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked)
        )
    }

    pub(super) fn may_have_happened(&self) -> bool {
        self.remedy == Remedy::Look
    }

    pub(super) fn into_error(self, store: &str) -> Error {
        let store = Cow::Owned(store.to_owned());
        let reason = self.reason.into_owned();
        let source: Option<Box<dyn std::error::Error + Send + Sync>> = Some(Box::new(self.source));
        match self.remedy {
            Remedy::Look => Error::Unknown { store, reason, source },
            Remedy::Later => Error::Unavailable { store, reason, source },
            Remedy::Never => Error::Invalid { store, reason, source },
        }
    }
}

fn sort(error: &rusqlite::Error) -> (Remedy, Cow<'static, str>) {
    let Some(code) = error.sqlite_error_code() else {
        return (Remedy::Never, Cow::Owned(error.to_string()));
    };
    let (remedy, reason) = match code {
        ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => {
            (Remedy::Later, "other processes have kept the file locked for too long")
        }
        ErrorCode::DiskFull => (Remedy::Later, "the disk is full or the file may not grow"),
        ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => {
            (Remedy::Never, "the file is damaged; it was left as it is, restore it from a copy")
        }
        ErrorCode::ReadOnly => (Remedy::Never, "the file or its folder cannot be written"),
        ErrorCode::TooBig => (Remedy::Never, "a document is larger than SQLite takes"),
        ErrorCode::SystemIoFailure
        | ErrorCode::CannotOpen
        | ErrorCode::OutOfMemory
        | ErrorCode::FileLockingProtocolFailed
        | ErrorCode::OperationInterrupted
        | ErrorCode::OperationAborted => return (Remedy::Later, Cow::Owned(error.to_string())),
        _ => return (Remedy::Never, Cow::Owned(error.to_string())),
    };
    (remedy, Cow::Borrowed(reason))
}

/// True if the transaction of a failed COMMIT can be in no log: the commit record was never written
/// whole.
fn is_surely_undone(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(
            ErrorCode::DatabaseBusy
                | ErrorCode::DatabaseLocked
                | ErrorCode::DiskFull
                | ErrorCode::ReadOnly
                | ErrorCode::DatabaseCorrupt
                | ErrorCode::NotADatabase
                | ErrorCode::ConstraintViolation
        )
    )
}

#[cfg(test)]
mod tests {
    use rusqlite::ffi;

    use super::*;

    fn sqlite(code: i32) -> rusqlite::Error {
        rusqlite::Error::SqliteFailure(ffi::Error::new(code), None)
    }

    fn kind(failure: Failure) -> &'static str {
        match failure.into_error("SQLite") {
            Error::Unknown { .. } => "unknown",
            Error::Unavailable { .. } => "unavailable",
            Error::Invalid { .. } => "invalid",
            _ => "other",
        }
    }

    #[test]
    fn before_commit_nothing_is_unknown() {
        for (code, expected) in [
            (ffi::SQLITE_BUSY, "unavailable"),
            (ffi::SQLITE_BUSY_SNAPSHOT, "unavailable"),
            (ffi::SQLITE_LOCKED, "unavailable"),
            (ffi::SQLITE_FULL, "unavailable"),
            (ffi::SQLITE_IOERR_WRITE, "unavailable"),
            (ffi::SQLITE_NOMEM, "unavailable"),
            (ffi::SQLITE_CORRUPT, "invalid"),
            (ffi::SQLITE_NOTADB, "invalid"),
            (ffi::SQLITE_READONLY, "invalid"),
            (ffi::SQLITE_TOOBIG, "invalid"),
        ] {
            assert_eq!(kind(Failure::before_commit(sqlite(code))), expected, "code {code}");
        }
    }

    #[test]
    fn a_commit_that_fails_on_the_disk_or_for_memory_may_have_happened() {
        for (code, expected) in [
            (ffi::SQLITE_BUSY, "unavailable"),
            (ffi::SQLITE_FULL, "unavailable"),
            (ffi::SQLITE_CORRUPT, "invalid"),
            (ffi::SQLITE_IOERR, "unknown"),
            (ffi::SQLITE_IOERR_FSYNC, "unknown"),
            (ffi::SQLITE_IOERR_SHMMAP, "unknown"),
            (ffi::SQLITE_NOMEM, "unknown"),
        ] {
            assert_eq!(kind(Failure::at_commit(sqlite(code))), expected, "code {code}");
        }
    }

    #[test]
    fn the_vendor_s_error_is_the_source() {
        let error = Failure::before_commit(sqlite(ffi::SQLITE_FULL)).into_error("SQLite at x");
        assert!(error.to_string().starts_with("SQLite at x is unavailable: the disk is full"));
        assert!(std::error::Error::source(&error).is_some());
    }
}
