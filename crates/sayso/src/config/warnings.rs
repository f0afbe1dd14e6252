//! Warnings about settings that are allowed but unwise.

use std::path::Path;

use super::{
    Config, Source,
    permissions::is_open,
    redact,
    setting::{Kind, settings},
};

impl Config {
    /// Warnings, a sentence each: a secret in a file that everybody can read, or a variable that
    /// looks like a mistake.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings = self.strange.clone();
        warnings.extend(self.deadline_warning());
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
}
