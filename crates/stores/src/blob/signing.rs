//! Shared Key authorization: signs requests with the account's key, which the client library does
//! not do.

use std::{fmt::Write as _, sync::Arc};

use async_trait::async_trait;
use azure_core::{
    credentials::Secret,
    hmac::hmac_sha256,
    http::{
        Context, Method, Request, Url,
        headers::Headers,
        policies::{Policy, PolicyResult},
    },
    time::{OffsetDateTime, to_rfc7231},
};

/// Headers whose values are signed without their names, in this order.
const PLAIN: [&str; 11] = [
    "content-encoding",
    "content-language",
    "content-length",
    "content-md5",
    "content-type",
    "date",
    "if-modified-since",
    "if-match",
    "if-none-match",
    "if-unmodified-since",
    "range",
];

/// Pipeline policy that signs each attempt of a request, last of all.
#[derive(Debug)]
pub(super) struct SharedKey {
    account: String,
    key: Secret,
}

impl SharedKey {
    pub(super) fn new(account: String, key: Secret) -> Self {
        Self { account, key }
    }
}

#[async_trait]
impl Policy for SharedKey {
    async fn send(
        &self,
        ctx: &Context,
        request: &mut Request,
        next: &[Arc<dyn Policy>],
    ) -> PolicyResult {
        space_out(request.url_mut());
        request.insert_header("x-ms-date", to_rfc7231(&OffsetDateTime::now_utc()));
        let text = to_sign(request.method(), request.url(), request.headers(), &self.account);
        let signature = hmac_sha256(&text, &self.key)?;
        request.insert_header("authorization", format!("SharedKey {}:{signature}", self.account));
        pass_on(ctx, request, next).await
    }
}

/// Pipeline policy that encodes spaces in the query the one way that every server reads alike. For
/// requests that carry their authorization in the query; for others the signing policy does it.
#[derive(Debug)]
pub(super) struct Spaced;

#[async_trait]
impl Policy for Spaced {
    async fn send(
        &self,
        ctx: &Context,
        request: &mut Request,
        next: &[Arc<dyn Policy>],
    ) -> PolicyResult {
        space_out(request.url_mut());
        pass_on(ctx, request, next).await
    }
}

async fn pass_on(
    ctx: &Context<'_>,
    request: &mut Request,
    next: &[Arc<dyn Policy>],
) -> PolicyResult {
    let (policy, rest) = next.split_first().expect("the transport is the last policy");
    policy.send(ctx, request, rest).await
}

/// Re-encodes spaces: the client library writes a space in a query as `+` and a plus sign as `%2B`.
fn space_out(url: &mut Url) {
    if let Some(query) = url.query().filter(|query| query.contains('+')) {
        let query = query.replace('+', "%20");
        url.set_query(Some(&query));
    }
}

/// The string to sign.
fn to_sign(method: Method, url: &Url, headers: &Headers, account: &str) -> String {
    let mut named: Vec<(String, &str)> = headers
        .iter()
        .map(|(name, value)| (name.as_str().to_lowercase(), value.as_str()))
        .collect();
    named.sort();
    let mut text = method.as_str().to_owned();
    for plain in PLAIN {
        let value = named.iter().find(|(name, _)| *name == plain).map_or("", |(_, value)| value);
        // An empty body counts as none.
        let value = if plain == "content-length" && value == "0" { "" } else { value };
        text.push('\n');
        text.push_str(value);
    }
    text.push('\n');
    for (name, value) in named.iter().filter(|(name, _)| name.starts_with("x-ms-")) {
        writeln!(text, "{name}:{}", value.trim()).expect("writing to a String cannot fail");
    }
    // The path as it is sent: where the account is part of it, it stands there twice.
    write!(text, "/{account}{}", url.path()).expect("writing to a String cannot fail");
    let mut parameters: Vec<(String, String)> =
        url.query_pairs().map(|(name, value)| (name.to_lowercase(), value.into_owned())).collect();
    parameters.sort();
    for same in parameters.chunk_by(|(one, _), (other, _)| one == other) {
        let values: Vec<&str> = same.iter().map(|(_, value)| value.as_str()).collect();
        let name = same.first().map_or("", |(name, _)| name);
        write!(text, "\n{name}:{}", values.join(",")).expect("writing to a String cannot fail");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &'static str)]) -> Headers {
        let mut headers = Headers::new();
        for (name, value) in pairs {
            headers.insert(*name, *value);
        }
        headers
    }

    #[test]
    fn the_text_to_sign_has_the_published_form() {
        // The example of "Authorize with Shared Key" in Azure's documentation: listing a container.
        let url = Url::parse(
            "https://myaccount.blob.core.windows.net/mycontainer?restype=container&comp=metadata&timeout=20",
        )
        .unwrap();
        let headers = headers(&[
            ("x-ms-version", "2015-02-21"),
            ("x-ms-date", "Fri, 26 Jun 2015 23:39:12 GMT"),
            ("content-length", "0"),
            ("accept", "application/xml"),
        ]);
        assert_eq!(
            to_sign(Method::Get, &url, &headers, "myaccount"),
            "GET\n\n\n\n\n\n\n\n\n\n\n\nx-ms-date:Fri, 26 Jun 2015 23:39:12 GMT\n\
             x-ms-version:2015-02-21\n/myaccount/mycontainer\ncomp:metadata\nrestype:container\n\
             timeout:20"
        );
    }

    #[test]
    fn conditions_paths_and_repeated_parameters_are_signed() {
        let url = Url::parse(
            "http://127.0.0.1:1/devstoreaccount1/c/a%2525%2Fb?include=snapshots&Include=metadata&where=%22d%22%3C%3D%271%27",
        )
        .unwrap();
        let headers = headers(&[
            ("if-match", "\"0x1\""),
            ("content-length", "7"),
            ("content-type", "application/octet-stream"),
            ("range", "bytes=0-1"),
            ("x-ms-meta-saysodue", " 1 "),
        ]);
        assert_eq!(
            to_sign(Method::Put, &url, &headers, "devstoreaccount1"),
            "PUT\n\n\n7\n\napplication/octet-stream\n\n\n\"0x1\"\n\n\nbytes=0-1\n\
             x-ms-meta-saysodue:1\n/devstoreaccount1/devstoreaccount1/c/a%2525%2Fb\n\
             include:metadata,snapshots\nwhere:\"d\"<='1'"
        );
    }

    #[test]
    fn a_space_in_a_query_is_written_as_all_read_it() {
        let mut url = Url::parse("http://h/?a=1+2%2B3&b=c").unwrap();
        space_out(&mut url);
        assert_eq!(url.query(), Some("a=1%202%2B3&b=c"));
    }
}
