//! Golden files: the stored form of each version of a type, checked by a test.
//!
//! Bot authors call [`golden!`](crate::golden!) in a test. From then on an edit of the type that
//! changes its stored form without a new version fails that test, and so does an upcaster that no
//! longer reads an older version.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use serde_json::Value;

use super::{BotState, VERSION_MEMBER};

/// Environment variable that permits writing a missing file, if it is `1`.
pub const BLESS: &str = "SAYSO_BLESS";

/// Result of a check.
#[derive(Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Golden {
    /// Everything is unchanged.
    Kept,
    /// The file was written, or samples were added to it.
    Written(PathBuf),
}

/// Error of a type that does not match its golden files.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GoldenError {
    /// The current version has no file, or the file has fewer samples than the test.
    #[error(
        "{name} version {version}: {path} has {stored} of {given} samples; run the test once with \
         {BLESS}=1 to write them, and commit the file"
    )]
    Missing {
        /// The type.
        name: &'static str,
        /// Its version.
        version: u32,
        /// The file.
        path: PathBuf,
        /// Number of samples in the file.
        stored: usize,
        /// Number of samples in the test.
        given: usize,
    },
    /// The stored form of the current version has changed.
    #[error(
        "{name} version {version}: sample {index} is not stored any more as {path} says: an instance \
         of the build before would not understand it; raise the version and add an upcaster from \
         {version}, or undo the edit"
    )]
    Changed {
        /// The type.
        name: &'static str,
        /// Its version.
        version: u32,
        /// The file.
        path: PathBuf,
        /// Index of the sample, from 0.
        index: usize,
    },
    /// A stored sample of a version cannot be read.
    #[error("{name} version {version}: sample {index} of {path} cannot be read any more: {source}")]
    Unreadable {
        /// The type.
        name: &'static str,
        /// The version that wrote it.
        version: u32,
        /// The file.
        path: PathBuf,
        /// Index of the sample, from 0.
        index: usize,
        /// The error of the parser.
        source: serde_json::Error,
    },
    /// There is a file of a newer version than the type has.
    #[error("{name} is at version {version}, but there is {path}: a version is never lowered")]
    Ahead {
        /// The type.
        name: &'static str,
        /// Its version.
        version: u32,
        /// The file.
        path: PathBuf,
    },
    /// A file cannot be used.
    #[error("the golden file {path} cannot be used: {source}")]
    File {
        /// The file.
        path: PathBuf,
        /// The error of the file system.
        source: io::Error,
    },
}

/// Checks a type against its golden files in a folder: `Order.v3.json` holds samples in the stored
/// form of version 3.
///
/// `may_write` permits writing missing samples of the current version. Existing ones are never
/// overwritten: to change them on purpose, delete the file.
///
/// # Errors
/// A [`GoldenError`] that says what does not match, and what to do.
pub fn check<T: BotState>(
    folder: &Path,
    samples: &[T],
    may_write: bool,
) -> Result<Golden, GoldenError> {
    for (version, path) in files::<T>(folder)? {
        if version > T::VERSION {
            return Err(GoldenError::Ahead { name: T::NAME, version: T::VERSION, path });
        }
        readable::<T>(version, &path, &stored(&path)?)?;
    }
    let path = folder.join(format!("{}.v{}.json", T::NAME, T::VERSION));
    let stored = if path.exists() { stored(&path)? } else { Vec::new() };
    let given = samples.iter().map(serde_json::to_value).collect::<Result<Vec<_>, _>>();
    let given = given.map_err(|source| unusable(&path, source.into()))?;
    if let Some(index) = given.iter().zip(&stored).position(|(given, stored)| given != stored) {
        let (name, version) = (T::NAME, T::VERSION);
        return Err(GoldenError::Changed { name, version, path, index });
    }
    if given.len() <= stored.len() && path.exists() {
        return Ok(Golden::Kept);
    }
    if !may_write {
        let (name, version, stored, given) = (T::NAME, T::VERSION, stored.len(), given.len());
        return Err(GoldenError::Missing { name, version, path, stored, given });
    }
    write(folder, &path, samples).map_err(|source| unusable(&path, source))?;
    Ok(Golden::Written(path))
}

