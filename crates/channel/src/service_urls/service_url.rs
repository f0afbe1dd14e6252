//! Parsed service URL, split into the parts that requests need.

use axum::http::{
    HeaderValue,
    uri::{Authority, PathAndQuery, Scheme},
};
use reqwest::Url;

/// An allowed service URL, parsed once: each call appends a path to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ServiceUrl {
    pub(crate) scheme: Scheme,
    pub(crate) authority: Authority,
    /// The authority as the value of a `Host` header.
    pub(crate) host: HeaderValue,
    /// The path without trailing slashes.
    pub(crate) path: Box<str>,
}

impl ServiceUrl {
    /// Splits a URL. Returns `None` if it contains a character that no request can have.
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
