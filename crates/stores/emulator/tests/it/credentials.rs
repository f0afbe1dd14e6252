//! Credentials that change under load: two account keys, a file, tokens of a short life.

use std::{
    fs,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use async_trait::async_trait;
use azure_core::{
    credentials::{AccessToken, Secret, TokenCredential, TokenRequestOptions},
    hmac::hmac_sha256,
    time::OffsetDateTime,
};
use percent_encoding::percent_decode_str;
use sayso_stores::{CosmosConfig, CosmosStore};
use sayso_turn::store::{Error, Expect, Saved, Store, Write};

use super::{
    accounts::Account,
    scene::{committed, create, key, stored},
    server::config,
};

const KEY: [&str; 3] = ["b25lb25lb25l", "dHdvdHdvdHdv", "dGhyZWV0aHJl"];

/// Credentials that open the account at the moment: keys, and tokens with their end.
#[derive(Default)]
struct Door {
    keys: Mutex<Vec<String>>,
    tokens: Mutex<Vec<(String, Instant)>>,
    refused: AtomicU64,
}

impl Door {
    fn set_keys(&self, keys: &[&str]) {
        *self.keys.lock().unwrap() = keys.iter().map(|&key| key.to_owned()).collect();
    }

    fn refused(&self) -> u64 {
        self.refused.load(Ordering::SeqCst)
    }

    /// Checks the authorization of a request as the service does.
    fn lets_in(&self, request: &axum::http::request::Parts) -> bool {
        let header = |name: &str| {
            let value = request.headers.get(name)?;
            Some(percent_decode_str(value.to_str().ok()?).decode_utf8().ok()?.into_owned())
        };
        let given = header("authorization").unwrap_or_default();
        let is_right = match given.strip_prefix("type=aad&ver=1.0&sig=") {
            Some(token) => {
                let tokens = self.tokens.lock().unwrap();
                tokens.iter().any(|(known, until)| known == token && Instant::now() < *until)
            }
            None => {
                let text = to_sign(request, &header("x-ms-date").unwrap_or_default());
                self.keys.lock().unwrap().iter().any(|key| {
                    let signature = hmac_sha256(&text, &Secret::new(key.clone())).unwrap();
                    given == format!("type=master&ver=1.0&sig={signature}")
                })
            }
        };
        self.refused.fetch_add(u64::from(!is_right), Ordering::SeqCst);
        is_right
    }

    async fn account(self: &Arc<Self>) -> Account {
        let door = Arc::clone(self);
        let guard = move |request: &axum::http::request::Parts| door.lets_in(request);
        Account::serve(&[], |account| account, |emulator| emulator.guarded(guard)).await
    }
}

/// The text that a key signs, by "Access control in the Azure Cosmos DB SQL API".
fn to_sign(request: &axum::http::request::Parts, date: &str) -> String {
    let path = percent_decode_str(request.uri.path()).decode_utf8().unwrap().into_owned();
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    let (kind, link) = match (parts.len() % 2, parts.as_slice()) {
        (_, []) => ("", String::new()),
        (0, [.., kind, _]) => (*kind, parts.join("/")),
        (_, [owner @ .., kind]) => (*kind, owner.join("/")),
    };
    let method = request.method.as_str().to_lowercase();
    format!("{method}\n{kind}\n{link}\n{}\n\n", date.to_lowercase())
}

/// Acknowledged writes of a writer, however slow the machine is.
const WRITES_MIN: u64 = 6;

/// Writers that count up, each a document of its own, through whatever happens to the credentials.
struct Load {
    is_over: Arc<AtomicBool>,
    writers: Vec<tokio::task::JoinHandle<(u64, u64)>>,
}

impl Load {
    fn start(store: &Arc<CosmosStore>) -> Self {
        let is_over = Arc::new(AtomicBool::new(false));
        let writers = (0..4).map(|number| {
            let (store, is_over) = (Arc::clone(store), Arc::clone(&is_over));
            tokio::spawn(async move { count_up(&store, number, &is_over).await })
        });
        Self { writers: writers.collect(), is_over }
    }

    /// Ends the load; the number of acknowledged writes, all of which are there, and of refusals.
    async fn end(self, store: &CosmosStore) -> (u64, u64) {
        self.is_over.store(true, Ordering::SeqCst);
        let (mut acked, mut refused) = (0, 0);
        for (number, writer) in self.writers.into_iter().enumerate() {
            let (count, refusals) = writer.await.unwrap();
            let key = sayso_turn::Key::new(format!("writer/{number}")).unwrap();
            let body = store.load(&key).await.unwrap().unwrap().body;
            assert_eq!(body, count.to_string(), "what was acknowledged is there, once");
            (acked, refused) = (acked + count, refused + refusals);
        }
        (acked, refused)
    }
}

async fn count_up(store: &CosmosStore, number: usize, is_over: &AtomicBool) -> (u64, u64) {
    let key = sayso_turn::Key::new(format!("writer/{number}")).unwrap();
    let (mut count, mut refused, mut expect) = (0_u64, 0_u64, Expect::Absent);
    let start = Instant::now();
    while !is_over.load(Ordering::SeqCst) || count < WRITES_MIN {
        assert!(start.elapsed() < Duration::from_secs(60), "the load ends");
        let (body, expect_now) = ((count + 1).to_string(), expect.clone());
        let write = Write { key: key.clone(), expect: expect_now, ..create(&body) };
        match store.save(write).await {
            Ok(Saved::Committed(etag)) => (count, expect) = (count + 1, Expect::At(etag)),
            Ok(Saved::Conflict) => panic!("nobody else writes this"),
            // A refusal says that nothing happened.
            Err(Error::Unavailable { .. }) => refused += 1,
            Err(error) => panic!("{error:?}"),
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    (count, refused)
}

/// Waits until the store has written again.
async fn is_back(store: &CosmosStore, name: &str) {
    let (start, key) = (Instant::now(), sayso_turn::Key::new(name).unwrap());
    loop {
        match store.save(Write { key: key.clone(), ..create("{}") }).await {
            Ok(_) => return,
            Err(error) => assert!(matches!(error, Error::Unavailable { .. }), "{error:?}"),
        }
        assert!(start.elapsed() < Duration::from_secs(20), "it does not come back");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

async fn open(config: CosmosConfig) -> Arc<CosmosStore> {
    Arc::new(CosmosStore::open(config).await.unwrap())
}

/// Renewed as Azure's documentation says: the bot uses one key while the other is renewed.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_second_key_is_tried_and_kept_when_the_first_is_renewed_under_load() {
    let door = Arc::new(Door::default());
    door.set_keys(&[KEY[0], KEY[1]]);
    let account = door.account().await;
    let store = open(config(account.port).key(KEY[0]).second_key(KEY[1])).await;
    let load = Load::start(&store);
    is_back(&store, "before").await;
    assert_eq!(door.refused(), 0);
    door.set_keys(&[KEY[2], KEY[1]]);
    is_back(&store, "after").await;
    let refused = door.refused();
    for round in 0..20 {
        is_back(&store, &format!("later/{round}")).await;
    }
    assert!(refused > 0);
    // What was under way by the old key may still come in.
    assert!(door.refused() < refused + 8, "the key that is taken is kept");
    let (acked, unavailable) = load.end(&store).await;
    assert!(acked > 20, "{acked} acknowledged, {unavailable} refused");

    // Both are gone: loud, retryable, and healed when one is back.
    door.set_keys(&[]);
    let error = store.load(&key()).await.unwrap_err();
    assert!(matches!(error, Error::Unavailable { .. }), "{error:?}");
    assert!(error.to_string().contains("check the account key"), "{error}");
    door.set_keys(&[KEY[0]]);
    is_back(&store, "healed").await;
    // On opening it is a mistake.
    let error = CosmosStore::open(config(account.port).key(KEY[2])).await.unwrap_err();
    assert!(matches!(error, Error::Invalid { .. }), "{error:?}");
    // And so it is the second key that a new instance begins with, if need be.
    let _store = open(config(account.port).key(KEY[2]).second_key(KEY[0])).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_key_in_a_file_is_read_again_when_it_is_refused_under_load() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("key");
    fs::write(&path, format!("{}\n", KEY[0])).unwrap();
    let door = Arc::new(Door::default());
    door.set_keys(&[KEY[0]]);
    let account = door.account().await;
    let store = open(config(account.port).secret_file(&path)).await;
    let load = Load::start(&store);
    is_back(&store, "before").await;
    door.set_keys(&[KEY[1]]);
    let error = store.load(&key()).await.unwrap_err();
    assert!(matches!(error, Error::Unavailable { .. }), "{error:?}");
    fs::write(&path, format!("{}\n", KEY[1])).unwrap();
    is_back(&store, "after").await;
    let (acked, refused) = load.end(&store).await;
    assert!(acked > 10 && refused > 0, "{acked} acknowledged, {refused} refused");
    assert!(stored(&store).await.is_none());
}

/// The file may be written before the account knows the key, and the account may not answer just
/// when the key is tried first.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_key_that_comes_too_early_is_tried_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("key");
    fs::write(&path, KEY[0]).unwrap();
    let door = Arc::new(Door::default());
    door.set_keys(&[KEY[0]]);
    let account = door.account().await;
    let store = open(config(account.port).secret_file(&path)).await;
    door.set_keys(&[]);
    fs::write(&path, KEY[1]).unwrap();
    // It is read again, refused, and nothing changes for a while.
    let (start, before) = (Instant::now(), door.refused());
    while start.elapsed() < Duration::from_secs(4) {
        let error = store.load(&key()).await.unwrap_err();
        assert!(matches!(error, Error::Unavailable { .. }), "{error:?}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert!(door.refused() > before);
    door.set_keys(&[KEY[1]]);
    is_back(&store, "after").await;
}

/// Gives tokens that the door takes for as long as they live.
#[derive(Clone)]
struct Issuer {
    door: Arc<Door>,
    life: Duration,
    issued: Arc<AtomicU64>,
}

impl std::fmt::Debug for Issuer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Issuer")
    }
}

#[async_trait]
impl TokenCredential for Issuer {
    async fn get_token(
        &self,
        scopes: &[&str],
        _: Option<TokenRequestOptions<'_>>,
    ) -> azure_core::Result<AccessToken> {
        assert_eq!(scopes, ["https://cosmos.azure.com/.default"]);
        let number = self.issued.fetch_add(1, Ordering::SeqCst);
        let token = format!("token.{number}+/=");
        self.door.tokens.lock().unwrap().push((token.clone(), Instant::now() + self.life));
        Ok(AccessToken::new(token, OffsetDateTime::now_utc() + self.life))
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_store_works_beyond_the_life_of_its_tokens() {
    let (door, life, issued) = (Arc::new(Door::default()), Duration::from_secs(2), Arc::default());
    let issuer = Issuer { door: Arc::clone(&door), life, issued: Arc::clone(&issued) };
    let account = door.account().await;
    let store = open(config(account.port).credential(Arc::new(issuer))).await;
    let load = Load::start(&store);
    let start = Instant::now();
    while start.elapsed() < 3 * life {
        is_back(&store, &format!("{:?}", start.elapsed())).await;
    }
    let (acked, refused) = load.end(&store).await;
    let issued = issued.load(Ordering::SeqCst);
    // Renewed at half their life, one a second then, and not asked for with every request.
    let issued_max = start.elapsed().as_secs() + 6;
    assert!((4..=issued_max).contains(&issued), "{issued} tokens for {acked} writes");
    assert!(acked >= 4 * WRITES_MIN && refused == 0 && door.refused() == 0, "{acked}, {refused}");
    // One that is withdrawn before its time is replaced.
    door.tokens.lock().unwrap().clear();
    let _etag = committed(store.save(create("[1]")).await.unwrap());
}
