//! The table of all settings, and the validation of their values.

use std::{fmt, net::SocketAddr, path::PathBuf};

use sayso_channel::{ServiceUrls, auth::Cloud};

use super::{
    limits::{self, Unit},
    redact, ttl,
};
use crate::DEFAULT_STORE;

/// A setting, as it can be shown to anybody.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Setting {
    /// Its key in a file, with the name of its table: `app.id`.
    pub key: &'static str,
    /// Its name in the environment.
    pub variable: &'static str,
    /// Its flag of the `sayso` command, if it has one.
    pub flag: Option<&'static str>,
    /// Its value. Of a secret it says only that there is one; a password in a URL is left out.
    pub value: Option<String>,
    /// The source of the value.
    pub source: Source,
    /// `true` if it is a secret, which is never shown.
    pub is_secret: bool,
}

/// Source of a value. In this order a later one takes precedence over an earlier one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Source {
    /// The default: no source sets it.
    Default,
    /// A line of a file.
    File {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
    },
    /// A variable of the environment.
    Environment {
        /// Its name, as it is written there.
        name: String,
    },
    /// A flag.
    Flag {
        /// Its name, with the dashes.
        name: String,
    },
}

impl Source {
    /// Precedence of the source; higher wins.
    pub(super) fn rank(&self) -> u8 {
        match self {
            Self::Default => 0,
            Self::File { .. } => 1,
            Self::Environment { .. } => 2,
            Self::Flag { .. } => 3,
        }
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::File { path, line } => write!(f, "{}:{line}", path.display()),
            Self::Environment { name } => write!(f, "environment {name}"),
            Self::Flag { name } => write!(f, "flag {name}"),
        }
    }
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spec {
    pub(super) key: &'static str,
    /// Its names in the environment; the first one that is set counts.
    pub(super) variables: &'static [&'static str],
    pub(super) flag: Option<&'static str>,
    pub(super) kind: Kind,
    default: &'static str,
}

/// Type of a value.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    Text,
    /// An id: a single word.
    Id,
    /// An address that is called, without secrets in it.
    Url,
    Secret,
    Path,
    Address,
    /// An address, or `off`.
    AddressOrOff,
    /// A number of requests a minute, or `off`.
    Rate,
    Bool,
    /// Service URLs; in one text with commas.
    List,
    /// Bots that may call, each with a service URL: `id=url`; in one text with commas.
    Callers,
    /// One of these.
    Choice(&'static [&'static str]),
    /// A TTL.
    Ttl,
    /// A limit of the engine.
    Limit(Unit),
}

const fn spec(
    key: &'static str,
    variables: &'static [&'static str],
    kind: Kind,
    default: &'static str,
) -> Spec {
    Spec { key, variables, flag: None, kind, default }
}

const fn with_flag(flag: &'static str, spec: Spec) -> Spec {
    Spec { flag: Some(flag), ..spec }
}

/// Variable that names the file with the store's secret, if the URL of the store does not. The
/// engines read it.
pub(super) const STORE_SECRET_FILE: &str = "SAYSO_STORE_SECRET_FILE";

/// Value of a setting that is turned off.
pub(super) const OFF: &str = "off";

/// Highest rate limit, in requests a minute.
const RATE_MAX: u32 = 1_000_000;

const APP_TYPES: &[&str] = &["MultiTenant", "SingleTenant", "UserAssignedMSI"];

/// Every setting, in the order in which it is shown; the limits come last.
pub(super) fn settings() -> impl Iterator<Item = &'static Spec> {
    SETTINGS.iter().chain(&LIMITS)
}

#[expect(clippy::indexing_slicing, reason = "an index out of bounds would not compile")]
static LIMITS: [Spec; limits::ROWS.len()] = {
    let mut specs = [spec("", &[], Kind::Text, ""); limits::ROWS.len()];
    let mut at = 0;
    while at < specs.len() {
        let row = limits::ROWS[at];
        specs[at] = spec(row.key, row.variables, Kind::Limit(row.unit), "");
        at += 1;
    }
    specs
};

