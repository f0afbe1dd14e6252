//! Permissions of files with secrets.

use std::path::Path;

/// Checks if every user of this machine can read or write a file.
#[cfg(unix)]
pub(crate) fn is_open(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    let file = std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file);
    file.is_some_and(|file| file.permissions().mode() & 0o006 != 0)
}

#[cfg(not(unix))]
pub(crate) fn is_open(_path: &Path) -> bool {
    false
}
