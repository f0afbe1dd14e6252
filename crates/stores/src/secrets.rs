//! Secrets that change while a store is open (credential rotation).
//!
//! A secret is given as it stands, or as a file (a mounted secret) that is read again when the
//! server refuses what was in it. Of two secrets, the old and the new one or the two keys of an
//! account, the other one is tried after a refusal, and kept.

use std::{
    env, fmt,
    fs::{self, File},
    io::Read as _,
    path::{Path, PathBuf},
    sync::Mutex,
    time::{Duration, Instant},
};

use crate::sync::lock;

/// The parameter of a store's URL that names the file.
pub(crate) const PARAMETER: &str = "secret-file";

/// The variable that names it when the URL does not.
pub(crate) const VARIABLE: &str = "SAYSO_STORE_SECRET_FILE";

/// The largest file.
const FILE_BYTES_MAX: u64 = 64 << 10;

/// The number of secrets that are tried in turn.
const SECRETS_MAX: usize = 2;

/// The shortest time between two reads of a file.
const PAUSE: Duration = Duration::from_secs(1);

/// The file that the environment names.
pub(crate) fn file_of_environment() -> Option<PathBuf> {
    env::var_os(VARIABLE).filter(|path| !path.is_empty()).map(PathBuf::from)
}

/// A secret, which is never shown.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Hidden(String);

impl Hidden {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    pub(crate) fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Hidden {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Hidden")
    }
}

/// Reads the secrets out of the text of a file; an error says what is wrong without quoting it.
type Parse<T> = fn(&str) -> Result<Vec<T>, &'static str>;

/// The secrets of a store.
pub(crate) struct Secrets<T> {
    file: Option<(PathBuf, Parse<T>)>,
    state: Mutex<State<T>>,
}

struct State<T> {
    known: Vec<T>,
    /// The place of the one in use.
    chosen: usize,
    /// Raised whenever another one is in use.
    version: u64,
    read: Instant,
}

/// A secret in use, as it was at a moment.
#[derive(Clone, Debug)]
pub(crate) struct Chosen<T> {
    pub(crate) secret: T,
    version: u64,
}

impl<T: Clone + PartialEq> Secrets<T> {
    /// Secrets that stand in the configuration: there is one at least.
    pub(crate) fn fixed(first: T, second: Option<T>) -> Self {
        let known = [Some(first), second].into_iter().flatten().collect();
        Self::of(known, None)
    }

    /// The secrets in a file.
    pub(crate) fn from_file(path: &Path, parse: Parse<T>) -> Result<Self, String> {
        let known = read(path, parse).map_err(|reason| {
            format!("the secret file {} cannot be used: {reason}", path.display())
        })?;
        if let Some(warning) = warning_of(path) {
            tracing::warn!("{warning}");
        }
        Ok(Self::of(known, Some((path.to_owned(), parse))))
    }

    fn of(known: Vec<T>, file: Option<(PathBuf, Parse<T>)>) -> Self {
        let state = State { known, chosen: 0, version: 0, read: Instant::now() };
        Self { file, state: Mutex::new(state) }
    }

    /// The secret in use.
    pub(crate) fn current(&self) -> Chosen<T> {
        let state = lock(&self.state);
        let secret = state.known.get(state.chosen).or_else(|| state.known.first()).cloned();
        Chosen { secret: secret.expect("there is one at least"), version: state.version }
    }

    /// Notes that the server refused a secret; true if there is another one to try.
    pub(crate) fn refused(&self, version: u64) -> bool {
        let mut state = lock(&self.state);
        if version != state.version {
            return true;
        }
        if let Some((path, parse)) = &self.file
            && state.read.elapsed() >= PAUSE
        {
            state.read = Instant::now();
            // What cannot be read now is being replaced; it is read again after the pause.
            if let Ok(known) = read(path, *parse)
                && known != state.known
            {
                (state.known, state.chosen) = (known, 0);
                state.version += 1;
                return true;
            }
        }
        if state.known.len() < 2 {
            return false;
        }
        state.chosen = (state.chosen + 1) % state.known.len();
        state.version += 1;
        true
    }

    /// Moves on from a refused secret, once for each secret there is.
    pub(crate) fn tries(&self) -> usize {
        lock(&self.state).known.len().clamp(1, SECRETS_MAX)
    }
}

impl<T> Chosen<T> {
    pub(crate) fn version(&self) -> u64 {
        self.version
    }
}

impl<T> fmt::Debug for Secrets<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Secrets")
            .field("file", &self.file.as_ref().map(|(path, _)| path))
            .finish_non_exhaustive()
    }
}

/// One secret a line, two at most.
pub(crate) fn lines(text: &str) -> Result<Vec<Hidden>, &'static str> {
    let lines: Vec<Hidden> =
        text.lines().filter(|line| !line.is_empty()).map(Hidden::new).collect();
    match lines.len() {
        0 => Err("it is empty"),
        1..=SECRETS_MAX => Ok(lines),
        _ => Err("it has more than two lines; there is a secret in each"),
    }
}

