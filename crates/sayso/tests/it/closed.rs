//! Closed by default: nobody is let in unless the configuration says who.

use axum::{Router, routing::get};
use sayso::{Config, Server, channel::auth::AuthOptions, pizza};

async fn server(config: Config) -> Result<Server, String> {
    let config = config.flag("address", "127.0.0.1:0").unwrap();
    let server = Server::new(pizza::bot()).store(sayso::open_store("memory://").await.unwrap());
    server.config(&config).map_err(|error| error.to_string())
}

fn app() -> AuthOptions {
    let mut app = AuthOptions::new("an-app");
    app.password = Some("secret".to_owned().into());
    // Nobody is asked: no token is shown.
    app.cloud.metadata = "http://127.0.0.1:9/metadata".to_owned();
    app.cloud.login = "http://127.0.0.1:9".to_owned();
    app
}

#[tokio::test]
async fn without_a_word_on_authentication_no_server_starts() {
    for config in [Config::default(), Config::default().flag("auth", "app").unwrap()] {
        let error = server(config).await.unwrap().start().await.unwrap_err().to_string();
        for says in ["refusing to start", "MicrosoftAppId", "SAYSO_AUTH=none", "auth = \"none\""] {
            assert!(error.contains(says), "{says}: {error}");
        }
    }
    // In so many words, from any source.
    for config in [
        Config::default().flag("auth", "none").unwrap(),
        Config::default().environment([("SAYSO_AUTH", "None")]).unwrap(),
        Config::default().or_unauthenticated().unwrap(),
    ] {
        let running = server(config).await.unwrap().start().await.unwrap();
        assert!(running.welcome().contains("loopback only: no authentication"));
        running.stop().await;
    }
    // What a source says about it counts, also in a demonstration.
    let config = Config::default().flag("auth", "app").unwrap().or_unauthenticated().unwrap();
    assert!(!config.is_unauthenticated());
}

#[tokio::test]
async fn none_and_an_app_contradict_each_other() {
    let both = [("SAYSO_AUTH", "none"), ("MicrosoftAppId", "an-app")];
    let error = server(Config::default().environment(both).unwrap()).await.unwrap_err();
    assert!(error.contains("auth (SAYSO_AUTH): it is none, but there is an app"), "{error}");
    let app = Config::default().environment([("MicrosoftAppId", "an-app")]).unwrap();
    assert!(!app.or_unauthenticated().unwrap().is_unauthenticated());
}

#[tokio::test]
async fn without_authentication_routes_of_ones_own_are_guarded_too() {
    let own =
        || Router::new().route("/menu", get(|| async { "ham" })).fallback(|| async { "lost" });
    let config = Config::default().flag("auth", "none").unwrap();
    let running = server(config).await.unwrap().routes(move |_| own()).start().await.unwrap();
    let (http, url) = (reqwest::Client::new(), running.url());
    let menu = || http.get(format!("{url}/menu"));
    assert_eq!(menu().send().await.unwrap().text().await.unwrap(), "ham");
    for (name, value) in [
        ("x-forwarded-for", "203.0.113.7"),
        ("via", "1.1 proxy"),
        ("host", "bot.example"),
        ("origin", "https://evil.example"),
        ("sec-fetch-site", "cross-site"),
    ] {
        for path in ["menu", "nowhere", "api/messages"] {
            let asked = http.get(format!("{url}/{path}")).header(name, value);
            assert_eq!(asked.send().await.unwrap().status(), 403, "{path} {name}: {value}");
        }
    }
    running.stop().await;

    // With an app they are the author's business, and the proxy in front is welcome.
    let running = server(Config::default()).await.unwrap().auth(app());
    let running = running.routes(move |_| own()).start().await.unwrap();
    let (url, proxied) =
        (running.url(), [("x-forwarded-for", "203.0.113.7"), ("host", "bot.example")]);
    let through = |request: reqwest::RequestBuilder| {
        proxied.iter().fold(request, |request, (name, value)| request.header(*name, *value))
    };
    let menu = through(http.get(format!("{url}/menu"))).send().await.unwrap();
    assert_eq!(menu.text().await.unwrap(), "ham");
    let message = through(http.post(format!("{url}/api/messages"))).send().await.unwrap();
    assert_eq!(message.status(), 401, "what is missing is a token");
    running.stop().await;
}
