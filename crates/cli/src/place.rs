//! Where state is kept, as the command line says it: a URL, and a layout that becomes part of it.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use anyhow::bail;
use clap::Args;
use sayso::{Config, DEFAULT_STORE, open_store, stores::Layout, turn::store::Store};

/// The engines in which another SDK may have kept its state.
const WITH_LAYOUT: [&str; 3] = ["azblob", "cosmos", "cosmos+http"];

/// A store that exists.
#[derive(Args, Clone, Debug)]
pub(crate) struct Place {
    /// Where state is kept, such as sqlite:path or postgres://user@host/database
    /// [env: SAYSO_STORE] [default: sqlite:data/sayso.sqlite]
    #[arg(long, value_name = "URL")]
    store: Option<String>,
    /// Whose names and bodies an azblob: or cosmos: store holds: dotnet, js, python or sample
    #[arg(long, value_name = "SDK")]
    layout: Option<Layout>,
    /// The file with the settings [env: SAYSO_CONFIG] [default: sayso.toml, if it is there]
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
}

/// What to do when a store of one file has no file yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Missing {
    Refuse,
    Create,
}

impl Place {
    /// Opens a store to look at what is in it.
    pub(crate) async fn open(&self, missing: Missing) -> anyhow::Result<Arc<dyn Store>> {
        let config = self.add_to(self.load()?)?;
        // The layout is in the URL by now.
        open(config.store(), None, missing).await
    }

    /// What the file and the environment say.
    pub(crate) fn load(&self) -> anyhow::Result<Config> {
        Ok(Config::load(self.config.as_deref())?)
    }

    /// Adds what the flags say.
    pub(crate) fn add_to(&self, config: Config) -> anyhow::Result<Config> {
        if self.store.is_none() && self.layout.is_none() {
            return Ok(config);
        }
        let url =
            with_layout(self.store.as_deref().unwrap_or_else(|| config.store()), self.layout)?;
        Ok(config.flag("store", &url)?)
    }
}

/// Opens a store that outlives this process.
pub(crate) async fn open(
    url: &str,
    layout: Option<Layout>,
    missing: Missing,
) -> anyhow::Result<Arc<dyn Store>> {
    let url = with_layout(url, layout)?;
    let (scheme, rest) = url.split_once(':').unwrap_or((&url, ""));
    let path = rest.strip_prefix("//").unwrap_or(rest);
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
    Ok(open_store(&url).await?)
}

/// The URL with the layout in it.
fn with_layout(url: &str, layout: Option<Layout>) -> anyhow::Result<String> {
    let Some(layout) = layout else { return Ok(url.to_owned()) };
    let scheme = url.split(':').next().unwrap_or_default();
    if !WITH_LAYOUT.contains(&scheme) {
        bail!("a layout is for azblob: and cosmos: stores; leave it out for `{scheme}:`");
    }
    let query = url.split_once('?').map(|(_, query)| query);
    if query.is_some_and(|query| query.split('&').any(|pair| pair.starts_with("layout="))) {
        bail!("the URL says its layout already; leave the other one out");
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
