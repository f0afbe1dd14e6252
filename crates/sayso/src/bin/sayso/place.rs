//! Where state is kept, as the command line says it: a URL, and a layout that becomes part of it.

use std::{path::Path, sync::Arc};

use anyhow::bail;
use clap::Args;
use sayso::{DEFAULT_STORE, open_store, stores::Layout, turn::store::Store};

/// The engines in which another SDK may have kept its state.
const WITH_LAYOUT: [&str; 3] = ["azblob", "cosmos", "cosmos+http"];

/// A store that exists.
#[derive(Args, Clone, Debug)]
pub(crate) struct Place {
    /// Where state is kept, such as sqlite:path or postgres://user@host/database
    #[arg(
        long,
        value_name = "URL",
        env = "SAYSO_STORE",
        hide_env_values = true,
        default_value = DEFAULT_STORE
    )]
    pub(crate) store: String,
    /// Whose names and bodies an azblob: or cosmos: store holds: dotnet, js, python or sample
    #[arg(long, value_name = "SDK")]
    pub(crate) layout: Option<Layout>,
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
        open(&self.store, self.layout, missing).await
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
pub(crate) fn with_layout(url: &str, layout: Option<Layout>) -> anyhow::Result<String> {
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