/// Golden test: fails if the stored form of a type differs from its golden files in `tests/golden`,
/// or an older version can no longer be read.
///
/// The first run for a version needs `SAYSO_BLESS=1` in the environment: it writes the file, which
/// belongs in version control. Another folder, relative to the crate's, is the first argument:
/// `golden!("testdata", Order, [...])`.
///
/// Give samples that use every field and variant: what no sample contains is not checked.
///
/// # Example
/// ```no_run
/// # use sayso_turn::{BotState, golden};
/// # #[derive(Default, BotState)]
/// # #[state(version = 1)]
/// # struct Order { toppings: Vec<String> }
/// #[test]
/// fn orders_are_stored_as_ever() {
///     golden!(Order, [Order::default(), Order { toppings: vec!["olives".into()] }]);
/// }
/// ```
#[macro_export]
macro_rules! golden {
    ($type:ty, [$($sample:expr),* $(,)?]) => { $crate::golden!("tests/golden", $type, [$($sample),*]) };
    ($folder:expr, $type:ty, [$($sample:expr),* $(,)?]) => {{
        let folder = ::std::path::Path::new(::core::env!("CARGO_MANIFEST_DIR")).join($folder);
        let samples: &[$type] = &[$($sample),*];
        let may_write = ::std::env::var($crate::versioned::golden::BLESS).is_ok_and(|it| it == "1");
        match $crate::versioned::golden::check::<$type>(&folder, samples, may_write) {
            Ok($crate::versioned::golden::Golden::Written(path)) => {
                ::std::eprintln!("written: {}", path.display());
            }
            Ok(_) => {}
            Err(error) => ::core::panic!("{error}"),
        }
    }};
}

/// Returns the type's files by version.
fn files<T: BotState>(folder: &Path) -> Result<Vec<(u32, PathBuf)>, GoldenError> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(unusable(folder, error)),
    };
    let mut files = Vec::new();
    for entry in entries {
        let path = entry.map_err(|error| unusable(folder, error))?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let version = name.strip_prefix(T::NAME).and_then(|rest| rest.strip_prefix(".v"));
        let version = version.and_then(|rest| rest.strip_suffix(".json"));
        if let Some(version) = version.and_then(|version| version.parse().ok()) {
            files.push((version, path));
        }
    }
    files.sort();
    Ok(files)
}

/// Reads the samples in a file.
fn stored(path: &Path) -> Result<Vec<Value>, GoldenError> {
    let text = fs::read_to_string(path).map_err(|error| unusable(path, error))?;
    serde_json::from_str(&text).map_err(|error| unusable(path, error.into()))
}

/// Checks that every sample in a file has its version and can be read, and that one of the current
/// version is unchanged after a round trip.
fn readable<T: BotState>(version: u32, path: &Path, samples: &[Value]) -> Result<(), GoldenError> {
    for (index, sample) in samples.iter().enumerate() {
        if sample.get(VERSION_MEMBER).map_or(Some(1), Value::as_u64) != Some(version.into()) {
            let reason = format!("its sample {index} is not of version {version}");
            return Err(unusable(path, io::Error::new(io::ErrorKind::InvalidData, reason)));
        }
        let again = T::deserialize(sample).and_then(serde_json::to_value);
        let (name, path) = (T::NAME, path.to_owned());
        match again {
            Ok(again) if version < T::VERSION || again == *sample => {}
            Ok(_) => return Err(GoldenError::Changed { name, version, path, index }),
            Err(source) => {
                return Err(GoldenError::Unreadable { name, version, path, index, source });
            }
        }
    }
    Ok(())
}

fn write<T: BotState>(folder: &Path, path: &Path, samples: &[T]) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    fs::write(path, serde_json::to_string_pretty(samples)? + "\n")
}

fn unusable(path: &Path, source: io::Error) -> GoldenError {
    GoldenError::File { path: path.to_owned(), source }
}
