//! Location of the store, from flags, environment and file: a URL, which includes the layout.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use anyhow::{Context as _, bail};
use clap::Args;
use sayso::{
    Config, DEFAULT_STORE,
    config::Encryption,
    open_encrypted_store, open_store,
    stores::{Layout, encrypting::Encrypting},
    turn::store::Store,
};

/// URL schemes of the engines that may hold the state of another SDK.
const WITH_LAYOUT: [&str; 3] = ["azblob", "cosmos", "cosmos+http"];

/// Options that name the store.
#[derive(Args, Clone, Debug)]
pub(crate) struct Place {
    /// URL of the store, such as sqlite:path or postgres://user@host/database
    /// [env: SAYSO_STORE] [default: sqlite:data/sayso.sqlite]
    #[arg(long, value_name = "URL")]
    store: Option<String>,
    /// Layout of an azblob: or cosmos: store written by another SDK: dotnet, js, python or sample
    #[arg(long, value_name = "SDK")]
    layout: Option<Layout>,
    /// Configuration file [env: SAYSO_CONFIG] [default: sayso.toml, if it is there]
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
}

/// Treatment of a SQLite file that does not exist yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Missing {
    Refuse,
    Create,
}

impl Place {
    /// Opens the configured store, encrypted if the configuration says so.
    pub(crate) async fn open(&self, missing: Missing) -> anyhow::Result<Arc<dyn Store>> {
        let config = self.add_to(self.load()?)?;
        // The layout is in the URL by now.
        open(config.store(), None, config.encryption()?, missing).await
    }

    /// Opens the configured store, which must be encrypted.
    pub(crate) async fn open_encrypted(&self) -> anyhow::Result<Arc<Encrypting<dyn Store>>> {
        let config = self.add_to(self.load()?)?;
        let encryption = config.encryption()?.context(
            "no encryption keys are configured: set encryption.keys-file in sayso.toml or \
             SAYSO_ENCRYPTION_KEYS_FILE (docs/guides/encryption.md)",
        )?;
        check(config.store(), Missing::Refuse)?;
        Ok(open_encrypted_store(config.store(), encryption).await?)
    }

    /// Returns the URL of the configured store.
    pub(crate) fn url(&self) -> anyhow::Result<String> {
        Ok(self.add_to(self.load()?)?.store().to_owned())
    }

    /// Loads the configuration from the file and the environment.
    pub(crate) fn load(&self) -> anyhow::Result<Config> {
        Ok(Config::load(self.config.as_deref())?)
    }

    /// Adds the flags to a configuration, in which they take precedence.
    pub(crate) fn add_to(&self, config: Config) -> anyhow::Result<Config> {
        if self.store.is_none() && self.layout.is_none() {
            return Ok(config);
        }
        let url =
            with_layout(self.store.as_deref().unwrap_or_else(|| config.store()), self.layout)?;
        Ok(config.flag("store", &url)?)
    }
}

/// Opens a persistent store; `memory://` is refused.
pub(crate) async fn open(
    url: &str,
    layout: Option<Layout>,
    encryption: Option<Encryption>,
    missing: Missing,
) -> anyhow::Result<Arc<dyn Store>> {
    let url = with_layout(url, layout)?;
    check(&url, missing)?;
    Ok(match encryption {
        Some(encryption) => open_encrypted_store(&url, encryption).await?,
        None => open_store(&url).await?,
    })
}

/// Checks that a URL names a persistent store, and a file that exists if it must.
fn check(url: &str, missing: Missing) -> anyhow::Result<()> {
    let (scheme, rest) = url.split_once(':').unwrap_or((url, ""));
    let path = rest.strip_prefix("//").unwrap_or(rest);
    let path = without_partitions(path);
    if scheme == "memory" {
        bail!(
            "memory:// ends with its process, so there is nothing in it to look at; name a store \
             that is kept, such as {DEFAULT_STORE}"
        );
    }
    let is_file = scheme == "sqlite" && !path.is_empty();
    if missing == Missing::Refuse && is_file && !Path::new(path).exists() {
        bail!("there is no file {path}; name the store that the bot uses with --store");
    }
    Ok(())
}

/// The path of a SQLite URL, without the parameters of partitions.
pub(crate) fn without_partitions(path: &str) -> &str {
    let is_ours = |query: &str| query.contains("partition=") || query.contains("open-partitions=");
    path.rsplit_once('?').filter(|(_, query)| is_ours(query)).map_or(path, |(path, _)| path)
}

/// Adds the layout to a URL, as a query parameter.
fn with_layout(url: &str, layout: Option<Layout>) -> anyhow::Result<String> {
    let Some(layout) = layout else { return Ok(url.to_owned()) };
    let scheme = url.split(':').next().unwrap_or_default();
    if !WITH_LAYOUT.contains(&scheme) {
        bail!("a layout is for azblob: and cosmos: stores; leave it out for `{scheme}:`");
    }
    let query = url.split_once('?').map(|(_, query)| query);
    if query.is_some_and(|query| query.split('&').any(|pair| pair.starts_with("layout="))) {
        bail!("the URL already names a layout; leave out --layout");
    }
    let join = if query.is_some() { '&' } else { '?' };
    Ok(format!("{url}{join}layout={layout}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_layout_becomes_part_of_the_url_of_an_engine_that_has_layouts() {
        let js = Some(Layout::Js);
        assert_eq!(with_layout("azblob:state", js).unwrap(), "azblob:state?layout=js");
        assert_eq!(with_layout("cosmos:x?a=b", js).unwrap(), "cosmos:x?a=b&layout=js");
        assert_eq!(with_layout("sqlite:x", None).unwrap(), "sqlite:x");
        let error = with_layout("sqlite:x", js).unwrap_err().to_string();
        assert!(error.contains("azblob:"), "{error}");
        assert!(with_layout("cosmos:x?layout=js", js).is_err());
    }
}
