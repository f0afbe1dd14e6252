//! Permissions of files with secrets.

use std::path::Path;

/// Checks if a file is world-readable.
#[cfg(unix)]
pub(super) fn is_open(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    let file = std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file);
    file.is_some_and(|file| file.permissions().mode() & 0o004 != 0)
}

#[cfg(not(unix))]
pub(super) fn is_open(_path: &Path) -> bool {
    false
}
