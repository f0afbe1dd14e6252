//! The sources of a configuration, their precedence, and secrets, which are never shown.

use std::{path::Path, time::Duration};

use sayso_turn::{Limits, Ttl};

use super::*;

mod encryption;

/// Result of reading a file with this text.
fn read(text: &str) -> Result<Config, String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bot.toml");
    std::fs::write(&path, text).unwrap();
    let folder = format!("{}/", folder.path().display());
    Config::default().file(&path).map_err(|error| error.to_string().replace(&folder, ""))
}

fn setting(config: &Config, key: &str) -> (Option<String>, String) {
    let setting = config.settings().into_iter().find(|setting| setting.key == key).unwrap();
    let source = setting.source.to_string();
    (setting.value, source.rsplit('/').next().unwrap().to_owned())
}

const EVERY_SETTING: &str = r#"
address = "localhost:8080"
admin-address = "localhost:9000"
store = "memory://"
auth = "app"
service-urls = ["https://smba.trafficmanager.net/teams", "https://*.botframework.com"]
skill-callers = ["99-aa=https://parent.example/a", "88=https://b.example", "99-AA=https://c.example"]
private-addresses = true

[ttl]
conversation = "30d"
user = "never"
private = "24h"
other = "90m"

[app]
id = "an-app"
type = "singletenant"
tenant = "a-tenant"
password = "c4n4ry"
identity-endpoint = "http://127.0.0.1:1/"
identity-header = "c4n4ry"

[cloud]
channel-service = "https://botframework.azure.us"
metadata = "http://127.0.0.1:2/m"
issuer = "https://issuer.example"
login = "http://127.0.0.1:2"
login-metadata = "http://127.0.0.1:2/l"
scope = "https://scope.example"

[encryption]
keys = "c4n4ry:MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE="
names-key = "bmFtZXMgbmFtZXMgbmFtZXMgbmFtZXMgbmFtZXMgISE="

[keys]
bot = "pizza"
tenant = true

[rate-limit]
peer = 600
conversation = "OFF"

[log]
filter = "debug"
format = "json"
"#;

#[test]
fn every_setting_can_stand_in_a_file() {
    let config = read(EVERY_SETTING).unwrap();
    assert_eq!(config.address().to_string(), "127.0.0.1:8080");
    assert_eq!(config.admin_address().unwrap().to_string(), "127.0.0.1:9000");
    let limits = config.rate_limits();
    assert_eq!((limits.peer.unwrap().requests, limits.conversation), (600, None));
    assert_eq!((config.store(), config.log()), ("memory://", ("debug", "json")));
    let (day, minute) = (Duration::from_secs(86_400), Duration::from_secs(60));
    let all = Ttl { user: Some(day), other: Some(day), ..Ttl::default() };
    let ttl = config.limits(Limits { ttl: all, ..Limits::default() }).ttl;
    assert_eq!((ttl.conversation, ttl.user), (Some(30 * day), None));
    assert_eq!((ttl.private, ttl.other), (Some(day), Some(90 * minute)));
    assert_eq!(setting(&config, "ttl.private"), (Some("1d".into()), "bot.toml:13".into()));
    let auth = config.auth().unwrap().unwrap();
    assert_eq!((&*auth.app_id, auth.tenant_id.as_deref()), ("an-app", Some("a-tenant")));
    assert_eq!(auth.app_type, sayso_channel::auth::AppType::SingleTenant);
    assert_eq!(auth.password, Some(sayso_channel::auth::Secret::new("c4n4ry")));
    assert!(auth.private_addresses && auth.managed_identity.is_some());
    assert!(auth.cloud.service_urls.allows("https://webchat.botframework.com/"));
    assert!(!auth.cloud.service_urls.allows("https://smba.infra.gov.teams.microsoft.us/"));
    let callers: Vec<_> = auth.skill_callers.iter().map(|one| one.app_id.as_str()).collect();
    assert_eq!(callers, ["99-aa", "88"]);
    let urls = &auth.skill_callers[0].service_urls;
    assert!(urls.allows("https://parent.example/a/b") && urls.allows("https://c.example"));
    assert!(!urls.allows("https://b.example") && !urls.allows("https://parent.example/"));
    assert_eq!(auth.cloud.metadata, "http://127.0.0.1:2/m");
    assert_eq!(auth.cloud.scope, "https://scope.example/.default");
    assert_eq!(setting(&config, "app.id"), (Some("an-app".to_owned()), "bot.toml:17".to_owned()));
    assert_eq!(setting(&config, "app.password").0.as_deref(), Some("set"));
    assert!(config.encryption().unwrap().is_some());
    assert!(!format!("{config:?}{:?}", config.settings()).contains("c4n4ry"));
    let missing = config.settings().into_iter().filter(|setting| setting.source == Source::Default);
    // The limits have a test of their own.
    let missing = missing.map(|setting| setting.key).filter(|key| !key.starts_with("limits."));
    let missing: Vec<&str> = missing.collect();
    let files = [
        "app.password-file",
        "app.certificate-file",
        "app.key-file",
        "encryption.keys-file",
        "encryption.names-key-file",
        "tls.certificate",
        "tls.key",
        "admin-tls.certificate",
        "admin-tls.key",
        "admin-tls.clients",
    ];
    assert_eq!(missing, files);
    assert_eq!(config.keys(), Some(KeyScheme::default().bot("pizza").by_tenant(true)));
    assert_eq!(Config::default().keys(), None);
}

