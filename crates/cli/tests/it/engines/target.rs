//! Addresses of the engines, with a namespace of its own for each test.

use std::{net::SocketAddr, path::Path};

/// Store under test, as the command is told of it.
#[derive(Clone, Debug)]
pub(super) struct Target {
    pub(super) name: &'static str,
    pub(super) url: String,
    /// Variables with the credentials.
    pub(super) environment: Vec<(&'static str, String)>,
    /// Address of the engine, as the URL spells it.
    address: String,
}

impl Target {
    fn new(name: &'static str, url: String) -> Self {
        let address = address_in(&url);
        Self { name, url, environment: Vec::new(), address }
    }

    /// Passes the engine's address on in a variable.
    fn by(mut self, variable: &'static str, value: String) -> Self {
        self.address = address_in(&value);
        self.environment.push((variable, value));
        self
    }

    pub(super) fn address(&self) -> SocketAddr {
        self.address.parse().expect("the tests' servers listen on 127.0.0.1")
    }

    /// Creates what must exist: a bucket, which the store does not create by itself.
    pub(super) async fn prepare(&self) {
        if let Some(name) = self.url.strip_prefix("s3://").and_then(|rest| rest.split('/').next()) {
            let bucket = format!("http://{}/{name}", self.address);
            let client = reqwest::Client::builder().no_proxy().build().unwrap();
            drop(client.put(bucket).send().await.unwrap());
        }
    }

    /// Returns the same engine, reached through a proxy.
    pub(super) fn at(mut self, proxy: SocketAddr) -> Self {
        let there = proxy.to_string();
        self.url = self.url.replace(&self.address, &there);
        for (_, value) in &mut self.environment {
            *value = value.replace(&self.address, &there);
        }
        self
    }
}

fn address_in(text: &str) -> String {
    let address = text.split("127.0.0.1:").nth(1).map(|rest| {
        let port: String = rest.chars().take_while(char::is_ascii_digit).collect();
        format!("127.0.0.1:{port}")
    });
    address.unwrap_or_default()
}

/// Reads a variable that `scripts/servers` sets for a server.
fn given(variable: &str) -> String {
    std::env::var(variable).unwrap_or_else(|_| {
        panic!("{variable} is not set: run the tests with `scripts/servers run -- ...`")
    })
}

fn unique() -> String {
    format!("pizza{:012x}", fastrand::u64(..1 << 48))
}

/// Adds a parameter to a URL.
fn with(url: &str, parameter: &str) -> String {
    format!("{url}{}{parameter}", if url.contains('?') { '&' } else { '?' })
}

pub(super) fn sqlite(folder: &Path) -> Target {
    Target::new("sqlite", format!("sqlite:{}", folder.join("pizza.sqlite").display()))
}

#[cfg(feature = "postgres")]
pub(super) fn postgres() -> Target {
    Target::new("postgres", with(&given("SAYSO_TEST_POSTGRES"), &format!("schema={}", unique())))
}

#[cfg(feature = "redis")]
pub(super) fn redis() -> Target {
    Target::new("redis", with(&given("SAYSO_TEST_REDIS"), &format!("prefix={}", unique())))
}

#[cfg(feature = "azure-blob")]
pub(super) fn blob() -> Target {
    let account = given("SAYSO_TEST_BLOB");
    Target::new("blob", format!("azblob:{}", unique()))
        .by("AZURE_STORAGE_CONNECTION_STRING", account)
}

#[cfg(feature = "cosmos")]
pub(super) fn cosmos() -> Target {
    cosmos_at(given("SAYSO_TEST_COSMOS"))
}

/// An account of Cosmos DB by its connection string.
#[cfg(feature = "cosmos")]
pub(super) fn cosmos_at(account: String) -> Target {
    let url = format!("cosmos:///{}/state?create=true", unique());
    Target::new("cosmos", url).by("AZURE_COSMOS_CONNECTION_STRING", account)
}

#[cfg(feature = "s3")]
pub(super) fn s3() -> Target {
    let place = given("SAYSO_TEST_S3");
    let (bucket, rest) = place.split_once('?').expect("the URL names an endpoint");
    let mut target = Target::new("s3", format!("{bucket}/{}?{rest}", unique()));
    // The servers of the tests take any key.
    for variable in ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"] {
        target.environment.push((variable, "test".to_owned()));
    }
    target
}
