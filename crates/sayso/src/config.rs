//! The configuration of a server: a file, the environment and flags, each value with its source.
//!
//! Every setting is a row of one table, and every value a text with the place that it came from. So
//! each source is read the same way, and `sayso config` can show all of it. A secret is never
//! shown.

mod app;
mod did_you_mean;
mod encryption;
mod error;
mod file;
mod limits;
mod permissions;
mod redact;
mod retention;
mod setting;
mod tls;
mod trust;
mod ttl;
mod warnings;

use std::{
    collections::BTreeMap,
    env, fmt,
    net::SocketAddr,
    path::{Path, PathBuf},
    time::Duration,
};

use sayso_channel::{Rate, RateLimits};
use sayso_turn::KeyScheme;

#[cfg(feature = "sqlite")]
pub(crate) use self::permissions::is_open;
pub(crate) use self::tls::{TlsIdentity, TlsTexts};
pub use self::{
    encryption::Encryption,
    error::ConfigError,
    setting::{Setting, Source, parse_address},
    tls::{TlsError, TlsFiles, Validity},
};
use self::{
    file::Found,
    setting::{Kind, Spec},
};
use crate::{DEFAULT_ADDRESS, DEFAULT_STORE, defaults::default_admin_address};

/// The file that is read if it is in the working directory and no other is named.
pub const DEFAULT_FILE: &str = "sayso.toml";

/// The variable that names another file.
const FILE_VARIABLE: &str = "SAYSO_CONFIG";

/// Configuration of a server: address, store, app, retention, limits and log.
///
/// The sources are a TOML file, the environment and flags. A later call wins over an earlier one,
/// so [`load`](Self::load) reads the file first and then the environment, and a program adds its
/// [flags](Self::flag) last. An empty value counts as none.
///
/// # Guarantees
/// No secret is in `Debug`, in an error, in [`settings`](Self::settings) or in
/// [`warnings`](Self::warnings).
///
/// # Example
/// ```
/// use sayso::Config;
///
/// let environment = [("SAYSO_STORE", "postgres://bot:hunter2@db/bot"), ("HOME", "/")];
/// let config = Config::default().environment(environment)?.flag("address", "127.0.0.1:8080")?;
/// assert_eq!(config.address().port(), 8080);
/// assert_eq!(config.store(), "postgres://bot:hunter2@db/bot");
/// assert!(config.auth()?.is_none());
/// assert!(!format!("{config:?}").contains("hunter2"));
///
/// let error = Config::default().flag("address", "somewhere").unwrap_err();
/// assert!(error.to_string().starts_with("flag --address: "));
/// # Ok::<(), sayso::ConfigError>(())
/// ```
#[derive(Clone, Default)]
pub struct Config {
    /// Values that were set, by the key of the setting. The others have their defaults.
    values: BTreeMap<&'static str, Value>,
    file: Option<PathBuf>,
    /// Set if nobody named the file: it was in the working directory.
    is_found_file: bool,
    /// Set if the environment names a file with the store's secret.
    has_store_secret_file: bool,
}

/// The value of a setting, and its source.
#[derive(Clone)]
struct Value {
    text: String,
    source: Source,
}

impl Config {
    /// Reads the file and then the environment of this process. The file is the one that is given,
    /// else the one that `SAYSO_CONFIG` names, else [`DEFAULT_FILE`] if it is there. One that
    /// nobody named may not say where a secret goes that it does not hold itself; see
    /// [`auth`](Self::auth).
    ///
    /// # Errors
    /// When a file that was named cannot be read, and when a value in either makes no sense.
    pub fn load(file: Option<&Path>) -> Result<Self, ConfigError> {
        let named = env::var_os(FILE_VARIABLE).filter(|name| !name.is_empty()).map(PathBuf::from);
        let config = match file.or(named.as_deref()) {
            Some(path) => Self::default().file(path)?,
            None if Path::new(DEFAULT_FILE).exists() => {
                let found = Self::default().file(Path::new(DEFAULT_FILE))?;
                Self { is_found_file: true, ..found }
            }
            None => Self::default(),
        };
        let text = |(name, value): (std::ffi::OsString, std::ffi::OsString)| {
            Some((name.into_string().ok()?, value.into_string().ok()?))
        };
        config.environment(env::vars_os().filter_map(text))
    }