#[test]
fn the_documentation_names_every_setting() {
    let text = include_str!("../../../../docs/reference/configuration.md");
    for setting in Config::default().settings() {
        let row = format!("| `{}` | `{}`", setting.key, setting.variable);
        assert!(
            text.contains(&row),
            "docs/reference/configuration.md lacks a row that begins {row}"
        );
        let flag = setting.flag.map_or_else(String::new, |flag| format!("`{flag}`"));
        let row = text.lines().find(|line| line.starts_with(&row)).unwrap_or_default();
        assert_eq!(row.split('|').nth(3).map(str::trim), Some(&*flag), "{row}");
    }
}

#[test]
fn the_admin_address_is_beside_that_of_the_bot_unless_it_is_said_or_off() {
    let config = |admin: &str| {
        let config = Config::default().flag("address", "0.0.0.0:8080").unwrap();
        config.flag("admin-address", admin).unwrap()
    };
    let shown = |config: &Config| setting(config, "admin-address").0.unwrap();
    assert_eq!(shown(&config("")), "127.0.0.1:18080");
    assert_eq!(shown(&config("off")), "off");
    assert_eq!(config("Off").admin_address(), None);
    assert_eq!(shown(&config("localhost:1")), "127.0.0.1:1");
}

#[test]
fn a_later_source_wins_and_an_empty_value_is_none() {
    let config = read("address = \"127.0.0.1:1\"\nstore = \"sqlite:file\"").unwrap();
    assert_eq!(setting(&config, "address").1, "bot.toml:1");
    let variables = [("SAYSO_ADDRESS", "127.0.0.1:2"), ("sayso_store", "")];
    let config = config.environment(variables).unwrap();
    assert_eq!(setting(&config, "address").1, "environment SAYSO_ADDRESS");
    assert_eq!((config.address().port(), config.store()), (2, "sqlite:file"));
    let config = config.flag("address", "127.0.0.1:3").unwrap();
    assert_eq!(setting(&config, "address").1, "flag --address");
    assert_eq!(config.address().port(), 3);
    let config = config.environment([("SAYSO_TTL_USER", "2w")]).unwrap();
    assert_eq!(
        setting(&config, "ttl.user"),
        (Some("2w".into()), "environment SAYSO_TTL_USER".into())
    );
    assert_eq!(setting(&config, "ttl.other"), (Some("never".into()), "default".into()));
    assert_eq!(setting(&config, "private-addresses"), (Some("false".into()), "default".into()));
    for variables in
        [[("RUST_LOG", "b"), ("SAYSO_LOG", "a")], [("SAYSO_LOG", "a"), ("RUST_LOG", "b")]]
    {
        let config = Config::default().environment(variables).unwrap();
        assert_eq!(config.log().0, "a");
    }
}

