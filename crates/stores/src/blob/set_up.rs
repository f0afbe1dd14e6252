//! Opens the container: makes the client, creates what is missing, checks that the container is
//! private and that index tags work if they are used.

use std::{net::IpAddr, sync::Arc};

use azure_core::{
    credentials::{Secret, TokenCredential},
    http::{ClientOptions, RetryOptions, Url, policies::Policy},
};
use azure_storage_blob::{
    BlobContainerClient, BlobContainerClientOptions,
    models::{
        BlobContainerClientGetPropertiesResultHeaders as _, BlobContainerClientListBlobsOptions,
    },
};
use sayso_turn::{clock::Timestamp, store::Error};

use super::{
    access::Access,
    config::{BlobConfig, DueBy},
    container::Container,
    failure::{Call, Failures, Refusal},
    signing::{By, Signed, Spaced},
};
use crate::{
    entra::Tokens,
    secrets::{self, Hidden, Secrets},
};

/// The scope of tokens for storage.
const SCOPE: &str = "https://storage.azure.com/.default";

const SAS: &str = "a SAS token";

const NO_IDENTITY: &str = "there is no way to sign in to Entra ID; set AZURE_TENANT_ID, \
     AZURE_CLIENT_ID and AZURE_CLIENT_SECRET, run `az login`, or use a key";

impl Container {
    /// Makes the client. Nothing is sent yet.
    pub(super) fn connect(config: &BlobConfig, store: Arc<str>) -> Result<Self, Error> {
        let failures = Failures::new(store);
        check_name(&config.container).map_err(|reason| failures.invalid(reason))?;
        let mut url = config.service()?;
        if let Ok(mut path) = url.path_segments_mut() {
            let _path = path.pop_if_empty().push(&config.container);
        }
        // The library would repeat a write whose answer was lost and report its own as a conflict.
        let mut options = ClientOptions { retry: RetryOptions::none(), ..Default::default() };
        let mut credential = None;
        let policy: Arc<dyn Policy> = match &config.access {
            Access::Entra(entra) => {
                check_https(&url, "a token of Entra ID")
                    .map_err(|reason| failures.invalid(reason))?;
                let made = entra.credential().map_err(|_| failures.invalid(NO_IDENTITY.to_owned()));
                // With a memory of its own: a developer's credential starts a program for a token.
                credential = Some(Arc::new(Tokens::new(made?, SCOPE)) as Arc<dyn TokenCredential>);
                Arc::new(Spaced)
            }
            Access::Key(_) | Access::Sas(_) | Access::File(_) => {
                Arc::new(signed(config, &url).map_err(|reason| failures.invalid(reason))?)
            }
        };
        options.per_try_policies.push(policy);
        let options = BlobContainerClientOptions { client_options: options, ..Default::default() };
        let client = BlobContainerClient::new(url, credential, Some(options))
            .map_err(|_| failures.invalid("its address is not one of a container".to_owned()))?;
        Ok(Self { client, failures, timeout: config.timeout })
    }

    /// Makes sure that the container exists and is fit for use.
    pub(super) async fn set_up(&self, config: &BlobConfig) -> Result<(), Error> {
        match self.ask(Call::Read, async { self.client.get_properties(None).await }).await {
            Ok(properties) => {
                if properties.access().ok().flatten().is_some() {
                    return Err(self.failures.invalid(format!(
                        "anybody can read the container {0}; turn its public access off (az storage \
                         container set-permission --name {0} --public-access off)",
                        config.container
                    )));
                }
            }
            Err(Refusal::NoContainer) => self.create(config).await?,
            // A signature for a container does not cover asking about it; listing it does.
            Err(Refusal::Error(Error::Invalid { .. }))
                if matches!(config.access, Access::Sas(_) | Access::File(_)) =>
            {
                self.list_one().await?;
            }
            Err(refusal) => return Err(self.error(Call::Read, refusal)),
        }
        if config.due_by == DueBy::Tags {
            self.check_tags().await?;
        }
        Ok(())
    }

    async fn create(&self, config: &BlobConfig) -> Result<(), Error> {
        if !config.creates_container {
            return Err(self.failures.no_container());
        }
        // Without a word about access it is private.
        match self.ask(Call::Write, async { self.client.create(None).await }).await {
            Ok(_) | Err(Refusal::Conflict) => Ok(()),
            Err(refusal) => Err(self.error(Call::Write, refusal)),
        }
    }