    /// Adds a TOML file.
    ///
    /// # Errors
    /// When it cannot be read, is not TOML, has a key that is no setting, or a value of a wrong
    /// type. The error names the line.
    pub fn file(mut self, path: &Path) -> Result<Self, ConfigError> {
        for Found { spec, text, line } in file::read(path)? {
            let source = Source::File { path: path.to_owned(), line };
            self.set(spec, &text, source)?;
        }
        self.file = Some(path.to_owned());
        Ok(self)
    }

    /// Adds variables: the SDKs' own names such as `MicrosoftAppId`, and `SAYSO_...`. Others are
    /// skipped; case does not matter in a name.
    ///
    /// # Errors
    /// When a value makes no sense, or a name is nearly one of ours.
    pub fn environment<N, V>(
        mut self,
        variables: impl IntoIterator<Item = (N, V)>,
    ) -> Result<Self, ConfigError>
    where
        N: AsRef<str>,
        V: AsRef<str>,
    {
        // Where a setting has two names, the first counts more, in whatever order they come.
        let mut found = BTreeMap::new();
        for (name, value) in variables {
            let name = name.as_ref();
            match setting::of_variable(name) {
                Some((spec, rank)) if !value.as_ref().is_empty() || spec.must_not_be_empty() => {
                    let text = value.as_ref().to_owned();
                    found
                        .insert((spec.key, std::cmp::Reverse(rank)), (spec, name.to_owned(), text));
                }
                Some(_) => {}
                None if name.eq_ignore_ascii_case(setting::STORE_SECRET_FILE) => {
                    self.has_store_secret_file = !value.as_ref().is_empty();
                }
                None => {
                    if let Some(reason) = did_you_mean::misspelt(name) {
                        let place = format!("environment {name}");
                        return Err(ConfigError::Setting { place, reason });
                    }
                }
            }
        }
        for (spec, name, text) in found.into_values() {
            self.set(spec, &text, Source::Environment { name })?;
        }
        Ok(self)
    }

    /// Adds a flag: a setting by its key in the file, such as `address`.
    ///
    /// # Errors
    /// When there is no such setting, or its value makes no sense.
    pub fn flag(mut self, key: &str, text: &str) -> Result<Self, ConfigError> {
        let Some(spec) = setting::of_key(key) else {
            let reason = did_you_mean::not_a_setting(key);
            return Err(ConfigError::Setting { place: "flag".to_owned(), reason });
        };
        let name = spec.flag.map_or_else(|| format!("--{key}"), str::to_owned);
        self.set(spec, text, Source::Flag { name })?;
        Ok(self)
    }