static SETTINGS: [Spec; 41] = [
    with_flag("--address", spec("address", &["SAYSO_ADDRESS"], Kind::Address, "127.0.0.1:3978")),
    with_flag(
        "--admin-address",
        spec("admin-address", &["SAYSO_ADMIN_ADDRESS"], Kind::AddressOrOff, ""),
    ),
    with_flag("--store", spec("store", &["SAYSO_STORE"], Kind::Text, DEFAULT_STORE)),
    spec("auth", &["SAYSO_AUTH"], Kind::Choice(&["app", "none"]), "app"),
    spec("service-urls", &["SAYSO_SERVICE_URLS"], Kind::List, ""),
    spec("skill-callers", &["SAYSO_SKILL_CALLERS"], Kind::Callers, ""),
    spec("private-addresses", &["SAYSO_PRIVATE_ADDRESSES"], Kind::Bool, "false"),
    spec("ttl.conversation", &["SAYSO_TTL_CONVERSATION"], Kind::Ttl, ttl::NEVER),
    spec("ttl.user", &["SAYSO_TTL_USER"], Kind::Ttl, ttl::NEVER),
    spec("ttl.private", &["SAYSO_TTL_PRIVATE"], Kind::Ttl, ttl::NEVER),
    spec("ttl.other", &["SAYSO_TTL_OTHER"], Kind::Ttl, ttl::NEVER),
    spec("app.id", &["MicrosoftAppId"], Kind::Id, ""),
    spec("app.type", &["MicrosoftAppType"], Kind::Choice(APP_TYPES), "MultiTenant"),
    spec("app.tenant", &["MicrosoftAppTenantId"], Kind::Id, ""),
    spec("app.password", &["MicrosoftAppPassword"], Kind::Secret, ""),
    spec("app.password-file", &["SAYSO_APP_PASSWORD_FILE"], Kind::Path, ""),
    spec("app.certificate-file", &["SAYSO_APP_CERTIFICATE_FILE"], Kind::Path, ""),
    spec("app.key-file", &["SAYSO_APP_KEY_FILE"], Kind::Path, ""),
    spec("app.identity-endpoint", &["IDENTITY_ENDPOINT"], Kind::Url, ""),
    spec("app.identity-header", &["IDENTITY_HEADER"], Kind::Secret, ""),
    spec("cloud.channel-service", &["ChannelService"], Kind::Text, "https://botframework.com"),
    spec("cloud.metadata", &["ToBotFromChannelOpenIdMetadataUrl"], Kind::Url, ""),
    spec("cloud.issuer", &["ToBotFromChannelTokenIssuer"], Kind::Text, ""),
    spec("cloud.login", &["ToChannelFromBotLoginUrl"], Kind::Url, ""),
    spec("cloud.login-metadata", &["ToBotFromEmulatorOpenIdMetadataUrl"], Kind::Url, ""),
    spec("cloud.scope", &["ToChannelFromBotOAuthScope"], Kind::Text, ""),
    spec("encryption.keys", &["SAYSO_ENCRYPTION_KEYS"], Kind::Secret, ""),
    spec("encryption.keys-file", &["SAYSO_ENCRYPTION_KEYS_FILE"], Kind::Path, ""),
    spec("encryption.names-key", &["SAYSO_ENCRYPTION_NAMES_KEY"], Kind::Secret, ""),
    spec("encryption.names-key-file", &["SAYSO_ENCRYPTION_NAMES_KEY_FILE"], Kind::Path, ""),
    spec("keys.bot", &["SAYSO_KEYS_BOT"], Kind::Id, ""),
    spec("keys.tenant", &["SAYSO_KEYS_TENANT"], Kind::Bool, "false"),
    spec("rate-limit.peer", &["SAYSO_RATE_LIMIT_PEER"], Kind::Rate, "off"),
    spec("rate-limit.conversation", &["SAYSO_RATE_LIMIT_CONVERSATION"], Kind::Rate, "off"),
    spec("tls.certificate", &["SAYSO_TLS_CERTIFICATE"], Kind::Path, ""),
    spec("tls.key", &["SAYSO_TLS_KEY"], Kind::Path, ""),
    spec("admin-tls.certificate", &["SAYSO_ADMIN_TLS_CERTIFICATE"], Kind::Path, ""),
    spec("admin-tls.key", &["SAYSO_ADMIN_TLS_KEY"], Kind::Path, ""),
    spec("admin-tls.clients", &["SAYSO_ADMIN_TLS_CLIENTS"], Kind::Path, ""),
    spec("log.filter", &["SAYSO_LOG", "RUST_LOG"], Kind::Text, "info"),
    with_flag(
        "--log",
        spec("log.format", &["SAYSO_LOG_FORMAT"], Kind::Choice(&["text", "json"]), "text"),
    ),
];

