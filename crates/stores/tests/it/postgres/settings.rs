//! Settings of the server that void or weaken the promise, passwords and TLS, on servers of our
//! own.

use std::{
    fs,
    os::unix::fs::{MetadataExt as _, chown},
    process::{Child, Command, Stdio},
    time::Duration,
};

use sayso_stores::PostgresStore;
use sayso_turn::store::{Error, Store};

use super::{Bench, committed, create, fresh_name, private::Server, server, with};

#[tokio::test]
async fn a_server_that_does_not_flush_is_refused_unless_it_is_allowed() {
    let server = Server::start(&["-c", "fsync=off"]).await;
    let error = server.open("schema=a").await.unwrap_err();
    assert!(matches!(error, Error::Invalid { .. }), "{error}");
    assert!(error.to_string().contains("fsync is off"), "{error}");
    let store = server.open("schema=a&unsafe=allow").await.unwrap();
    let [warning] = store.warnings() else { panic!("{:?}", store.warnings()) };
    assert!(warning.contains("fsync is off"), "{warning}");
    let _etag = committed(store.save(create("a", "{}")).await);
}

#[tokio::test]
async fn a_role_that_does_not_wait_for_the_disk_waits_in_our_sessions() {
    let bench = Bench::new().await;
    let role = fresh_name();
    bench
        .run(&format!(
            "CREATE ROLE {role} LOGIN SUPERUSER;
             ALTER ROLE {role} SET synchronous_commit = off;
             ALTER ROLE {role} SET default_transaction_isolation = 'serializable'"
        ))
        .await;
    let theirs = server().replace("postgres@", &format!("{role}@"));
    let parameters = format!("schema={}&application_name={role}", bench.schema);
    let store = PostgresStore::open_url(&with(&theirs, &parameters)).await.unwrap();
    let [warning] = store.warnings() else { panic!("{:?}", store.warnings()) };
    assert!(warning.contains("synchronous_commit is off by default"), "{warning}");
    // The table tells how the sessions that write to it are set.
    bench
        .run(&format!(
            "CREATE FUNCTION {schema}.tell() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                NEW.body := convert_to(current_setting('synchronous_commit') || ' ' ||
                    current_setting('transaction_isolation'), 'UTF8');
                RETURN NEW; END $$;
             CREATE TRIGGER tell BEFORE INSERT ON {{table}} FOR EACH ROW EXECUTE FUNCTION {schema}.tell()",
            schema = bench.schema
        ))
        .await;
    let _etag = committed(store.save(create("a", "{}")).await);
    let stored = store.load(&super::key("a")).await.unwrap().unwrap();
    assert_eq!(stored.body, "on read committed");
    drop(store);
    bench.run(&format!("DROP OWNED BY {role}; DROP ROLE {role}")).await;
    bench.end().await;
}

/// Ends its process when the test ends.
struct Follower(Child);

impl Drop for Follower {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

#[tokio::test]
async fn a_standby_that_follows_asynchronously_is_warned_of() {
    let server = Server::start(&[]).await;
    assert_eq!(server.open("schema=a").await.unwrap().warnings(), Vec::<String>::new());
    let folder = tempfile::tempdir().unwrap();
    let follower = Command::new("pg_receivewal")
        .args(["-h", "127.0.0.1", "-U", "postgres", "-p", &server.port().to_string(), "-D"])
        .arg(folder.path())
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("pg_receivewal comes with PostgreSQL's clients");
    let _follower = Follower(follower);
    let mut said = Vec::new();
    for _ in 0..100 {
        said = server.open("schema=a").await.unwrap().warnings().to_vec();
        if !said.is_empty() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let [warning] = &said[..] else { panic!("{said:?}") };
    assert!(warning.contains("follow asynchronously"), "{warning}");
}

/// Makes a key and a certificate for localhost in the server's folder.
fn make_certificate(server: &Server) {
    let folder = server.folder();
    let made = Command::new("openssl")
        .args(["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"])
        .args(["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"])
        .args(["-addext", "basicConstraints=critical,CA:FALSE", "-keyout"])
        .arg(folder.join("key.pem"))
        .arg("-out")
        .arg(folder.join("certificate.pem"))
        .stderr(Stdio::null())
        .status()
        .expect("openssl comes with PostgreSQL");
    assert!(made.success());
    // The server wants to be the only one who can read the key.
    let owner = fs::metadata(folder).unwrap();
    chown(folder.join("key.pem"), Some(owner.uid()), Some(owner.gid())).unwrap();
}

#[tokio::test]
async fn passwords_and_certificates_are_checked() {
    let mut server = Server::start(&[]).await;
    let admin = super::connect(&server.url()).await;
    admin.batch_execute("CREATE ROLE bot LOGIN PASSWORD 'a%b'").await.unwrap();
    admin.batch_execute("CREATE DATABASE bot OWNER bot").await.unwrap();
    drop(admin);
    server.stop();
    make_certificate(&server);
    let rules = "local all all trust\nhost all postgres 127.0.0.1/32 trust\n\
        hostssl all bot 127.0.0.1/32 scram-sha-256\n";
    let (hba, folder) = (server.folder().join("hba"), server.folder().display().to_string());
    fs::write(&hba, rules).unwrap();
    let options = [
        format!("hba_file={folder}/hba"),
        "ssl=on".to_owned(),
        format!("ssl_cert_file={folder}/certificate.pem"),
        format!("ssl_key_file={folder}/key.pem"),
    ];
    let options: Vec<&str> = options.iter().flat_map(|option| ["-c", option]).collect();
    server.start_again(&options).await;

    let port = server.port();
    let open = async |host: &str, password: &str, parameters: &str| {
        let url = format!("postgres://bot:{password}@{host}:{port}/bot?{parameters}");
        PostgresStore::open_url(&url).await
    };
    let roots = format!("sslrootcert={folder}/certificate.pem");
    for parameters in ["", "sslmode=prefer", "sslmode=require"] {
        let store = open("127.0.0.1", "a%25b", parameters).await.unwrap();
        assert!(store.load(&super::key("a")).await.unwrap().is_none());
    }
    let verified = format!("sslmode=verify-full&{roots}");
    let store = open("localhost", "a%25b", &verified).await.unwrap();
    let _etag = committed(store.save(create("a", "{}")).await);

    for (host, password, parameters, says) in [
        ("127.0.0.1", "hunter2", "", "check user and password"),
        ("127.0.0.1", "a%25b", "sslmode=disable", "check user and password"),
        ("127.0.0.1", "a%25b", verified.as_str(), "no secure connection"),
        ("localhost", "a%25b", "sslmode=verify-full", "no secure connection"),
        ("localhost", "a%25b", "sslmode=verify-full&sslrootcert=/none", "sslrootcert"),
    ] {
        let error = open(host, password, parameters).await.unwrap_err();
        assert!(matches!(error, Error::Invalid { .. }), "{host} {parameters}: {error:?}");
        assert!(error.to_string().contains(says), "{host} {parameters}: {error:?}");
        assert!(!format!("{error:?}").contains("hunter2"), "{error:?}");
    }
}
