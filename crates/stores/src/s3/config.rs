//! Configuration of the S3 store: bucket, endpoint and credentials.

use std::{fmt, path::PathBuf, sync::Arc, time::Duration};

use object_store::{
    ClientOptions, RetryConfig,
    aws::{AmazonS3, AmazonS3Builder, AmazonS3ConfigKey, S3ConditionalPut},
};
use percent_encoding::percent_decode_str;
use sayso_turn::store::Error;

use super::{
    answers::Connector,
    credentials::{self, Keys},
};
use crate::secrets::{self, Secrets};

/// The default time-out of a call.
const TIMEOUT: Duration = Duration::from_secs(10);

/// The time limit of connecting, within the time-out of the call.
const CONNECT_MAX: Duration = Duration::from_secs(5);

/// The longest prefix, in bytes: names end with up to 400 more, of the 1024 that S3 allows.
const PREFIX_BYTES_MAX: usize = 256;

/// Bucket, endpoint and credentials of an [`S3Store`](super::S3Store).
///
/// # Example
/// ```
/// use sayso_stores::s3::S3Config;
///
/// let config = S3Config::from_url("s3://bots/pizza?endpoint=https://minio.example:9000")?
///     .with_credentials("bot", "secret");
/// assert_eq!(config.to_string(), "S3 bucket bots/pizza at https://minio.example:9000");
/// # Ok::<(), sayso_turn::store::Error>(())
/// ```
#[derive(Clone)]
pub struct S3Config {
    bucket: String,
    pub(super) prefix: String,
    endpoint: Option<String>,
    region: Option<String>,
    credentials: Option<(String, String)>,
    secret_file: Option<PathBuf>,
    pub(super) timeout: Duration,
}

impl S3Config {
    /// Reads a URL: `s3://bucket[/prefix][?endpoint=https://host:port][&region=us-east-1]`.
    ///
    /// Without an endpoint it is Amazon's. Credentials come from the file that
    /// `secret-file=/run/secrets/s3` names, or `SAYSO_STORE_SECRET_FILE` in the environment; else
    /// from the usual `AWS_…` variables, or from the machine's role, unless
    /// [`with_credentials`](Self::with_credentials) gives them. The file has the form of Amazon's
    /// own tools (`aws_access_key_id = …`, `aws_secret_access_key = …`), and is read again when the
    /// server refuses what was in it.
    ///
    /// # Errors
    /// [`Error::Invalid`] says what is wrong with it.
    pub fn from_url(url: &str) -> Result<Self, Error> {
        let (address, query) = url.split_once('?').unwrap_or((url, ""));
        let rest = address.strip_prefix("s3://").ok_or_else(|| invalid(URL_FORM))?;
        let (bucket, prefix) = rest.split_once('/').unwrap_or((rest, ""));
        let prefix = prefix.strip_suffix('/').unwrap_or(prefix);
        let is_name = |char: char| {
            char.is_ascii_lowercase() || char.is_ascii_digit() || char == '-' || char == '.'
        };
        if !(3..=63).contains(&bucket.len()) || !bucket.chars().all(is_name) {
            return Err(invalid(URL_FORM));
        }
        if !prefix.is_empty() && !is_plain_prefix(prefix) {
            return Err(invalid(
                "the prefix in the URL must be parts of letters, digits and any of -_. between single \
                 slashes, 256 bytes at most",
            ));
        }
        let mut config = Self {
            bucket: bucket.to_owned(),
            prefix: prefix.to_owned(),
            endpoint: None,
            region: None,
            credentials: None,
            secret_file: secrets::file_of_environment(),
            timeout: TIMEOUT,
        };
        for parameter in query.split('&').filter(|parameter| !parameter.is_empty()) {
            let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
            match name {
                "endpoint" => config.endpoint = Some(endpoint(value)?),
                "region" => config.region = Some(value.to_owned()),
                secrets::PARAMETER => {
                    let path = percent_decode_str(value).decode_utf8();
                    let path = path.map_err(|_| invalid(URL_FORM))?;
                    config.secret_file = Some(path.into_owned().into());
                }
                name => {
                    return Err(invalid(format!(
                        "unknown parameter `{}` of an S3 URL; there are endpoint, region and \
                         secret-file",
                        crate::parameter::shown(name)
                    )));
                }
            }
        }
        Ok(config)
    }

    /// Uses this key instead of the one in the environment.
    #[must_use]
    pub fn with_credentials(
        self,
        access_key_id: impl Into<String>,
        secret_access_key: impl Into<String>,
    ) -> Self {
        let credentials = Some((access_key_id.into(), secret_access_key.into()));
        Self { credentials, secret_file: None, ..self }
    }

    /// Reads the key from a file, at once and whenever the server refuses it.
    #[must_use]
    pub fn with_secret_file(self, path: impl Into<PathBuf>) -> Self {
        Self { secret_file: Some(path.into()), ..self }
    }

    /// Sets the time-out of a call. After it a read has failed and a write is in doubt.
    #[must_use]
    pub fn with_timeout(self, timeout: Duration) -> Self {
        Self { timeout, ..self }
    }