impl Spec {
    /// Reports whether an empty value is an error: else a value that was not filled in would turn
    /// encryption off.
    pub(super) fn must_not_be_empty(&self) -> bool {
        ["encryption.", "tls.", "admin-tls."].iter().any(|table| self.key.starts_with(table))
    }

    /// Default value. For addresses it is that of the cloud.
    pub(super) fn default_text(&self, cloud: Option<&Cloud>) -> Option<String> {
        let of_cloud = cloud.and_then(|cloud| match self.key {
            "service-urls" => match &cloud.service_urls {
                ServiceUrls::Only(urls) => Some(urls.join(", ")),
                ServiceUrls::Loopback => None,
            },
            "cloud.metadata" => Some(cloud.metadata.clone()),
            "cloud.issuer" => Some(cloud.issuer.clone()),
            "cloud.login" => Some(cloud.login.clone()),
            "cloud.login-metadata" => Some(cloud.login_metadata.clone()),
            "cloud.scope" => Some(cloud.scope.clone()),
            _ => None,
        });
        let of_cloud = of_cloud.or_else(|| limits::default_text(self.key));
        of_cloud.or_else(|| (!self.default.is_empty()).then(|| self.default.to_owned()))
    }
}

impl Kind {
    /// The value in its normal form, or what is wrong with it. The reason does not repeat a value
    /// that may be a secret.
    pub(super) fn check(self, key: &str, text: &str) -> Result<String, String> {
        match self {
            Self::Limit(_) => limits::check(key, text),
            Self::Text | Self::Secret | Self::Path => Ok(text.to_owned()),
            Self::Id if redact::is_word(text) => Ok(text.to_owned()),
            Self::Id => {
                Err("it must be an id: up to 40 letters, digits, `.`, `_` and `-`".to_owned())
            }
            Self::Url if is_plain_url(text) => Ok(text.to_owned()),
            Self::Url => {
                Err("it must begin with https:// or http://, without a user, a secret or \
                              a parameter"
                    .to_owned())
            }
            Self::Address => parse_address(text).map(|address| address.to_string()),
            Self::AddressOrOff | Self::Rate if text.eq_ignore_ascii_case(OFF) => Ok(OFF.to_owned()),
            Self::AddressOrOff => match parse_address(text) {
                Ok(address) => Ok(address.to_string()),
                Err(reason) => Err(format!("{reason}, or off")),
            },
            Self::Rate => match text.parse::<u32>() {
                Ok(rate) if (1..=RATE_MAX).contains(&rate) => Ok(rate.to_string()),
                _ => Err(format!("it must be requests a minute, 1 to {RATE_MAX}, or off")),
            },
            Self::Bool => match text.to_ascii_lowercase().as_str() {
                "true" | "1" => Ok("true".to_owned()),
                "false" | "0" => Ok("false".to_owned()),
                _ => Err("it must be true or false".to_owned()),
            },
            Self::Choice(names) => {
                let name = names.iter().find(|name| name.eq_ignore_ascii_case(text));
                let all = names.join(" or ");
                name.map(|name| (*name).to_owned()).ok_or_else(|| format!("it must be {all}"))
            }
            Self::Ttl => ttl::parse(text).map(ttl::format),
            Self::Callers => match list(text).position(|entry| !is_caller(entry)) {
                Some(index) => Err(format!(
                    "entry {} must be the app id of a bot, `=` and its service URL, which begins \
                     with https:// (or is on loopback), without a user, a query or a fragment",
                    index + 1
                )),
                None => Ok(list(text).collect::<Vec<_>>().join(",")),
            },
            // The entry is named by its number: a secret with a comma in it ends in two of them.
            Self::List => match list(text).position(|url| !is_sound(url)) {
                Some(index) => Err(format!(
                    "entry {} can never match: it must begin with https:// (or be on loopback), \
                     without a user, a query or a fragment",
                    index + 1
                )),
                None => Ok(list(text).collect::<Vec<_>>().join(",")),
            },
        }
    }