#[test]
fn a_bad_file_is_refused_with_the_line_and_without_what_is_on_it() {
    for (text, says) in [
        (
            "# hi\nadress = \"c4n4ry\"",
            "bot.toml:2: `adress` is not a setting; did you mean `address`?",
        ),
        (
            "[app]\npasword = \"c4n4ry\"",
            "bot.toml:2: `app.pasword` is not a setting; did you mean `app.password`?",
        ),
        (
            "[ap]\npassword = \"c4n4ry\"",
            "bot.toml:1: `ap.password` is not a setting; did you mean `app.password`?",
        ),
        (
            "[server]\nworkers = 3",
            "bot.toml:1: `server.workers` is not a setting; docs/reference/configuration.md and `sayso config` list them all",
        ),
        ("MicrosoftAppPassword = \"c4n4ry\"", "did you mean `app.password`?"),
        ("app = \"c4n4ry\"", "bot.toml:1: `app` must be a table: write [app]"),
        (
            "address = 3978",
            "`address` must be a text such as \"127.0.0.1:3978\", and it is a number",
        ),
        ("admin-address = \"c4n4ry\"", "`admin-address`: use an address and a port"),
        ("auth = \"c4n4ry\"", "`auth`: it must be app or none"),
        ("[rate-limit]\npeer = 0", "it must be requests a minute, 1 to 1000000, or off"),
        ("[rate-limit]\npeer = true", "must be a number of requests a minute, or \"off\""),
        ("store = [\"c4n4ry\"]", "`store` must be a text in quotes, and it is a list"),
        (
            "private-addresses = \"c4n4ry\"",
            "`private-addresses` must be true or false, and it is a text",
        ),
        ("service-urls = \"c4n4ry\"", "`service-urls` must be a list such as"),
        ("service-urls = [1]", "`service-urls` must be a list such as"),
        ("service-urls = [\"https://u:c4n4ry@h/\"]", "entry 1 can never match"),
        ("service-urls = [\"http://10.0.0.1/\"]", "can never match"),
        ("skill-callers = [\"a=https://b.example\", \"c4n4ry\"]", "entry 2 must be the app id"),
        ("skill-callers = [\"c4n4ry:a=https://b.example\"]", "entry 1 must be the app id"),
        ("skill-callers = [\"a=http://c4n4ry.example\"]", "entry 1 must be the app id"),
        ("\naddress = \"c4n4ry\"", "bot.toml:2: `address`: use an address and a port"),
        ("[log]\nformat = \"c4n4ry\"", "bot.toml:2: `log.format`: it must be text or json"),
        ("[ttl]\nuser = 30", "`ttl.user` must be a text such as \"30d\", and it is a number"),
        ("[ttl]\nuser = \"c4n4ry\"", "bot.toml:2: `ttl.user`: it must be never, or a whole"),
        ("[ttl]\nuser = \"1s\"", "bot.toml:2: `ttl.user`: it must be at least a minute"),
        ("[ttl]\nusers = \"1d\"", "`ttl.users` is not a setting; did you mean `ttl.user`?"),
        ("[app]\npassword = c4n4ry", "bot.toml:2: it is not TOML: "),
        ("[app]\npassword = \"c4n4ry", "bot.toml:2: it is not TOML: "),
        ("[app]\nid = \"a\"\nid = \"c4n4ry\"", "bot.toml:3: it is not TOML: duplicate key"),
        ("c4n4ry", "bot.toml:1: it is not TOML: "),
        ("<?xml c4n4ry", "bot.toml:1: it is not TOML: "),
    ] {
        let error = read(text).unwrap_err();
        assert!(error.contains(says) && !error.contains("c4n4ry"), "{text:?}: {error}");
    }
    let error = Config::default().file(Path::new("/no/such/file")).unwrap_err().to_string();
    assert!(error.starts_with("cannot read /no/such/file: "), "{error}");
    let long = "#".repeat((1 << 20) + 1);
    assert!(read(&long).unwrap_err().contains("longer than 1 MB"));
}

#[test]
fn a_bad_variable_or_flag_is_refused_by_its_name() {
    let error = |name, value| {
        let error = Config::default().environment([(name, value)]).unwrap_err().to_string();
        assert!(!error.contains("c4n4ry"), "{error}");
        error
    };
    assert!(error("SAYSO_ADDRESS", "c4n4ry").starts_with("environment SAYSO_ADDRESS: use an "));
    assert!(error("MicrosoftAppType", "c4n4ry").contains("MultiTenant or SingleTenant or "));
    assert!(error("SAYSO_PRIVATE_ADDRESSES", "c4n4ry").ends_with("it must be true or false"));
    let flag = Config::default().flag("adress", "c4n4ry").unwrap_err().to_string();
    assert_eq!(flag, "flag: `adress` is not a setting; did you mean `address`?");
}

