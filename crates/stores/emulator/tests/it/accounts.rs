//! Accounts that void the promise or weaken it.

use azure_core::http::Url;
use azure_data_cosmos_driver::in_memory_emulator::{
    ConsistencyLevel, VirtualAccountConfig, VirtualRegion, WriteMode,
};
use sayso_cosmos_emulator::Emulator;
use sayso_stores::CosmosStore;
use sayso_turn::store::Error;
use tokio::{net::TcpListener, task::AbortHandle};

use super::{
    scene::{committed, create},
    server::config,
};

/// A served account. It ends when dropped.
pub(super) struct Account {
    pub(super) port: u16,
    task: AbortHandle,
}

impl Drop for Account {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Account {
    /// Serves an account with a region at its own address, and others that nobody asks.
    pub(super) async fn serve(
        others: &[&str],
        change: impl FnOnce(VirtualAccountConfig) -> VirtualAccountConfig,
        guard: impl FnOnce(Emulator) -> Emulator,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let base = Url::parse(&format!("http://127.0.0.1:{port}/")).unwrap();
        let mut regions = vec![VirtualRegion::new("East US", base.clone())];
        for (number, name) in others.iter().enumerate() {
            let url = format!("http://localhost:{}/", usize::from(port) - 1 - number);
            regions.push(VirtualRegion::new(name, Url::parse(&url).unwrap()));
        }
        let account = change(VirtualAccountConfig::new(regions).unwrap());
        let emulator = guard(Emulator::new(account, base));
        let task = tokio::spawn(emulator.serve(listener)).abort_handle();
        Self { port, task }
    }
}

#[tokio::test]
async fn an_account_with_several_write_regions_is_refused() {
    let several = Account::serve(
        &["West US"],
        |account| account.with_write_mode(WriteMode::Multi),
        |emulator| emulator,
    );
    let several = several.await;
    let error = CosmosStore::open(config(several.port)).await.unwrap_err();
    assert!(matches!(error, Error::Invalid { .. }), "{error:?}");
    assert!(error.to_string().contains("several write regions"), "{error}");
    assert!(error.to_string().contains("--enable-multiple-write-locations false"), "{error}");

    // Several regions of which one takes writes are well.
    let one = Account::serve(&["West US"], |account| account, |emulator| emulator).await;
    let store = CosmosStore::open(config(one.port)).await.unwrap();
    assert_eq!(store.warnings(), Vec::<String>::new());
    let _etag = committed(sayso_turn::store::Store::save(&store, create("[1]")).await.unwrap());
}

#[tokio::test]
async fn a_consistency_weaker_than_session_is_warned_about() {
    for (level, is_weak) in [
        (ConsistencyLevel::Eventual, true),
        (ConsistencyLevel::ConsistentPrefix, true),
        (ConsistencyLevel::Session, false),
        (ConsistencyLevel::BoundedStaleness, false),
        (ConsistencyLevel::Strong, false),
    ] {
        let account = Account::serve(&[], |account| account.with_consistency(level), |own| own);
        let account = account.await;
        let store = CosmosStore::open(config(account.port)).await.unwrap();
        let warned = store.warnings().join("\n");
        assert_eq!(
            warned.contains("set it to Session or stronger"),
            is_weak,
            "{level:?}: {warned}"
        );
        assert_eq!(warned.contains(level.as_str()), is_weak, "{warned}");
    }
}