    /// Description of a valid value in a file, for errors.
    pub(super) fn example(self) -> &'static str {
        match self {
            Self::Text | Self::Id | Self::Url | Self::Secret | Self::Path | Self::Choice(_) => {
                "a text in quotes"
            }
            Self::Address => "a text such as \"127.0.0.1:3978\"",
            Self::AddressOrOff => "a text such as \"127.0.0.1:13978\" or \"off\"",
            Self::Rate => "a number of requests a minute, or \"off\"",
            Self::Bool => "true or false",
            Self::Ttl => "a text such as \"30d\"",
            Self::Callers => "a list such as [\"00000000-…=https://parent.example/api/skills\"]",
            Self::Limit(Unit::Count) => "a whole number",
            Self::Limit(Unit::Bytes) => "a number of bytes, or a text such as \"64MiB\"",
            Self::Limit(Unit::Time) => "a text such as \"12s\"",
            Self::List => "a list such as [\"https://smba.trafficmanager.net/teams\"]",
        }
    }
}

/// Reads an address and a port, with `http://` before it or not, and `localhost` for a number.
///
/// # Errors
/// A sentence with an example, if it is none.
///
/// # Example
/// ```
/// let address = sayso::config::parse_address("http://localhost:3978").unwrap();
/// assert_eq!(address.to_string(), "127.0.0.1:3978");
/// assert!(sayso::config::parse_address("3978").unwrap_err().contains("127.0.0.1:3978"));
/// ```
pub fn parse_address(text: &str) -> Result<SocketAddr, String> {
    let text = text.strip_prefix("http://").unwrap_or(text);
    let text = text.replace("localhost:", "127.0.0.1:");
    text.parse().map_err(|_| "use an address and a port, such as 127.0.0.1:3978".to_owned())
}

/// The setting of a key in the file.
pub(super) fn of_key(key: &str) -> Option<&'static Spec> {
    settings().find(|spec| spec.key == key)
}

/// The setting of a name in the environment, and the rank of that name among the setting's names.
pub(super) fn of_variable(name: &str) -> Option<(&'static Spec, usize)> {
    settings().find_map(|spec| {
        let rank = spec.variables.iter().position(|known| known.eq_ignore_ascii_case(name))?;
        Some((spec, rank))
    })
}

/// The entries of a list.
pub(super) fn list(text: &str) -> impl Iterator<Item = &str> {
    text.split(',').map(str::trim).filter(|entry| !entry.is_empty())
}

/// The app id and the service URL of a bot that may call.
pub(super) fn caller(entry: &str) -> Option<(&str, &str)> {
    entry.split_once('=').map(|(id, url)| (id.trim(), url.trim()))
}

fn is_caller(entry: &str) -> bool {
    let is_id = |id: &str| {
        !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    caller(entry).is_some_and(|(id, url)| is_id(id) && is_sound(url))
}

/// Checks an address by its form: all of it can be shown.
fn is_plain_url(text: &str) -> bool {
    let is_web = text.starts_with("https://") || text.starts_with("http://");
    is_web && redact::url(text) == text
}

/// Checks that an entry can match any URL at all; for a `*` any name is tried.
fn is_sound(url: &str) -> bool {
    let only = ServiceUrls::Only(vec![url.to_owned()]);
    only.allows(&url.replacen("://*.", "://name.", 1))
}
