//! Warnings about settings that are allowed but unwise.

use std::{fmt, path::Path};

use super::{
    Config, ConfigError, Source,
    permissions::is_open,
    redact,
    setting::{Kind, settings},
};

impl Config {
    /// Warnings, a sentence each: a secret in a file that everybody can read.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings: Vec<String> = self.deadline_warning().into_iter().collect();
        if let Some(path) = self.file.as_deref().filter(|path| is_open(path))
            && self.has_secret_in_file()
        {
            let path = path.display();
            warnings.push(format!(
                "{path} holds a secret, and every user of this machine can read it: chmod 600 \
                 {path}, or name a file for the secret with app.password-file"
            ));
        }
        let password_file = self.file_of("app.password").ok().flatten();
        let password_file = password_file.map(|value| value.text.as_str());
        let key_file = self.text("app.key-file");
        for path in
            password_file.into_iter().chain(key_file).filter(|path| is_open(Path::new(path)))
        {
            warnings.push(format!(
                "every user of this machine can read the secret in {path}: chmod 600 {path}"
            ));
        }
        warnings
    }

    fn has_secret_in_file(&self) -> bool {
        settings().any(|spec| {
            let Some(value) = self.value(spec.key) else { return false };
            let is_secret = match spec.kind {
                Kind::Secret => true,
                Kind::List
                | Kind::Callers
                | Kind::Path
                | Kind::Address
                | Kind::Bool
                | Kind::Choice(_) => false,
                _ => redact::value(spec.key, &value.text) != value.text,
            };
            is_secret && matches!(value.source, Source::File { .. })
        })
    }

    /// Error about a filter of the log that cannot be read, with its place.
    pub(crate) fn wrong_filter(&self, error: &dyn fmt::Display) -> ConfigError {
        let source = self.value("log.filter").map_or(&Source::Default, |value| &value.source);
        ConfigError::Setting {
            place: source.to_string(),
            reason: format!(
                "`log.filter` cannot be read ({error}); use a level such as info, or levels of \
                 modules such as info,sayso=debug"
            ),
        }
    }
}
