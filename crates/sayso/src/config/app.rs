//! App credentials of a configuration: the identity of the bot towards channels.

use std::path::Path;

use sayso_channel::{
    ServiceUrls, SkillCaller,
    auth::{AuthError, AuthOptions, Certificate, Cloud, Secret},
};

use super::{Config, Source, Value, error::ConfigError, file, setting};

/// The setting that says how senders are authenticated.
const AUTH: &str = "auth";

/// Its value for no authentication.
const NONE: &str = "none";

impl Config {
    /// Reports whether the configuration says `auth = "none"` in so many words: programs of this
    /// machine are served without authentication.
    #[must_use]
    pub fn is_unauthenticated(&self) -> bool {
        self.text(AUTH) == Some(NONE)
    }

    /// Says `auth = "none"`, unless there is an app or a source says something about it: for a
    /// demonstration that is started without any configuration.
    ///
    /// # Errors
    /// As [`auth`](Self::auth).
    pub fn or_unauthenticated(mut self) -> Result<Self, ConfigError> {
        if self.auth()?.is_none() && self.value(AUTH).is_none() {
            let (text, source) = (NONE.to_owned(), Source::Default);
            self.values.insert(AUTH, Value { text, source });
        }
        Ok(self)
    }

    /// Options of authentication in both directions, or `None` if there is no app id. Then a server
    /// does not start, unless the configuration [says so](Self::is_unauthenticated).
    ///
    /// A file that a setting names (`app.password-file`, `app.certificate-file`, `app.key-file`) is
    /// read now.
    ///
    /// # Errors
    /// When a setting is missing that another one needs, or a file cannot be read; and when a file
    /// that nobody named (the one of the working directory) says where secrets go that it does not
    /// hold itself.
    pub fn auth(&self) -> Result<Option<AuthOptions>, ConfigError> {
        self.check_destinations()?;
        let password = self.password()?;
        let certificate = self.certificate()?;
        let plain = setting::settings().filter(|spec| spec.key != "app.password");
        let plain = plain.filter_map(|spec| {
            let name = spec.variables.first().copied()?;
            Some((name, self.text(spec.key)?.to_owned()))
        });
        let settings = plain.chain(password.map(|password| ("MicrosoftAppPassword", password)));
        let Some(auth) = AuthOptions::from_settings(settings).map_err(of_auth)? else {
            if certificate.is_some() {
                return Err(wrong("app.id", "it is missing, but there is a certificate"));
            }
            return Ok(None);
        };
        if self.is_unauthenticated() {
            return Err(wrong(AUTH, "it is none, but there is an app; leave one of them out"));
        }
        let mut auth = AuthOptions {
            certificate,
            private_addresses: self.text("private-addresses") == Some("true"),
            ..auth
        };
        if let Some(urls) = self.text("service-urls") {
            let urls = setting::list(urls).map(str::to_owned).collect();
            auth.cloud.service_urls = ServiceUrls::Only(urls);
        }
        if let Some(callers) = self.text("skill-callers") {
            auth.skill_callers = skill_callers(callers);
        }
        Ok(Some(auth))
    }

    /// The cloud whose addresses are the defaults, if its name makes sense.
    pub(super) fn cloud(&self) -> Option<Cloud> {
        let service = self.text("cloud.channel-service").unwrap_or_default();
        let settings = [("MicrosoftAppId", "any"), ("ChannelService", service)];
        AuthOptions::from_settings(settings).ok().flatten().map(|options| options.cloud)
    }

    /// The file with a secret, if its source takes precedence over that of the secret itself.
    pub(super) fn file_of(&self, key: &str) -> Result<Option<&Value>, ConfigError> {
        let rank = |value: Option<&Value>| value.map(|value| value.source.rank());
        let file_key = format!("{key}-file");
        let (own, file) = (self.value(key), self.value(&file_key));
        match (rank(own), rank(file)) {
            (Some(own), Some(file)) if own == file => {
                let reason = format!("{file_key} is set in the same place; leave one of them out");
                Err(wrong(key, &reason))
            }
            (own, file_rank) if file_rank > own => Ok(file),
            _ => Ok(None),
        }
    }

    fn password(&self) -> Result<Option<String>, ConfigError> {
        let Some(Value { text, source }) = self.file_of("app.password")? else {
            return Ok(self.text("app.password").map(str::to_owned));
        };
        let password = read("app.password-file", text, source)?;
        Ok(Some(password))
    }

    fn certificate(&self) -> Result<Option<Certificate>, ConfigError> {
        let both = (self.value("app.certificate-file"), self.value("app.key-file"));
        let (certificate, key) = match both {
            (Some(certificate), Some(key)) => (certificate, key),
            (None, None) => return Ok(None),
            (Some(_), None) => {
                return Err(wrong("app.key-file", "it is missing, and the certificate needs it"));
            }
            (None, Some(_)) => {
                return Err(wrong("app.certificate-file", "it is missing, and the key needs it"));
            }
        };
        let certificate = read("app.certificate-file", &certificate.text, &certificate.source)?;
        let key = Secret::from(read("app.key-file", &key.text, &key.source)?);
        Certificate::from_pem(&certificate, &key).map(Some).map_err(of_auth)
    }
}

/// The bots that may call, each with all its service URLs.
fn skill_callers(text: &str) -> Vec<SkillCaller> {
    let mut callers: Vec<(&str, Vec<String>)> = Vec::new();
    for (id, url) in setting::list(text).filter_map(setting::caller) {
        match callers.iter_mut().find(|(known, _)| known.eq_ignore_ascii_case(id)) {
            Some((_, urls)) => urls.push(url.to_owned()),
            None => callers.push((id, vec![url.to_owned()])),
        }
    }
    let caller = |(id, urls): (&str, _)| SkillCaller {
        app_id: id.to_owned(),
        service_urls: ServiceUrls::Only(urls),
    };
    callers.into_iter().map(caller).collect()
}

/// Reads the text of a file that a setting names.
pub(super) fn read(key: &str, path: &str, source: &Source) -> Result<String, ConfigError> {
    let text = file::text(Path::new(path)).map_err(|error| ConfigError::Setting {
        place: format!("{key} ({source})"),
        reason: error.to_string(),
    })?;
    match text.trim() {
        "" => Err(wrong(key, "the file is empty")),
        text => Ok(text.to_owned()),
    }
}

pub(super) fn wrong(key: &str, reason: &str) -> ConfigError {
    let variable = setting::of_key(key).and_then(|spec| spec.variables.first());
    let place = variable.map_or_else(|| key.to_owned(), |name| format!("{key} ({name})"));
    ConfigError::Setting { place, reason: reason.to_owned() }
}

/// Authentication knows the SDKs' names only.
#[expect(clippy::needless_pass_by_value, reason = "it stands in `map_err`")]
fn of_auth(error: AuthError) -> ConfigError {
    match &error {
        AuthError::Setting { setting, reason } => {
            let key = setting::of_variable(setting).map_or(*setting, |(spec, _)| spec.key);
            wrong(if key == "certificate" { "app.certificate-file" } else { key }, reason)
        }
        other => ConfigError::Setting { place: "app".to_owned(), reason: other.to_string() },
    }
}
