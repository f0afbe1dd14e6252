//! Passwords and tokens that change under load.

use std::{
    fs,
    sync::Arc,
    time::{Duration, Instant},
};

use sayso_stores::{PostgresStore, postgres::PostgresConfig};
use sayso_turn::store::{Error, Store};
use tokio_postgres::Client;

use super::{key, load::Load, private::Server};

/// Ends all connections of the bot.
const END: &str = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'bot'";

/// A server that asks the user `bot` for a password, and a connection that needs none.
async fn server() -> (Server, Client) {
    let mut server = Server::start(&[]).await;
    let admin = super::connect(&server.url()).await;
    admin.batch_execute("CREATE ROLE bot LOGIN PASSWORD 'first'").await.unwrap();
    admin.batch_execute("CREATE DATABASE bot OWNER bot").await.unwrap();
    drop(admin);
    server.stop();
    let hba = server.folder().join("hba");
    fs::write(&hba, "host all postgres all trust\nhost all bot all scram-sha-256\n").unwrap();
    server.start_again(&["-c", &format!("hba_file={}", hba.display())]).await;
    let admin = super::connect(&server.url()).await;
    (server, admin)
}

fn url(server: &Server) -> String {
    format!("postgres://bot@127.0.0.1:{}/bot", server.port())
}

/// Waits until the store writes and reads again.
async fn is_back(store: &PostgresStore) {
    let start = Instant::now();
    while let Err(error) = store.load(&key("none")).await {
        assert!(matches!(error, Error::Unavailable { .. }), "{error:?}");
        assert!(start.elapsed() < Duration::from_secs(10), "it does not come back: {error}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_password_in_a_file_is_changed_under_load_and_nothing_is_lost() {
    let (server, admin) = server().await;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("password");
    fs::write(&path, "first\n").unwrap();
    let url = format!("{}?secret-file={}", url(&server), path.display());
    let open = async || Arc::new(PostgresStore::open_url(&url).await.unwrap());
    let (one, two) = (open().await, open().await);
    let load = Load::start([Arc::clone(&one), Arc::clone(&two)]);
    let since = Instant::now();
    for password in ["second", "third"] {
        admin.batch_execute(&format!("ALTER ROLE bot PASSWORD '{password}'")).await.unwrap();
        // Connections that are open stay so; it is the new ones that are asked.
        let ended = admin.query(END, &[]).await.unwrap();
        assert!(!ended.is_empty(), "there was load");
        // The file follows a moment later, as a mounted secret does.
        for store in [&one, &two] {
            let start = Instant::now();
            while store.load(&key("none")).await.is_ok() {
                assert!(start.elapsed() < Duration::from_secs(10), "nobody asks for a password");
            }
        }
        fs::write(&path, format!("{password}\n")).unwrap();
        is_back(&one).await;
        is_back(&two).await;
    }
    // However slow the machine is.
    let writes = || one.stats().writes + two.stats().writes;
    let (start, before) = (Instant::now(), writes());
    while writes() < before + 200 && start.elapsed() < Duration::from_secs(60) {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let figures = load.end(since, &one).await;
    figures.assert_good(Duration::from_secs(10));
    assert!(figures.refused > 0, "{figures}");
    // A file with a wrong password is a mistake on opening, and its content is not shown.
    fs::write(&path, "hunter2\n").unwrap();
    let error = PostgresStore::open_url(&url).await.unwrap_err();
    assert!(matches!(error, Error::Invalid { .. }), "{error:?}");
    assert!(!format!("{error} {error:?}").contains("hunter2"), "{error:?}");
    fs::remove_file(&path).unwrap();
    let error = PostgresStore::open_url(&url).await.unwrap_err();
    assert!(matches!(error, Error::Invalid { .. }), "{error:?}");
    assert!(error.to_string().contains("the secret file"), "{error}");
}

/// With both in the file nobody notices.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_passwords_in_a_file_the_one_that_is_taken_is_used() {
    let (server, admin) = server().await;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("password");
    fs::write(&path, "first\nsecond\n").unwrap();
    let config = PostgresConfig::from_url(&url(&server)).unwrap().secret_file(&path);
    let store = PostgresStore::open(config).await.unwrap();
    for password in ["second", "first"] {
        admin.batch_execute(&format!("ALTER ROLE bot PASSWORD '{password}'")).await.unwrap();
        drop(admin.query(END, &[]).await.unwrap());
        // One call may meet a session that has just ended.
        drop(store.load(&key("none")).await);
        assert!(store.load(&key("none")).await.is_ok(), "{password}");
    }
}

#[cfg(feature = "entra")]
mod tokens {
    use std::sync::atomic::{AtomicU64, Ordering};

    use async_trait::async_trait;
    use azure_core::{
        credentials::{AccessToken, TokenCredential, TokenRequestOptions},
        time::OffsetDateTime,
    };

    use super::*;

    /// Gives tokens of a short life, which the server takes as the password for so long.
    struct Issuer {
        admin: Client,
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
            assert_eq!(scopes, ["https://ossrdbms-aad.database.windows.net/.default"]);
            let token = format!("token.{}", self.issued.fetch_add(1, Ordering::SeqCst));
            let seconds = self.life.as_secs();
            let sql = format!(
                "DO $$ BEGIN EXECUTE format('ALTER ROLE bot PASSWORD %L VALID UNTIL %L', \
                 '{token}', now() + interval '{seconds} s'); END $$"
            );
            self.admin.batch_execute(&sql).await.unwrap();
            Ok(AccessToken::new(token, OffsetDateTime::now_utc() + self.life))
        }
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn new_connections_present_a_token_that_is_valid_however_long_the_store_is_open() {
        let (server, admin) = server().await;
        let (life, issued) = (Duration::from_secs(2), Arc::new(AtomicU64::new(0)));
        let issuer_admin = crate::postgres::connect(&server.url()).await;
        let issuer = Issuer { admin: issuer_admin, life, issued: Arc::clone(&issued) };
        let config = PostgresConfig::from_url(&url(&server)).unwrap().credential(Arc::new(issuer));
        let one = Arc::new(PostgresStore::open(config.clone()).await.unwrap());
        let two = Arc::new(PostgresStore::open(config).await.unwrap());
        let load = Load::start([Arc::clone(&one), Arc::clone(&two)]);
        let since = Instant::now();
        while since.elapsed() < 3 * life {
            drop(admin.query(END, &[]).await.unwrap());
            is_back(&one).await;
            is_back(&two).await;
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        let figures = load.end(since, &one).await;
        figures.assert_good(Duration::from_secs(5));
        assert!(issued.load(Ordering::SeqCst) >= 4, "{figures}");
        // The server ends a token's life itself.
        let old = format!("postgres://bot:token.0@127.0.0.1:{}/bot", server.port());
        assert!(tokio_postgres::connect(&old, tokio_postgres::NoTls).await.is_err());
    }

    #[tokio::test]
    async fn a_token_is_not_sent_in_the_clear() {
        for parameters in ["", "&sslmode=prefer", "&sslmode=disable"] {
            let url = format!("postgres://bot@db.example/bot?auth=entra{parameters}");
            let error = PostgresStore::open_url(&url).await.unwrap_err();
            assert!(matches!(error, Error::Invalid { .. }), "{error:?}");
            assert!(error.to_string().contains("over TLS only"), "{error}");
        }
    }
}
