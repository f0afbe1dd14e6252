//! URLs, good and bad.

use super::*;

const HOST: &str = "cosmos://bots.documents.azure.com";

fn bad(url: &str) -> String {
    CosmosConfig::from_url(url).unwrap_err().to_string()
}

#[test]
fn a_url_says_everything() {
    let url = format!(
        "{HOST}:8443/bots/my%20state?containers=tenant&layout=js&create=true&autoscale=4000\
         &region=West%20Europe"
    );
    let config = CosmosConfig::from_url(&url).unwrap();
    assert_eq!(config.endpoint.as_str(), "https://bots.documents.azure.com:8443/");
    assert_eq!((config.database.as_str(), config.container.as_str()), ("bots", "my state"));
    assert_eq!((config.containers, config.layout), (Containers::Tenant, Layout::Js));
    assert!(config.creates && matches!(config.access, Access::Environment));
    assert_eq!(config.throughput, Some(Throughput::Autoscale(4000)));
    assert_eq!(config.region.as_deref(), Some("West Europe"));
    assert_eq!(config.name(), "Cosmos DB at bots.documents.azure.com, bots/my state");
}

#[test]
fn a_url_may_say_little() {
    let config = CosmosConfig::from_url("cosmos+http://127.0.0.1:8081/bots").unwrap();
    assert_eq!(config.endpoint.as_str(), "http://127.0.0.1:8081/");
    assert_eq!(config.container, "state");
    assert!(!config.creates && config.throughput.is_none());
}

#[test]
fn the_key_of_a_url_is_never_shown() {
    let config = CosmosConfig::from_url("cosmos://:c2Vj%2FcmV0%3D@h.example/bots").unwrap();
    let Access::Key(key) = &config.access else { panic!("a key was given") };
    assert_eq!(key.secret(), "c2Vj/cmV0=");
    assert!(!format!("{config:?} {}", config.name()).contains("c2V"));
    let wrong = bad("cosmos://:c2VjcmV0@h.example/bots?creates=true");
    assert!(!wrong.contains("c2V"), "{wrong}");
}

#[test]
fn a_connection_string_names_the_account_and_the_key() {
    let text = "AccountEndpoint=https://h.example:443/;accountkey=c2VjcmV0==;";
    let config = CosmosConfig::from_connection_string(text, "bots", "state").unwrap();
    assert_eq!(config.endpoint.as_str(), "https://h.example/");
    assert!(matches!(&config.access, Access::Key(key) if key.secret() == "c2VjcmV0=="));
    for (text, part) in
        [("", "AccountEndpoint"), ("AccountEndpoint=https://h.example/", "AccountKey")]
    {
        let error = CosmosConfig::from_connection_string(text, "bots", "state").unwrap_err();
        assert!(error.to_string().contains(&format!("has no {part}")), "{error}");
    }
}

#[test]
fn a_bad_url_is_refused_in_one_clear_sentence() {
    for (url, says) in [
        ("", "must look like cosmos://"),
        ("cosmos", "must look like cosmos://"),
        ("https://bots.documents.azure.com/bots", "must look like cosmos://"),
        ("cosmos://bots.documents.azure.com", "must look like cosmos://"),
        ("cosmos://bots.documents.azure.com/", "must look like cosmos://"),
        ("cosmos+http://h.example/a", "plain HTTP is for an emulator"),
        ("cosmos://h.example/a/b/c", "must look like cosmos://"),
        ("cosmos://h.example/a%2Fb", "name of the database"),
        ("cosmos://h.example/a/b%23", "name of the container"),
        ("cosmos://h.example/a?containers=many", "one, kind or tenant"),
        ("cosmos://h.example/a?layout=perl", "unknown layout `perl`"),
        ("cosmos://h.example/a?create=maybe", "create must be true or false"),
        ("cosmos://h.example/a?throughput=much", "throughput must be a number"),
        ("cosmos://h.example/a?auth=none", "auth must be entra"),
        ("cosmos://h.example/a?creates=true", "unknown option `creates`"),
        ("cosmos://h.example/a?create=true&Secret1==", "unknown option `...`"),
    ] {
        let error = bad(url);
        assert!(error.contains(says), "{url}: {error}");
        assert!(error.starts_with("Cosmos DB refuses: "), "{error}");
    }
}
