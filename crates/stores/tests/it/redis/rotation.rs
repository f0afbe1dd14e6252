//! Passwords and tokens that change under load.

use std::{
    fs,
    time::{Duration, Instant},
};

use sayso_stores::RedisStore;
use sayso_turn::store::{Error, Store};

use super::{failover::load::Load, key, server::Server};

/// The user that stays when the password of everybody else changes.
const ADMIN: [&str; 7] = ["ACL", "SETUSER", "admin", "on", "nopass", "~*", "+@all"];

/// Sends a command as the administrator.
async fn tell<T: ::redis::FromRedisValue>(server: &Server, command: &[&str]) -> T {
    let url = server.url().replace("//", "//admin:any@");
    super::server::tell(&url, command).await
}

async fn is_back(store: &RedisStore) {
    let start = Instant::now();
    while let Err(error) = store.load(&key("none")).await {
        assert!(matches!(error, Error::Unavailable { .. }), "{error:?}");
        assert!(start.elapsed() < Duration::from_secs(10), "it does not come back: {error}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_password_in_a_file_is_changed_under_load_and_nothing_is_lost() {
    let server = Server::start(&["--requirepass", "first"]);
    let first = server.url().replace("//", "//:first@");
    let () = super::server::tell(&first, &ADMIN).await;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("password");
    fs::write(&path, "first\n").unwrap();
    let url = format!("{}?secret-file={}", server.url(), path.display());
    let load = Load::start(&url).await;
    let store = RedisStore::open_url(&url).await.unwrap();
    let mut back = Duration::ZERO;
    for password in ["second", "third"] {
        let () = tell(&server, &["CONFIG", "SET", "requirepass", password]).await;
        // What it has let in it lets stay.
        let killed: u64 = tell(&server, &["CLIENT", "KILL", "USER", "default"]).await;
        assert!(killed > 2, "there was load");
        // The file follows a moment later, as a mounted secret does.
        let start = Instant::now();
        loop {
            match store.load(&key("none")).await {
                Err(error) if error.to_string().contains("password is wrong") => break,
                _ => assert!(start.elapsed() < Duration::from_secs(10), "nobody asks"),
            }
        }
        fs::write(&path, format!("{password}\n")).unwrap();
        is_back(&store).await;
        back = back.max(load.is_back(Instant::now()).await);
    }
    load.settle("password changed twice", back).await;
    // On opening it is a mistake, and never shown.
    fs::write(&path, "hunter2\n").unwrap();
    let error = RedisStore::open_url(&url).await.unwrap_err();
    assert!(matches!(error, Error::Invalid { .. }), "{error:?}");
    assert!(!format!("{error} {error:?}").contains("hunter2"), "{error:?}");
    fs::remove_file(&path).unwrap();
    let error = RedisStore::open_url(&url).await.unwrap_err();
    assert!(error.to_string().contains("the secret file"), "{error}");
}

#[cfg(feature = "entra")]
mod tokens {
    use std::sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    };

    use async_trait::async_trait;
    use azure_core::{
        credentials::{AccessToken, TokenCredential, TokenRequestOptions},
        time::OffsetDateTime,
    };
    use sayso_stores::redis::RedisConfig;
    use sayso_turn::store::Saved;

    use super::*;
    use crate::redis::create;

    /// Gives tokens of a short life. The server takes the two newest.
    #[derive(Debug)]
    struct Issuer {
        url: String,
        life: Duration,
        issued: Arc<AtomicU64>,
    }

    #[async_trait]
    impl TokenCredential for Issuer {
        async fn get_token(
            &self,
            scopes: &[&str],
            _: Option<TokenRequestOptions<'_>>,
        ) -> azure_core::Result<AccessToken> {
            assert_eq!(scopes, ["https://redis.azure.com/.default"]);
            let number = self.issued.fetch_add(1, Ordering::SeqCst);
            let token = format!("token.{number}");
            let mut command = vec!["ACL".to_owned(), "SETUSER".to_owned(), "bot".to_owned()];
            command.extend(["on", "~*", "+@all"].map(str::to_owned));
            command.push(format!(">{token}"));
            if number >= 2 {
                command.push(format!("<token.{}", number - 2));
            }
            let command: Vec<_> = command.iter().map(String::as_str).collect();
            let () = crate::redis::server::tell(&self.url, &command).await;
            Ok(AccessToken::new(token, OffsetDateTime::now_utc() + self.life))
        }
    }

    /// The connections of the bot.
    async fn connections(server: &Server) -> Vec<String> {
        let list: String = server.tell(&["CLIENT", "LIST"]).await;
        let of_bot = list.lines().filter(|line| line.contains(" user=bot "));
        let mut ids: Vec<_> =
            of_bot.filter_map(|line| line.split(' ').next().map(str::to_owned)).collect();
        ids.sort();
        ids
    }

    /// The number of times that anybody has presented a password.
    async fn auths(server: &Server) -> u64 {
        let stats: String = server.tell(&["INFO", "commandstats"]).await;
        let calls = stats.lines().find_map(|line| line.strip_prefix("cmdstat_auth:calls="));
        calls.map_or(0, |calls| calls.split(',').next().unwrap().parse().unwrap())
    }

    #[tokio::test]
    async fn a_living_connection_presents_a_new_token_before_the_old_one_expires() {
        let server = Server::start(&[]);
        let (life, issued) = (Duration::from_secs(2), Arc::new(AtomicU64::new(0)));
        let issuer = Issuer { url: server.url(), life, issued: Arc::clone(&issued) };
        let url = server.url().replace("//", "//bot@");
        let config = RedisConfig::from_url(&url).unwrap().with_credential(Arc::new(issuer));
        let store = RedisStore::open(config).await.unwrap();
        let write = async |number: u64| {
            let saved = store.save(create(&format!("k{number}"), "{}")).await;
            assert!(matches!(saved, Ok(Saved::Committed(_))), "{saved:?}");
        };
        // Enough for both connections to be there.
        for number in 0..64 {
            write(number).await;
        }
        let (before, presented) = (connections(&server).await, auths(&server).await);
        let start = Instant::now();
        let mut number = 64;
        while start.elapsed() < 3 * life {
            write(number).await;
            number += 1;
        }
        assert_eq!(connections(&server).await, before, "no connection was made anew");
        let presented = auths(&server).await - presented;
        let issued = issued.load(Ordering::SeqCst);
        assert!((4..=9).contains(&issued), "renewed at half their life: {issued}");
        assert!(presented >= 4 && presented <= 3 * issued, "{presented} for {issued} tokens");
        // A new connection presents the one that is valid now.
        let killed: u64 = server.tell(&["CLIENT", "KILL", "USER", "bot"]).await;
        assert!(killed > 0);
        is_back(&store).await;
    }

    #[tokio::test]
    async fn a_token_is_not_sent_in_the_clear() {
        let error = RedisStore::open_url("redis://bot@cache.example?auth=entra").await.unwrap_err();
        assert!(matches!(error, Error::Invalid { .. }), "{error:?}");
        assert!(error.to_string().contains("over TLS only"), "{error}");
    }
}
