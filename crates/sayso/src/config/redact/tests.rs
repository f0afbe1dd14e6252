//! No form of a connection string shows its secret; what is harmless is shown.

use std::path::Path;

use proptest::prelude::*;

use super::*;
use crate::{Config, Server};

#[test]
fn an_address_is_shown_without_what_may_be_secret() {
    for (text, shown) in [
        ("memory://", "memory://"),
        ("sqlite:data/a@b?c.sqlite", "sqlite:data/a@b?c.sqlite"),
        ("sqlite:///var/lib/bot.sqlite", "sqlite:///var/lib/bot.sqlite"),
        ("postgres://bot@db/bot?schema=a", "postgres://bot@db/bot?schema=a"),
        ("postgres://bot:hunter2@db/bot", "postgres://bot:...@db/bot"),
        ("postgres://bot:hun/ter2?x@db/bot", "postgres://bot:...@db/bot"),
        ("postgres://bot:h@unter2#@db/bot", "postgres://bot:...@db/bot"),
        (
            "postgres://a:5432,b:5433/bot?sslmode=require",
            "postgres://a:5432,b:5433/bot?sslmode=require",
        ),
        ("postgres://db/bot?password=hunter2@x", "postgres://...@x"),
        ("postgres://bot:hunter2/x/y", "postgres://..."),
        ("redis://:hunter2@h", "redis://:...@h"),
        ("redis://hunter2@h:6379/0", "redis://...@h:6379/0"),
        ("rediss+cluster://h:1,h:2", "rediss+cluster://h:1,h:2"),
        ("redis://[::1]:6379", "redis://[::1]:6379"),
        ("cosmos://:hunter2==@h/d", "cosmos://:...@h/d"),
        ("azblob:state?layout=js", "azblob:state?layout=js"),
        (
            "azblob:https://a.example/c?sig=hunter2&sv=1",
            "azblob:https://a.example/c?sig=...&sv=...",
        ),
        ("azblob:AccountKey=hunter2;", "azblob:..."),
        ("azblob:AccountName=a;AccountKey=x/hunter2/y==;EndpointSuffix=z", "azblob:..."),
        ("AccountEndpoint=x;AccountKey=hunter2", "..."),
        ("host=db password=hunter2", "..."),
        ("hunter2://x", "..."),
        ("s3://bucket/a?region=eu-1&endpoint=http://u:hunter2@h", "s3://...:...@h"),
        ("s3://bucket?region=eu-1&endpoint=http://h", "s3://bucket?region=eu-1&endpoint=..."),
        ("https://h/?hunter2", "https://h/?..."),
        ("https://h/?hunter2=1", "https://h/?..."),
        ("https://*.botframework.com", "https://*.botframework.com"),
        (
            "https://h/v1/.well-known/openidconfiguration",
            "https://h/v1/.well-known/openidconfiguration",
        ),
        ("plain-id", "plain-id"),
        ("00000000-0000-0000-0000-000000000001", "00000000-0000-0000-0000-000000000001"),
    ] {
        assert_eq!(url(text), shown);
        assert!(!url(text).contains("hunter2"));
    }
    for (text, shown) in [
        ("info", "info"),
        ("warn,sayso=debug,sayso_turn::engine=TRACE", "warn,sayso=debug,sayso_turn::engine=TRACE"),
        ("sayso=hunter2", "..."),
        ("[request{token=hunter2}]=trace", "..."),
    ] {
        assert_eq!(value("log.filter", text), shown);
    }
    assert_eq!(value("store", "hunter2"), "...");
    assert_eq!(value("app.id", "plain-id"), "plain-id");
}

/// Forms in which people have or paste secrets; `{}` is the secret. The tests of the command go
/// through them, too.
const FORMS: &str = include_str!("forms.txt");

