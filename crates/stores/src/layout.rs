//! Layouts: names and bodies of documents in the form of Sayso or of another SDK.

#[cfg(feature = "azure-blob")]
mod annotations;
#[cfg(feature = "azure-blob")]
pub(crate) mod bodies;
#[cfg(feature = "azure-blob")]
mod node;

use std::{fmt, str::FromStr};

/// The form of names and bodies in a store that another SDK may have written.
///
/// # Example
/// ```
/// use sayso_stores::Layout;
///
/// assert_eq!("js".parse(), Ok(Layout::Js));
/// assert!("perl".parse::<Layout>().unwrap_err().to_string().contains("dotnet"));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Layout {
    /// The layout of Sayso.
    #[default]
    Sayso,
    /// The layout of the C# SDK (`Microsoft.Bot.Builder.Azure`).
    Dotnet,
    /// The layout of the JavaScript SDK (`botbuilder-azure`, `botbuilder-azure-blobs`).
    Js,
    /// The layout of the Python SDK (`botbuilder-azure`).
    Python,
    /// The layout of the published scale-out sample.
    Sample,
}

const NAMES: [(Layout, &str); 5] = [
    (Layout::Sayso, "sayso"),
    (Layout::Dotnet, "dotnet"),
    (Layout::Js, "js"),
    (Layout::Python, "python"),
    (Layout::Sample, "sample"),
];

/// Error: an unknown layout.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown layout `{0}`; use sayso, dotnet, js, python or sample")]
pub struct UnknownLayout(String);

impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = NAMES.iter().find(|(layout, _)| layout == self).map(|(_, name)| *name);
        f.write_str(name.unwrap_or_default())
    }
}

impl FromStr for Layout {
    type Err = UnknownLayout;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let found = NAMES.iter().find(|(_, name)| *name == text);
        found.map(|(layout, _)| *layout).ok_or_else(|| UnknownLayout(text.to_owned()))
    }
}
