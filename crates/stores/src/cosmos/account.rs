//! Authentication: the client of an account.

use std::{env, sync::Arc};

use azure_core::credentials::Secret;
use azure_data_cosmos::{
    AccountReference, CosmosClient, CosmosRuntime, RoutingStrategy, options::Region,
};
use sayso_turn::store::Error;

use super::{
    config::{Access, CosmosConfig},
    failure::{Aim, sort},
    patience::within,
};
use crate::entra::Entra;

/// Connects to the account that the configuration names.
pub(super) async fn connect(config: &CosmosConfig) -> Result<CosmosClient, Error> {
    let store = config.name();
    let failed = |error| sort(&store, Aim::SetUp, error);
    let account = reference(config)?;
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

fn reference(config: &CosmosConfig) -> Result<AccountReference, Error> {
    let endpoint = config.endpoint.clone().into();
    let entra = match &config.access {
        Access::Key(key) => {
            return Ok(AccountReference::with_authentication_key(endpoint, key.clone()));
        }
        Access::Credential(credential) => {
            return Ok(AccountReference::with_credential(endpoint, Arc::clone(credential)));
        }
        Access::Environment => {
            if let Some(key) = env::var("AZURE_COSMOS_KEY").ok().filter(|key| !key.is_empty()) {
                let key = Secret::new(key);
                return Ok(AccountReference::with_authentication_key(endpoint, key));
            }
            Entra::Automatic
        }
        Access::Entra(entra) => *entra,
    };
    let credential = entra.credential().map_err(|error| Error::Invalid {
        store: config.name().into(),
        reason: "there is no account key and no identity: set AZURE_COSMOS_KEY, or log in".into(),
        source: Some(Box::new(error)),
    })?;
    Ok(AccountReference::with_credential(endpoint, credential))
}