    /// The keys of the file, if there is one.
    pub(super) fn keys(&self) -> Result<Option<Arc<Keys>>, String> {
        let Some(path) = &self.secret_file else { return Ok(None) };
        Ok(Some(Arc::new(Keys(Secrets::from_file(path, credentials::parse)?))))
    }

    pub(super) fn client(&self, keys: Option<&Arc<Keys>>) -> Result<AmazonS3, object_store::Error> {
        // A write that may have happened is not repeated: it would meet its own first landing.
        let retry = RetryConfig { max_retries: 0, ..RetryConfig::default() };
        let mut builder = AmazonS3Builder::from_env()
            .with_retry(retry)
            .with_bucket_name(&self.bucket)
            .with_conditional_put(S3ConditionalPut::ETagMatch)
            .with_disable_tagging(true)
            .with_disable_bulk_delete(true);
        if let Some(endpoint) = &self.endpoint {
            builder = builder.with_endpoint(endpoint);
        }
        // It may come from the environment, too.
        let endpoint = builder.get_config_value(&AmazonS3ConfigKey::Endpoint);
        let options = ClientOptions::new()
            .with_timeout(self.timeout)
            .with_connect_timeout(CONNECT_MAX.min(self.timeout))
            .with_allow_http(endpoint.is_some_and(|endpoint| endpoint.starts_with("http://")));
        builder = builder.with_client_options(options).with_http_connector(Connector::default());
        if let Some(region) = &self.region {
            builder = builder.with_region(region);
        }
        if let Some((id, secret)) = &self.credentials {
            builder = builder.with_access_key_id(id).with_secret_access_key(secret);
        }
        if let Some(keys) = keys {
            builder = builder.with_credentials(Arc::clone(keys) as _);
        }
        builder.build()
    }
}

impl fmt::Display for S3Config {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "S3 bucket {}", self.bucket)?;
        if !self.prefix.is_empty() {
            write!(f, "/{}", self.prefix)?;
        }
        match &self.endpoint {
            Some(endpoint) => write!(f, " at {endpoint}"),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for S3Config {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("S3Config")
            .field("at", &self.to_string())
            .field("region", &self.region)
            .field("timeout", &self.timeout)
            .finish_non_exhaustive()
    }
}

const URL_FORM: &str = "this is no S3 URL; write s3://bucket/prefix, with ?endpoint=https://host:port \
    for a server that is not Amazon's";

fn is_plain_prefix(prefix: &str) -> bool {
    let is_plain = |char: char| char.is_ascii_alphanumeric() || "-_.".contains(char);
    let is_part = |part: &str| !["", ".", ".."].contains(&part) && part.chars().all(is_plain);
    prefix.len() <= PREFIX_BYTES_MAX && prefix.split('/').all(is_part)
}

fn endpoint(value: &str) -> Result<String, Error> {
    let value =
        value.replace("%3A", ":").replace("%3a", ":").replace("%2F", "/").replace("%2f", "/");
    let host = value.strip_prefix("http://").or_else(|| value.strip_prefix("https://"));
    // Credentials in an endpoint would end up in every log line.
    if host.is_none_or(|host| host.is_empty() || host.contains(['@', '%', '#', ' '])) {
        return Err(invalid(
            "the endpoint in the URL must be http://host:port or https://host:port",
        ));
    }
    Ok(value)
}

fn invalid(reason: impl Into<String>) -> Error {
    Error::Invalid { store: "S3".into(), reason: reason.into(), source: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_say_where() {
        for (url, expected) in [
            ("s3://bots", "S3 bucket bots"),
            ("s3://bots/", "S3 bucket bots"),
            ("s3://bots/pizza/v1/?region=eu-west-1", "S3 bucket bots/pizza/v1"),
            ("s3://bots?endpoint=http://127.0.0.1:9000", "S3 bucket bots at http://127.0.0.1:9000"),
            ("s3://bots?endpoint=https%3A%2F%2Fs3.example", "S3 bucket bots at https://s3.example"),
        ] {
            assert_eq!(S3Config::from_url(url).unwrap().to_string(), expected);
        }
    }

    #[test]
    fn a_bad_url_is_refused_in_one_sentence() {
        for (url, why) in [
            ("", "no S3 URL"),
            ("bots", "no S3 URL"),
            ("http://bots", "no S3 URL"),
            ("s3://", "no S3 URL"),
            ("s3://B", "no S3 URL"),
            ("s3://id:hunter2@bots", "no S3 URL"),
            ("s3://bots//a", "the prefix in the URL"),
            ("s3://bots/../a", "the prefix in the URL"),
            ("s3://bots/a b", "the prefix in the URL"),
            ("s3://bots?endpoint=127.0.0.1", "the endpoint in the URL"),
            ("s3://bots?endpoint=http://id:hunter2@h", "the endpoint in the URL"),
            ("s3://bots?key=hunter2", "unknown parameter `key`"),
        ] {
            let error = S3Config::from_url(url).unwrap_err().to_string();
            assert!(error.contains(why), "{url}: {error}");
            assert!(!error.contains("hunter2"), "{error}");
        }
    }

    #[test]
    fn nothing_shows_the_secret() {
        let config = S3Config::from_url("s3://bots").unwrap().with_credentials("id", "hunter2");
        assert!(!format!("{config} {config:?}").contains("hunter2"));
    }
}
