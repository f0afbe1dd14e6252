//! URLs of Redis: what they mean, and why one is refused.

use super::*;

#[test]
fn urls_say_where_and_under_which_prefix() {
    for (url, expected) in [
        ("redis://127.0.0.1", "Redis at 127.0.0.1:6379/0 (sayso)"),
        ("valkey://v:1/3", "Redis at v:1/3 (sayso)"),
        ("rediss://u:p@h:6380?prefix=a:b", "Redis at h:6380/0 (a:b)"),
        ("redis+cluster://a:1,b:2/", "Redis cluster at a:1,b:2 (sayso)"),
        (
            "rediss+cluster://u:p@a:1,b?prefix=x&durability=strict",
            "Redis cluster at a:1,b:6379 (x)",
        ),
        (
            "redis+sentinel://u:p@a:1,b,[::1]/m/2?wait=1",
            "Redis m by sentinels at a:1,b:26379,::1:26379/2 (sayso)",
        ),
        ("rediss+sentinel://a/m", "Redis m by sentinels at a:26379/0 (sayso)"),
    ] {
        let config = RedisConfig::from_url(url).unwrap();
        assert_eq!(config.to_string(), expected);
        assert_eq!(config.is_encrypted(), url.starts_with("rediss"));
        assert!(config.nodes.iter().all(|node| node.tcp_settings().nodelay()));
    }
    let config = RedisConfig::from_url("redis+cluster://u:p@a:1,b:2").unwrap();
    assert!(config.nodes.iter().all(|node| node.redis_settings().password() == Some("p")));
    let config = RedisConfig::from_url("redis://h?durability=relaxed").unwrap();
    assert_eq!(config.durability, Durability::Relaxed);
    assert_eq!(config.acks, None);
    let config = RedisConfig::from_url("redis+cluster://h?wait=2").unwrap();
    assert_eq!(config.acks, Acks::parse("2"));
}

#[test]
fn a_bad_url_is_refused_in_one_sentence_without_its_password() {
    for (url, why) in [
        ("", "no Redis URL"),
        ("localhost", "no Redis URL"),
        ("http://:hunter2@h", "no Redis URL"),
        ("redis://:hunter2@", "no Redis URL"),
        ("redis://:hunter2@h:port", "no Redis URL"),
        ("redis://:hunter2@h/zero", "no Redis URL"),
        ("redis+unix:///tmp/hunter2", "no Redis URL"),
        ("redis+cluster://:hunter2@h:1/2", "one database only"),
        ("redis+cluster://:hunter2@h:1,,b", "no Redis URL"),
        ("redis://:hunter2@h?prefix=", "1 to 64 letters"),
        ("redis://:hunter2@h?prefix={a}", "1 to 64 letters"),
        ("redis://:hunter2@h?prefix=a*", "1 to 64 letters"),
        ("redis://:hunter2@h?durability=no", "strict or relaxed"),
        ("redis://:hunter2@h?x", "unknown parameter `x`"),
        ("redis://:hunter2@h?secret-file=/a", "leave one of them out"),
        ("redis://h?secret-file=/a&auth=entra", "leave one of them out"),
        ("rediss://h?auth=hunter2", "entra, managed or developer"),
        ("rediss://h?sslcert=/a", "go together"),
        ("redis://h?sslcert=/a&sslkey=/b", "need rediss://"),
        ("redis+cluster://h?sslrootcert=/a", "need rediss://"),
        ("redis://:hunter2@h?wait=0", "a number of replicas, 1 to 16"),
        ("redis://:hunter2@h?wait", "a number of replicas, 1 to 16"),
        ("redis+sentinel://:hunter2@h:1", "lacks the name of the master"),
        ("redis+sentinel://:hunter2@h:1,,b/m", "no Redis URL"),
        ("redis+sentinel://:hunter2@h:1/m/zero", "no Redis URL"),
        ("redis+proxy://:hunter2@h:1", "no Redis URL"),
    ] {
        let error = RedisConfig::from_url(url).unwrap_err();
        let text = format!("{error} {error:?}");
        assert!(text.contains(why), "{url}: {text}");
        assert!(!text.contains("hunter2"), "{text}");
    }
}

#[test]
fn nothing_shows_the_password() {
    let config = RedisConfig::from_url("redis://user:hunter2@h").unwrap();
    assert!(!format!("{config} {config:?}").contains("hunter2"));
}
