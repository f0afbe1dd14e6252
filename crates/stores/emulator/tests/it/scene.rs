//! Scene of the tests: documents, and an emulator in this process that fails on request.

use std::{sync::Arc, time::Duration};

use azure_core::http::Url;
use azure_data_cosmos::{
    AccountReference, CosmosClient, CosmosRuntimeBuilder, RoutingStrategy,
    fault_injection::{
        FaultInjectionConditionBuilder, FaultInjectionResult, FaultInjectionRule,
        FaultInjectionRuleBuilder, FaultOperationType,
    },
};
use azure_data_cosmos_driver::in_memory_emulator::{
    ConsistencyLevel, InMemoryEmulatorHttpClient, VirtualAccountConfig, VirtualRegion,
};
use sayso_stores::{CosmosConfig, CosmosStore};
use sayso_turn::{
    Key,
    store::{ETag, Expect, Saved, Store, Write},
};

/// The emulator takes any key.
pub(super) const ANY_KEY: &str = "ZW11bGF0b3I=";

/// Pretended address of the emulator in this process. Nothing is ever sent there.
const NOWHERE: &str = "https://eastus.emulator.local/";

pub(super) fn key() -> Key {
    Key::new("webchat/conversations/c").unwrap()
}

pub(super) fn create(body: &str) -> Write {
    let (due, expires) = (None, None);
    Write {
        key: key(),
        expect: Expect::Absent,
        body: body.to_owned(),
        due,
        expires,
        participants: None,
    }
}

pub(super) fn replace(etag: &ETag, body: &str) -> Write {
    Write { expect: Expect::At(etag.clone()), ..create(body) }
}

pub(super) fn committed(saved: Saved) -> ETag {
    let Saved::Committed(etag) = saved else { panic!("it conflicted") };
    etag
}

/// The body that is stored; `None` when it is absent.
pub(super) async fn stored(store: &CosmosStore) -> Option<String> {
    store.load(&key()).await.unwrap().map(|stored| stored.body)
}

/// A fault of one kind of call, off until it is enabled.
pub(super) fn fault(
    call: FaultOperationType,
    result: FaultInjectionResult,
) -> Arc<FaultInjectionRule> {
    fault_named("fault", call, result)
}

/// As [`fault`], where a call has several: the first that applies counts.
pub(super) fn fault_named(
    name: &str,
    call: FaultOperationType,
    result: FaultInjectionResult,
) -> Arc<FaultInjectionRule> {
    let rule = rule(name, call, result).build();
    rule.disable();
    Arc::new(rule)
}

/// A fault of the first call of a kind.
pub(super) fn fault_once(
    call: FaultOperationType,
    result: FaultInjectionResult,
) -> Arc<FaultInjectionRule> {
    Arc::new(rule("once", call, result).with_hit_limit(1).build())
}

fn rule(
    name: &str,
    call: FaultOperationType,
    result: FaultInjectionResult,
) -> FaultInjectionRuleBuilder {
    let condition = FaultInjectionConditionBuilder::new().with_operation_type(call).build();
    let name = format!("{name} on {call:?}");
    FaultInjectionRuleBuilder::new(name, result).with_condition(condition)
}

/// A store on an emulator of its own, with injected faults.
pub(super) async fn store(faults: &[&Arc<FaultInjectionRule>]) -> CosmosStore {
    let base = Url::parse(NOWHERE).unwrap();
    let region = VirtualRegion::new("East US", base.clone());
    let account = VirtualAccountConfig::new(vec![region]).unwrap();
    let account = account.with_consistency(ConsistencyLevel::Session);
    let emulator = Arc::new(InMemoryEmulatorHttpClient::new(account));
    let faults = faults.iter().map(|rule| Arc::clone(rule)).collect();
    let runtime: CosmosRuntimeBuilder = emulator.runtime_builder_with_fault_rules(faults).into();
    let account = AccountReference::with_authentication_key(base.into(), ANY_KEY);
    let client = CosmosClient::builder()
        .with_runtime(runtime.build().await.unwrap())
        .build(account, RoutingStrategy::PreferredRegions(vec!["East US".into()]))
        .await
        .unwrap();
    let config = CosmosConfig::new(NOWHERE, "bots", "state").unwrap().create(true);
    let config = config.call_max(Duration::from_secs(3));
    CosmosStore::open_with(&client, config).await.unwrap()
}