#[test]
fn an_app_that_is_not_whole_is_refused_by_the_key_and_the_variable() {
    for (text, says) in [
        ("[app]\npassword = \"c4n4ry\"", "app.id (MicrosoftAppId): it is missing"),
        (
            "[app]\nid = \"a\"\ntype = \"SingleTenant\"",
            "app.tenant (MicrosoftAppTenantId): it is missing",
        ),
        (
            "[app]\nid = \"a\"\n[cloud]\nchannel-service = \"c4n4ry\"",
            "cloud.channel-service (ChannelService): it must be",
        ),
        ("[app]\npassword = \"c4n4ry\"\npassword-file = \"x\"", "leave one of them out"),
        ("[app]\nid = \"a\"\npassword-file = \"/no/such\"", "bot.toml:3): cannot read /no/such: "),
        (
            "[app]\nid = \"a\"\ncertificate-file = \"x\"",
            "app.key-file (SAYSO_APP_KEY_FILE): it is missing",
        ),
        (
            "[app]\nid = \"a\"\nkey-file = \"x\"",
            "app.certificate-file (SAYSO_APP_CERTIFICATE_FILE): it is missing",
        ),
    ] {
        let error = read(text).unwrap().auth().unwrap_err().to_string();
        assert!(error.contains(says) && !error.contains("c4n4ry"), "{text:?}: {error}");
    }
}

#[test]
fn a_password_may_be_in_a_file_of_its_own_and_the_higher_source_counts() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("password");
    std::fs::write(&path, "from the file\n").unwrap();
    let path = path.display().to_string();
    let password = |config: &Config| config.auth().unwrap().unwrap().password.unwrap();
    let secret = sayso_channel::auth::Secret::new;

    let named = format!("[app]\nid = \"a\"\npassword-file = \"{path}\"");
    let config = read(&named).unwrap();
    assert_eq!(password(&config), secret("from the file"));
    assert_eq!(setting(&config, "app.password"), (Some("set".into()), "bot.toml:3".into()));
    let config = config.environment([("MicrosoftAppPassword", "from the environment")]).unwrap();
    assert_eq!(password(&config), secret("from the environment"));
    assert_eq!(setting(&config, "app.password").1, "environment MicrosoftAppPassword");

    let config = read("[app]\nid = \"a\"\npassword = \"c4n4ry\"").unwrap();
    let config = config.environment([("SAYSO_APP_PASSWORD_FILE", &path)]).unwrap();
    assert_eq!(password(&config), secret("from the file"));
    assert_eq!(setting(&config, "app.password").1, "environment SAYSO_APP_PASSWORD_FILE");

    std::fs::write(&path, " \n").unwrap();
    assert!(config.auth().unwrap_err().to_string().ends_with("the file is empty"));
}

#[cfg(unix)]
#[test]
fn a_secret_that_everybody_can_read_is_warned_about() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bot.toml");
    let warnings = |text: &str, mode| {
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        Config::default().file(&path).unwrap().warnings().join("\n")
    };
    let secret = "[app]\npassword = \"c4n4ry\"";
    let said = warnings(secret, 0o644);
    assert!(said.contains("holds a secret") && said.contains("chmod 600"), "{said}");
    assert!(!said.contains("c4n4ry"), "{said}");
    assert_eq!(warnings(secret, 0o640), "");
    assert_eq!(warnings("[app]\nid = \"a\"", 0o644), "");
    assert!(warnings("store = \"redis://:c4n4ry@h\"", 0o644).contains("holds a secret"));
    let named = format!("[app]\npassword-file = \"{}\"", path.display());
    assert!(warnings(&named, 0o644).contains("can read the secret in "));
}

#[test]
fn a_variable_that_is_nearly_one_of_ours_is_refused_and_others_are_not() {
    let names = ["SAYSO_CONFIG", "SAYSO_FAULT", "SAYSO_LOG", "SAYSO_TEST_REDIS", "HOME"];
    let known = || names.map(|name| (name, "x"));
    assert!(Config::default().environment(known()).unwrap().warnings().is_empty());
    let misspelt = known().into_iter().chain([("SAYSO_ADRESS", "x")]);
    let error = Config::default().environment(misspelt).unwrap_err();
    assert_eq!(
        error.to_string(),
        "environment SAYSO_ADRESS: this variable is not a setting; did you mean SAYSO_ADDRESS?"
    );
}