/// Secrets as generators make them: of letters, and of whatever a password or a key may have.
fn secret() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-zA-Z0-9]{12,40}",
        "[a-zA-Z0-9+/]{30,86}={0,2}",
        "[a-zA-Z0-9~._-]{20,40}",
        "[!-~]{12,40}",
        "[a-zA-Z0-9]{4,8}[@:/?#;=&, %][a-zA-Z0-9]{8,12}",
        "[a-zA-Z0-9]{6,8}[@:/?#;=&, %][a-zA-Z0-9]{6,8}[@:/?#;=&, %][a-zA-Z0-9]{6,8}",
    ]
}

/// Runs of six characters of a secret: a part that is shown is one of them.
fn is_shown(secret: &str, form: &str, shown: &str) -> Option<String> {
    let letters: Vec<char> = secret.chars().collect();
    let parts = letters.windows(6).map(|part| part.iter().collect::<String>());
    let around = form.replace("{}", "\0");
    parts.into_iter().find(|part| shown.contains(part.as_str()) && !around.contains(part.as_str()))
}

fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(cases(64))]

    #[test]
    fn no_form_of_a_connection_string_shows_its_secret(secret in secret()) {
        for form in FORMS.lines() {
            // After an `@` of its own a password looks like a host: nobody can tell. Such must be
            // escaped to work at all.
            let is_ambiguous = secret.contains('@') && form.contains("://") && !form.contains(';');
            let text = form.replace("{}", &if is_ambiguous { secret.replace('@', "%40") } else { secret.clone() });
            let shown = url(&text);
            let leak = is_shown(&secret, form, &shown);
            prop_assert!(leak.is_none(), "{form} is shown as {shown}, with {leak:?} of {secret}");
        }
    }

}

proptest! {
    #![proptest_config(cases(6))]

    #[test]
    fn no_setting_shows_a_secret_in_settings_debug_errors_or_warnings(secret in secret()) {
        let secret = secret.replace('@', "a");
        for form in FORMS.lines() {
            let text = form.replace("{}", &secret);
            let mut said = String::new();
            for setting in Config::default().settings() {
                let variables = [(setting.variable, &*text)];
                match Config::default().environment(variables) {
                    Ok(config) => {
                        if setting.key.ends_with("-file") || setting.key.contains("tls.") {
                            // The path of a file is shown; a secret in its place is not a path.
                            continue;
                        }
                        said += &format!("{config:?} {:?} {:?}", config.settings(), config.warnings());
                        said += &format!("{:?} {:?}", config.auth().err(), config.encryption().err());
                        let server = Server::new(crate::pizza::bot()).config(&config);
                        said += &server.map_or_else(|error| error.to_string(), |it| format!("{it:?}"));
                    }
                    Err(error) => said += &format!("{error} {error:?}"),
                }
                if let Err(error) = Config::default().flag(setting.key, &text) {
                    said += &format!("{error} {error:?}");
                }
            }
            let leak = is_shown(&secret, form, &said);
            prop_assert!(leak.is_none(), "{form}: {leak:?} of {secret} in {said}");
        }
    }
}

#[tokio::test]
async fn no_error_of_opening_a_store_shows_its_secret() {
    let secrets = ["c4n4ryc4n4ryc4n4ry", "c4n4ry/c4n4ry+c4n4ry==", "c4n4ry;c4n4ry=c4n4ry&c4n4ry"];
    let mut refused = 0;
    for form in FORMS.lines() {
        // Names that lead nowhere: nobody is asked.
        let here = form.replace(".example", ".invalid").replace(".net", ".invalid");
        let here = here.replace(".com", ".invalid");
        for secret in secrets {
            let text = here.replace("{}", secret);
            if Path::new(&text).exists() || text.starts_with("sqlite:") {
                continue;
            }
            let open = Box::pin(crate::open_store(&text));
            let opened = tokio::time::timeout(std::time::Duration::from_millis(300), open).await;
            if let Ok(Err(error)) = opened {
                let said = format!("{error} {error:?}");
                assert!(!said.contains("c4n4ry"), "{form}: {said}");
                refused += 1;
            }
        }
    }
    assert!(refused > 60, "{refused} were refused");
}
