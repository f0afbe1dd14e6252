//! Shared Key authorization, which the client library does not do, and shared access signatures:
//! both with a second secret to turn to when the first is refused.

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

use crate::secrets::{Hidden, Secrets};

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

/// Pipeline policy that authorizes each attempt of a request, last of all. What is refused was not
/// done, and is sent again if there is another secret.
#[derive(Debug)]
pub(super) struct Signed {
    pub(super) secrets: Secrets<Hidden>,
    pub(super) by: By,
}

/// The way to authorize a request by a secret.
#[derive(Debug)]
pub(super) enum By {
    /// The secrets are keys of this account.
    Key { account: String },
    /// The secrets are SAS tokens.
    Token,
}

impl Signed {
    fn sign(&self, request: &mut Request, secret: &Hidden, plain: &Url) -> azure_core::Result<()> {
        let By::Key { account } = &self.by else {
            let query = plain.query().filter(|query| !query.is_empty());
            let query = query.map_or_else(String::new, |query| format!("{query}&"));
            request.url_mut().set_query(Some(&format!("{query}{}", secret.expose())));
            return Ok(());
        };
        request.insert_header("x-ms-date", to_rfc7231(&OffsetDateTime::now_utc()));
        let text = to_sign(request.method(), request.url(), request.headers(), account);
        let signature = hmac_sha256(&text, &Secret::new(secret.expose().to_owned()))?;
        request.insert_header("authorization", format!("SharedKey {account}:{signature}"));
        Ok(())
    }
}

#[async_trait]
impl Policy for Signed {
    async fn send(
        &self,
        ctx: &Context,
        request: &mut Request,
        next: &[Arc<dyn Policy>],
    ) -> PolicyResult {
        space_out(request.url_mut());
        let plain = request.url().clone();
        let mut tries = self.secrets.tries() + 1;
        loop {
            let chosen = self.secrets.current();
            self.sign(request, &chosen.secret, &plain)?;
            let answer = pass_on(ctx, request, next).await;
            tries -= 1;
            let status = answer.as_ref().map_or(0, |answer| u16::from(answer.status()));
            let is_worth_another =
                tries > 0 && matches!(status, 401 | 403) && self.secrets.refused(chosen.version());
            if !is_worth_another {
                return answer;
            }
            request.body_mut().reset().await?;
        }
    }
}

/// Pipeline policy that encodes spaces in the query the one way that every server reads alike. For
/// requests with a token of Entra ID; for others the signing policy does it.
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
