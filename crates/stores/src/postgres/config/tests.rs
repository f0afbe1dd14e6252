//! URLs, good and bad.

use super::*;

#[test]
fn a_url_says_everything() {
    let url = "postgresql://u:p%40ss@h:7/d?schema=s_1&application_name=a&table=t&connections=3\
        &sslmode=verify-full&sslrootcert=%2Fa%20b.pem&unsafe=allow";
    let config = PostgresConfig::from_url(url).unwrap();
    assert_eq!(config.to_string(), "PostgreSQL at h:7/d, table s_1.t");
    assert_eq!(config.server.get_password(), Some("p@ss".as_bytes()));
    assert_eq!(config.server.get_application_name(), Some("a"));
    assert_eq!(config.proof, Some(Proof::Full { roots: Some("/a b.pem".into()) }));
    assert_eq!(config.server.get_ssl_mode(), SslMode::Require);
    assert_eq!((config.connections, config.is_unsafe_allowed), (3, true));

    let config = PostgresConfig::from_url("postgres://u:a?b@h/d?table=t").unwrap();
    assert_eq!(config.to_string(), "PostgreSQL at h:5432/d, table sayso.t");
    assert_eq!(config.server.get_password(), Some("a?b".as_bytes()));

    let config =
        PostgresConfig::from_url("postgres://u@one:1,two:2/d?target_session_attrs=primary")
            .unwrap();
    assert_eq!(config.to_string(), "PostgreSQL at one:1,two:2/d, table sayso.document");
    let config = PostgresConfig::from_url("postgres:///d?host=one,two&port=7").unwrap();
    assert_eq!(config.to_string(), "PostgreSQL at one:7,two:7/d, table sayso.document");

    let config = PostgresConfig::from_url("postgres://h").unwrap();
    assert_eq!(config.to_string(), "PostgreSQL at h:5432, table sayso.document");
    assert_eq!(config.proof, Some(Proof::None));
    assert_eq!(config.server.get_ssl_mode(), SslMode::Prefer);
    assert!(!config.is_unsafe_allowed);
}

#[test]
fn each_server_of_a_url_has_all_that_the_url_says() {
    let url = "postgres://u:p@one:1,two:2/d?options=-c%20a%3Db&application_name=n&sslmode=require";
    let config = PostgresConfig::from_url(url).unwrap();
    let servers = config.servers();
    let places: Vec<_> = servers.iter().map(|(place, _)| place.as_str()).collect();
    assert_eq!(places, ["one:1", "two:2"]);
    for (number, (_, server)) in servers.iter().enumerate() {
        assert_eq!(server.get_hosts(), &config.server.get_hosts()[number..=number]);
        assert_eq!(server.get_ports(), &config.server.get_ports()[number..=number]);
        assert_eq!(server.get_user(), Some("u"));
        assert_eq!(server.get_password(), Some("p".as_bytes()));
        assert_eq!(server.get_dbname(), Some("d"));
        assert_eq!(server.get_options(), Some("-c a=b"));
        assert_eq!(server.get_application_name(), Some("n"));
        assert_eq!(server.get_ssl_mode(), SslMode::Require);
    }
}

#[test]
fn a_wrong_url_is_refused_with_what_to_write_and_without_its_secrets() {
    for (url, says) in [
        ("", "must look like"),
        ("mysql://u:hunter2@h/d", "must look like"),
        ("postgres://", "must look like"),
        ("postgres:///d", "must look like"),
        ("postgres://u:hunter2@h:port/d", "must look like"),
        ("postgres://u:p@ss?hunter2@h/d", "must look like"),
        ("postgres://u:hunter2@h/d?colour=hunter2", "must look like"),
        ("postgres://u:hunter2@h/d?schema=a-b", "letters"),
        ("postgres://u:hunter2@h/d?schema=", "letters"),
        ("postgres://u:hunter2@h/d?table=Pizza", "letters"),
        ("postgres://u:hunter2@h/d?table=a;drop", "letters"),
        ("postgres://u:hunter2@h/d?connections=1", "number"),
        ("postgres://u:hunter2@a:1,b:2,c/d?port=3", "must look like"),
        ("postgres://u:hunter2@h/d?sslmode=verify-ca", "verify-full"),
        ("postgres://u:hunter2@h/d?sslmode=require&sslrootcert=a", "verify-full"),
        ("postgres://u:hunter2@h/d?unsafe=1", "allow"),
        ("postgres://u:hunter2@h/d?secret-file=/a", "leave one of them out"),
        ("postgres://u@h/d?secret-file=/a&auth=entra", "leave one of them out"),
        ("postgres://u@h/d?auth=hunter2", "entra, managed or developer"),
        ("postgres://u:hunter2@h/d?sslmode=require&sslkey=/a", "go together"),
        ("postgres://u:hunter2@h/d?sslcert=/a&sslkey=/b", "needs sslmode=verify-full"),
        ("postgres://u:hunter2@a,b/d?target_session_attrs=standby", "read-write"),
    ] {
        let error = PostgresConfig::from_url(url).unwrap_err();
        assert!(matches!(error, Error::Invalid { .. }), "{url}");
        assert!(error.to_string().contains(says), "{url}: {error}");
        assert!(!format!("{error} {error:?}").contains("hunter2"), "{url}");
    }
}
