//! A service URL as calls use it.

use axum::http::{
    HeaderValue,
    uri::{Authority, PathAndQuery, Scheme},
};
use reqwest::Url;

/// A service URL that is allowed, read once: calls add a path to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Base {
    pub(crate) scheme: Scheme,
    pub(crate) authority: Authority,
    /// The same, as requests name it.
    pub(crate) host: HeaderValue,
    /// Without a slash at its end.
    pub(crate) path: Box<str>,
}

impl Base {
    /// Nothing if there is a sign in it that no request can have.
    pub(crate) fn of(url: &Url) -> Option<Self> {
        let path = PathAndQuery::try_from(url.path()).ok()?;
        Some(Self {
            scheme: url.scheme().try_into().ok()?,
            authority: url.authority().try_into().ok()?,
            host: url.authority().try_into().ok()?,
            path: path.path().trim_end_matches('/').into(),
        })
    }
}