    /// The address to listen on.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        // It was checked when it was set.
        self.text("address").and_then(|text| parse_address(text).ok()).unwrap_or(DEFAULT_ADDRESS)
    }

    /// The address of health and statistics, by default
    /// [beside that of the bot](crate::server::default_admin_address); `None` if it is off.
    #[must_use]
    pub fn admin_address(&self) -> Option<SocketAddr> {
        match self.text("admin-address") {
            None => Some(default_admin_address(self.address())),
            Some(text) => parse_address(text).ok(),
        }
    }

    /// Rate limits of peers and conversations, off by default.
    #[must_use]
    pub fn rate_limits(&self) -> RateLimits {
        let rate = |key: &str| {
            let requests = self.text(key)?.parse().ok()?;
            Some(Rate { requests, per: Duration::from_secs(60) })
        };
        RateLimits { peer: rate("rate-limit.peer"), conversation: rate("rate-limit.conversation") }
    }

    /// The store, as a URL for [`open_store`](crate::open_store). It may hold a password.
    #[must_use]
    pub fn store(&self) -> &str {
        self.text("store").unwrap_or(DEFAULT_STORE)
    }

    /// The scheme of the keys, if a setting says anything about it.
    #[must_use]
    pub fn keys(&self) -> Option<KeyScheme> {
        let (bot, by_tenant) = (self.text("keys.bot"), self.text("keys.tenant"));
        (bot.is_some() || by_tenant.is_some()).then(|| {
            let keys = KeyScheme::default().bot(bot.unwrap_or_default());
            keys.by_tenant(by_tenant == Some("true"))
        })
    }

    /// Filter and format (`text` or `json`) of the log. They configure the `sayso` command and
    /// [`serve`](crate::serve); a program that sets a `tracing` subscriber has a log of its own.
    #[must_use]
    pub fn log(&self) -> (&str, &str) {
        (self.text("log.filter").unwrap_or("info"), self.text("log.format").unwrap_or("text"))
    }

    /// The file that was read, if one was.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    /// Every setting with its value and where that comes from, in the order of the documentation.
    #[must_use]
    pub fn settings(&self) -> Vec<Setting> {
        let cloud = self.cloud();
        setting::settings().map(|spec| self.show(spec, cloud.as_ref())).collect()
    }

    fn set(&mut self, spec: &'static Spec, text: &str, source: Source) -> Result<(), ConfigError> {
        let text = text.trim();
        if text.is_empty() && !spec.must_not_be_empty() {
            return Ok(());
        }
        let checked = match text {
            "" => Err("it is empty; leave it out if nothing is to be encrypted".to_owned()),
            text => spec.kind.check(spec.key, text),
        };
        let text = checked.map_err(|reason| ConfigError::Setting {
            place: source.to_string(),
            reason: match &source {
                // The place says the name already.
                Source::Environment { .. } | Source::Flag { .. } => reason,
                _ => format!("`{}`: {reason}", spec.key),
            },
        })?;
        self.values.insert(spec.key, Value { text, source });
        Ok(())
    }

    fn value(&self, key: &str) -> Option<&Value> {
        self.values.get(key)
    }

    fn text(&self, key: &str) -> Option<&str> {
        self.value(key).map(|value| value.text.as_str())
    }

    fn show(&self, spec: &'static Spec, cloud: Option<&sayso_channel::auth::Cloud>) -> Setting {
        let value = match self.file_of(spec.key) {
            Ok(Some(file)) => Some(file),
            _ => self.value(spec.key),
        };
        let shown = match (value, spec.kind) {
            (Some(_), Kind::Secret) => Some("set".to_owned()),
            (Some(value), Kind::Callers) => {
                let shown = setting::list(&value.text).filter_map(setting::caller);
                let shown = shown.map(|(id, url)| format!("{id}={}", redact::url(url)));
                Some(shown.collect::<Vec<_>>().join(", "))
            }
            (Some(value), Kind::List) => {
                Some(setting::list(&value.text).map(redact::url).collect::<Vec<_>>().join(", "))
            }
            // A path, or of a form that was checked when it was set.
            (
                Some(value),
                Kind::Path
                | Kind::Address
                | Kind::AddressOrOff
                | Kind::Bool
                | Kind::Choice(_)
                | Kind::Ttl
                | Kind::Limit(_)
                | Kind::Rate,
            ) => Some(value.text.clone()),
            (Some(value), _) => Some(redact::value(spec.key, &value.text)),
            (None, _) if spec.key == "admin-address" => {
                self.admin_address().map(|address| address.to_string())
            }
            (None, _) => spec.default_text(cloud),
        };
        Setting {
            key: spec.key,
            variable: spec.variables.first().copied().unwrap_or_default(),
            flag: spec.flag,
            value: shown,
            source: value.map_or(Source::Default, |value| value.source.clone()),
            is_secret: matches!(spec.kind, Kind::Secret),
        }
    }
}

/// Shows the settings as [`Config::settings`] does, without secrets.
impl fmt::Debug for Config {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let settings = self.settings().into_iter();
        f.debug_map().entries(settings.map(|setting| (setting.key, setting.value))).finish()
    }
}

#[cfg(test)]
mod tests;