    async fn list_one(&self) -> Result<(), Error> {
        let options =
            BlobContainerClientListBlobsOptions { maxresults: Some(1), ..Default::default() };
        let mut pages = self.pages(self.client.list_blobs(Some(options)))?;
        self.next(&mut pages).await.map(drop)
    }

    async fn check_tags(&self) -> Result<(), Error> {
        let mut pages = self.tagged(Timestamp::START, None)?;
        match self.next(&mut pages).await {
            Err(Error::Invalid { reason, .. }) => Err(self.failures.invalid(format!(
                "blob index tags cannot be used here: {reason}; open the store with due=list to do \
                 without them"
            ))),
            other => other.map(drop),
        }
    }
}

/// Authorization by keys or SAS tokens.
fn signed(config: &BlobConfig, url: &Url) -> Result<Signed, String> {
    let by_key = |secrets| Ok(Signed { secrets, by: By::Key { account: account(config)? } });
    let by_token = |secrets| {
        check_https(url, SAS)?;
        Ok(Signed { secrets, by: By::Token })
    };
    match &config.access {
        Access::File(path) => {
            let first = Secrets::from_file(path, secrets::lines)?.current().secret;
            match is_token(&first) {
                true => by_token(Secrets::from_file(path, tokens)?),
                false => by_key(Secrets::from_file(path, keys)?),
            }
        }
        Access::Sas(token) => by_token(Secrets::fixed(tokens(token.secret())?.remove(0), None)),
        Access::Key(key) => {
            let hidden = |key: &Secret| Ok::<_, String>(keys(key.secret())?.remove(0));
            let second = config.second_key.as_ref().map(hidden).transpose()?;
            by_key(Secrets::fixed(hidden(key)?, second))
        }
        Access::Entra(_) => Err("there is no key and no SAS token".to_owned()),
    }
}

fn account(config: &BlobConfig) -> Result<String, String> {
    config.account().map_err(|error| error.to_string())
}

/// Account keys, one a line.
fn keys(text: &str) -> Result<Vec<Hidden>, &'static str> {
    let keys = secrets::lines(text)?;
    let is_key = |key: &Hidden| {
        azure_core::base64::decode(key.expose()).is_ok_and(|bytes| !bytes.is_empty())
    };
    match keys.iter().all(is_key) {
        true => Ok(keys),
        false => Err("the account's key is not base64; copy it anew from the portal"),
    }
}

/// SAS tokens, one a line.
fn tokens(text: &str) -> Result<Vec<Hidden>, &'static str> {
    let tokens = secrets::lines(text)?.into_iter();
    let tokens = tokens.map(|token| Hidden::new(token.expose().trim_start_matches('?')));
    let tokens: Vec<Hidden> = tokens.collect();
    match tokens.iter().all(is_token) {
        true => Ok(tokens),
        false => Err("the SAS token has no `sig`; copy it anew from the portal"),
    }
}

fn is_token(secret: &Hidden) -> bool {
    let mut parts = secret.expose().trim_start_matches('?').split('&');
    parts.any(|part| part.strip_prefix("sig=").is_some_and(|value| !value.is_empty()))
}

/// Checks a container's name by the service's rule.
fn check_name(name: &str) -> Result<(), String> {
    let fits = (3..=63).contains(&name.len())
        && name
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
        && !name.starts_with('-')
        && !name.ends_with('-')
        && !name.contains("--");
    if fits {
        return Ok(());
    }
    Err(format!(
        "`{}` is not a valid container name; use 3 to 63 lower-case letters, digits and single hyphens",
        name.escape_debug()
    ))
}

/// Refuses plain HTTP for credentials that are secret as they stand.
fn check_https(url: &Url, what: &str) -> Result<(), String> {
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    let address = host.parse::<IpAddr>();
    let is_local = host == "localhost" || address.is_ok_and(|address| address.is_loopback());
    if url.scheme() == "https" || is_local && what == SAS {
        return Ok(());
    }
    Err(format!("{what} is sent by https only; use https or a key"))
}
