//! The bot and the tenant whose documents a command is about.

use anyhow::bail;
use clap::Args;
use sayso::{
    Config, KeyScheme,
    turn::{Key, KeyScope},
};

/// Options that name a bot and a tenant, where keys do.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct Whose {
    /// The bot, if several share the store: keys and prefixes are meant without it
    #[arg(long, value_name = "ID")]
    pub(crate) bot: Option<String>,
    /// The tenant, if keys name it: keys and prefixes are meant without it; '' is what has none
    #[arg(long, value_name = "ID")]
    pub(crate) tenant: Option<String>,
}

impl Whose {
    /// The scope that the options name; empty without options, so that keys are as they are
    /// stored. The bot that is not named is that of the configuration, if there is a tenant.
    pub(super) fn scope(&self, config: &Config) -> KeyScope<'static> {
        if self.bot.is_none() && self.tenant.is_none() {
            return KeyScope::default();
        }
        self.scheme(config).scope(self.tenant.as_deref())
    }

    /// The scope of one person's documents: it cannot be left open.
    pub(super) fn exact_scope(&self, config: &Config) -> anyhow::Result<KeyScope<'static>> {
        let scheme = self.scheme(config);
        if scheme.has_tenants() && self.tenant.is_none() {
            bail!("keys name the tenant here (`keys.tenant`): say which with --tenant");
        }
        Ok(scheme.scope(self.tenant.as_deref()))
    }

    /// A key as it is stored.
    pub(super) fn key(&self, config: &Config, key: &str) -> anyhow::Result<Key> {
        Ok(self.scope(config).place(Key::new(key)?)?)
    }

    /// A prefix of keys as they are stored.
    pub(super) fn prefix(&self, config: &Config, prefix: &str) -> String {
        format!("{}{prefix}", self.scope(config))
    }

    fn scheme(&self, config: &Config) -> KeyScheme {
        let configured = config.keys().unwrap_or_default();
        let by_tenant = configured.has_tenants() || self.tenant.is_some();
        match &self.bot {
            Some(bot) => configured.bot(bot),
            None => configured,
        }
        .by_tenant(by_tenant)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whose(bot: Option<&str>, tenant: Option<&str>) -> Whose {
        Whose { bot: bot.map(str::to_owned), tenant: tenant.map(str::to_owned) }
    }

    #[test]
    fn keys_are_meant_as_they_are_stored_or_without_bot_and_tenant() {
        let plain = Config::default();
        let config = plain.clone().environment([("SAYSO_KEYS_BOT", "pizza")]).unwrap();
        let config = config.environment([("SAYSO_KEYS_TENANT", "true")]).unwrap();
        for (config, bot, tenant, key) in [
            (&plain, None, None, "c/users/u"),
            (&plain, Some("b"), None, "~b/c/users/u"),
            (&plain, None, Some("t"), "~~t/c/users/u"),
            (&config, None, None, "c/users/u"),
            (&config, None, Some("t"), "~pizza~t/c/users/u"),
            (&config, Some("b"), Some(""), "~b~_/c/users/u"),
        ] {
            let found = whose(bot, tenant).key(config, "c/users/u").unwrap();
            assert_eq!(found.as_str(), key);
            assert_eq!(whose(bot, tenant).prefix(config, "c/users/u"), key);
        }
        assert!(whose(None, None).exact_scope(&config).is_err());
        assert_eq!(whose(None, None).exact_scope(&plain).unwrap(), KeyScope::default());
    }
}