/// Checks if every user of this machine can read or write a file.
#[cfg(unix)]
pub(crate) fn is_open_to_all(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    fs::metadata(path).is_ok_and(|file| file.permissions().mode() & 0o006 != 0)
}

#[cfg(not(unix))]
pub(crate) fn is_open_to_all(_path: &Path) -> bool {
    false
}

/// Warning about a file that every user of this machine can read.
fn warning_of(path: &Path) -> Option<String> {
    let shown = path.display();
    is_open_to_all(path).then(|| {
        format!("every user of this machine can read the secret in {shown}: chmod 600 {shown}")
    })
}

/// Reads a small file of text.
pub(crate) fn text_of(path: &Path) -> Result<String, String> {
    let kind = |error: std::io::Error| error.kind().to_string();
    // A pipe would keep us waiting.
    if !fs::metadata(path).map_err(kind)?.is_file() {
        return Err("it is not a file".to_owned());
    }
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(kind)?;
    let count = file.take(FILE_BYTES_MAX + 1).read_to_end(&mut bytes).map_err(kind)?;
    if count as u64 > FILE_BYTES_MAX {
        return Err(format!("it has more than {FILE_BYTES_MAX} bytes"));
    }
    String::from_utf8(bytes).map_err(|_| "it is not text".to_owned())
}

fn read<T>(path: &Path, parse: Parse<T>) -> Result<Vec<T>, String> {
    parse(&text_of(path)?).map_err(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hidden(text: &str) -> Hidden {
        Hidden::new(text)
    }

    /// As if the pause were over.
    fn wait(secrets: &Secrets<Hidden>) {
        lock(&secrets.state).read -= PAUSE;
    }

    #[test]
    fn the_other_secret_is_tried_after_a_refusal_and_kept() {
        let secrets = Secrets::fixed(hidden("a"), Some(hidden("b")));
        let first = secrets.current();
        assert_eq!(first.secret, hidden("a"));
        // Of many that were refused together, one moves on and all try again.
        assert!(secrets.refused(first.version()) && secrets.refused(first.version()));
        assert_eq!(secrets.current().secret, hidden("b"));
        assert!(secrets.refused(secrets.current().version()));
        assert_eq!(secrets.current().secret, hidden("a"), "it may be right again");
        let single = Secrets::fixed(hidden("a"), None);
        assert!(!single.refused(single.current().version()), "there is no other");
    }

    #[test]
    fn a_file_is_read_again_after_a_refusal_and_not_all_the_time() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("secret");
        fs::write(&path, "old\r\n").unwrap();
        let secrets = Secrets::from_file(&path, lines).unwrap();
        assert_eq!(secrets.current().secret, hidden("old"));
        fs::write(&path, "new\n").unwrap();
        assert!(!secrets.refused(0), "it was read a moment ago");
        assert_eq!(secrets.current().secret, hidden("old"));
        wait(&secrets);
        assert!(secrets.refused(0));
        assert_eq!(secrets.current().secret, hidden("new"));
        // While it is being replaced, what is known stays.
        for broken in ["", "\n\n"] {
            fs::write(&path, broken).unwrap();
            wait(&secrets);
            assert!(!secrets.refused(secrets.current().version()));
            assert_eq!(secrets.current().secret, hidden("new"));
        }
        fs::write(&path, "old\nnext").unwrap();
        wait(&secrets);
        assert!(secrets.refused(secrets.current().version()));
        assert_eq!(secrets.current().secret, hidden("old"));
        assert!(secrets.refused(secrets.current().version()));
        assert_eq!(secrets.current().secret, hidden("next"), "the second line");
    }

    #[test]
    fn a_file_that_cannot_be_used_is_named_and_never_quoted() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("secret");
        let refusal = || Secrets::from_file(&path, lines).unwrap_err();
        assert!(refusal().contains("secret cannot be used: entity not found"), "{}", refusal());
        let long = "canary".repeat(20_000);
        for (content, why) in [
            (&b""[..], "it is empty"),
            (b"canary\ncanary\ncanary", "more than two lines"),
            (b"canary\xff", "it is not text"),
            (long.as_bytes(), "more than 65536 bytes"),
        ] {
            fs::write(&path, content).unwrap();
            assert!(refusal().contains(why) && !refusal().contains("canary"), "{}", refusal());
        }
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        assert!(refusal().contains("it is not a file"), "{}", refusal());
        fs::remove_dir(&path).unwrap();
        fs::write(&path, "canary").unwrap();
        let secrets = Secrets::from_file(&path, lines).unwrap();
        let shown = format!("{secrets:?} {:?}", secrets.current());
        assert!(!shown.contains("canary"), "{shown}");
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_everybody_can_read_is_warned_of() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("secret");
        fs::write(&path, "canary").unwrap();
        for (mode, is_open) in [(0o600, false), (0o440, false), (0o604, true), (0o602, true)] {
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            let warning = warning_of(&path);
            assert_eq!(warning.is_some(), is_open, "{mode:o}");
            assert!(warning.is_none_or(|warning| warning.contains("secret: chmod 600 ")));
        }
    }
}
