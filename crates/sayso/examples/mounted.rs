//! A bot inside an axum application that has routes, state and a fallback of its own.
//!
//! `Server::into_parts` gives the bot's routes as an axum `Router`, with everything that the
//! configuration says of authentication, store and limits. Here they are nested under `/bot`:
//! channels post to `/bot/api/messages`. Routes of the application and turns of the bot use the
//! same things. Run it with `SAYSO_AUTH=none cargo run --example mounted`, then try
//!
//! ```sh
//! curl http://127.0.0.1:3978/menu
//! curl http://127.0.0.1:3978/bot/api/messages -H 'content-type: application/json' -d '{"type":"message",
//!   "id":"1","text":"menu","channelId":"test","conversation":{"id":"c"},"deliveryMode":"expectReplies"}'
//! ```

use std::{net::SocketAddr, sync::Arc};

use axum::{Json, Router, extract::State, http::StatusCode, routing::get};
use sayso::{DEFAULT_ADDRESS, prelude::*};
use tokio::net::TcpListener;

/// State of the application, which the bot shares.
#[derive(Clone)]
struct Shop {
    menu: Arc<[&'static str]>,
}

fn shop() -> Shop {
    Shop { menu: Arc::new(["Margherita", "Funghi"]) }
}

async fn menu(State(shop): State<Shop>) -> Json<Vec<&'static str>> {
    Json(shop.menu.to_vec())
}

fn bot(shop: Shop) -> Bot {
    Bot::new().on_message(move |mut turn: Turn| {
        let menu = Arc::clone(&shop.menu);
        async move {
            turn.say(format!("We have {}.", menu.join(" and ")));
            Ok(())
        }
    })
}

/// The application, with the bot's routes in it.
fn app(shop: Shop, bot: Router) -> Router {
    Router::new()
        .route("/menu", get(menu))
        .fallback(|| async { (StatusCode::NOT_FOUND, "Not on the menu.") })
        .with_state(shop)
        .nest("/bot", bot)
}

#[tokio::main]
async fn main() -> Result {
    let shop = shop();
    let server = Server::new(bot(shop.clone())).config(&Config::load(None)?)?;
    let (routes, engine) = server.into_parts().await?;
    let listener = TcpListener::bind(DEFAULT_ADDRESS).await?;
    let stop = async { drop(tokio::signal::ctrl_c().await) };
    // Without authentication the bot wants to know that its peer is on this machine.
    let app = app(shop, routes).into_make_service_with_connect_info::<SocketAddr>();
    axum::serve(listener, app).with_graceful_shutdown(stop).await?;
    // Turns and replies under way are finished; what is left, the next start finishes.
    engine.close(std::time::Duration::from_secs(10)).await;
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    async fn serve() -> String {
        let store = sayso::open_store("memory://").await.unwrap();
        let server = Server::new(bot(shop())).unauthenticated().store(store);
        let (routes, _) = server.into_parts().await.unwrap();
        let app = app(shop(), routes);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let app = app.into_make_service_with_connect_info::<SocketAddr>();
        drop(tokio::spawn(async move { axum::serve(listener, app).await }));
        url
    }

    #[tokio::test]
    async fn the_application_and_its_bot_answer_side_by_side() {
        let (url, http) = (serve().await, reqwest::Client::new());
        let menu: Value =
            http.get(format!("{url}/menu")).send().await.unwrap().json().await.unwrap();
        assert_eq!(menu, json!(["Margherita", "Funghi"]));
        let message = json!({ "type": "message", "id": "1", "text": "menu", "channelId": "test",
            "conversation": { "id": "c" }, "deliveryMode": "expectReplies" });
        let said =
            http.post(format!("{url}/bot/api/messages")).json(&message).send().await.unwrap();
        let said: Value = said.json().await.unwrap();
        assert_eq!(said["activities"][0]["text"], "We have Margherita and Funghi.");
        for path in ["/pasta", "/bot/pasta", "/api/messages"] {
            let lost = http.get(format!("{url}{path}")).send().await.unwrap();
            assert_eq!(lost.text().await.unwrap(), "Not on the menu.", "{path}");
        }
    }
}
