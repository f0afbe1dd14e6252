//! Authentication: the client of an account, with another key when the one in use is refused.

use std::{env, sync::Arc};

use azure_core::credentials::{Secret, TokenCredential};
use azure_data_cosmos::{
    AccountReference, CosmosClient, CosmosRuntime, RoutingStrategy, options::Region,
};
use sayso_turn::store::Error;

use super::{
    config::{Access, CosmosConfig},
    failure::{Aim, sort},
    patience::within,
};
use crate::{
    entra::{Entra, Tokens},
    secrets::{self, Hidden, Secrets},
};

/// The scope of tokens for Cosmos DB.
const SCOPE: &str = "https://cosmos.azure.com/.default";

/// An account and the credentials for it.
pub(super) struct Account {
    pub(super) config: CosmosConfig,
    pub(super) credentials: Credentials,
}

/// Credentials of an account.
pub(super) enum Credentials {
    Keys(Secrets<Hidden>),
    Tokens(Arc<Tokens>),
}

impl Account {
    /// The account that the configuration names. Nothing is sent.
    pub(super) fn new(config: &CosmosConfig) -> Result<Self, Error> {
        let credentials = credentials(config).map_err(|reason| Error::Invalid {
            store: config.name().into(),
            reason,
            source: None,
        })?;
        Ok(Self { config: config.clone(), credentials })
    }

    /// Connects with the credentials in use.
    pub(super) async fn connect(&self) -> Result<CosmosClient, Error> {
        let config = &self.config;
        let store = config.name();
        let failed = |error| sort(&store, Aim::SetUp, error);
        let endpoint = config.endpoint.clone().into();
        let account = match &self.credentials {
            Credentials::Keys(keys) => {
                let key = Secret::new(keys.current().secret.expose().to_owned());
                AccountReference::with_authentication_key(endpoint, key)
            }
            Credentials::Tokens(tokens) => {
                let credential = Arc::clone(tokens) as Arc<dyn TokenCredential>;
                AccountReference::with_credential(endpoint, credential)
            }
        };
        let routing = match &config.region {
            Some(region) => RoutingStrategy::ProximityTo(Region::new(region.clone())),
            None => RoutingStrategy::PreferredRegions(Vec::new()),
        };
        // One of its own: what a shared one starts ends with the async runtime that was first.
        let runtime = CosmosRuntime::builder().build().await.map_err(failed)?;
        let client = CosmosClient::builder().with_runtime(runtime).build(account, routing);
        let client = within(config.call_max, client).await.map_err(|late| late.of_read(&store))?;
        client.map_err(failed)
    }

    /// The number of times that another key was turned to; tokens do not need another client.
    pub(super) fn key_version(&self) -> u64 {
        match &self.credentials {
            Credentials::Keys(keys) => keys.current().version(),
            Credentials::Tokens(_) => 0,
        }
    }

    /// Notes that the key in use was refused; true if there is another one, which needs a client of
    /// its own.
    pub(super) fn has_other_key(&self) -> bool {
        match &self.credentials {
            Credentials::Keys(keys) => keys.refused(keys.current().version()),
            Credentials::Tokens(_) => false,
        }
    }

    /// Notes that the token in use was refused; true if the client gets another one now.
    pub(super) fn has_other_token(&self) -> bool {
        match &self.credentials {
            Credentials::Keys(_) => false,
            Credentials::Tokens(tokens) => tokens.refused(tokens.number()),
        }
    }
}

fn credentials(config: &CosmosConfig) -> Result<Credentials, String> {
    let text = |name: &str| env::var(name).ok().filter(|value| !value.is_empty());
    let hidden = |key: &Secret| Hidden::new(key.secret().to_owned());
    let second = || {
        let given = config.second_key.as_ref().map(hidden);
        given.or_else(|| text("AZURE_COSMOS_SECONDARY_KEY").map(Hidden::new))
    };
    let entra = match &config.access {
        Access::Key(key) => return Ok(Credentials::Keys(Secrets::fixed(hidden(key), second()))),
        Access::File(path) => {
            return Ok(Credentials::Keys(Secrets::from_file(path, secrets::lines)?));
        }
        Access::Credential(credential) => {
            let tokens = Tokens::new(Arc::clone(credential), SCOPE);
            return Ok(Credentials::Tokens(Arc::new(tokens)));
        }
        Access::Environment => {
            if let Some(path) = secrets::file_of_environment() {
                return Ok(Credentials::Keys(Secrets::from_file(&path, secrets::lines)?));
            }
            if let Some(key) = text("AZURE_COSMOS_KEY") {
                return Ok(Credentials::Keys(Secrets::fixed(Hidden::new(key), second())));
            }
            Entra::Automatic
        }
        Access::Entra(entra) => *entra,
    };
    let credential = entra.credential().map_err(|_| {
        "there is no account key and no identity: set AZURE_COSMOS_KEY, or log in".to_owned()
    })?;
    Ok(Credentials::Tokens(Arc::new(Tokens::new(credential, SCOPE))))
}
