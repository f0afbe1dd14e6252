//! Bot Framework protocol over HTTP: the endpoint that channels post activities to, and the client
//! that delivers replies.
//!
//! [`router`] receives activities and responds when their turns are durable. [`Connector`] is the
//! [`Channel`](sayso_turn::channel::Channel) through which the engine's courier delivers replies.
//! Both check addresses that came with an activity against [`ServiceUrls`], an allow-list. [`auth`]
//! authenticates senders, and the bot to channels. [`client`] calls channels for everything else:
//! members, new conversations, updates and deletions, files.
//!
//! # Example
//!
//! ```
//! use std::sync::Arc;
//! use sayso_channel::{Connector, ConnectorOptions, EndpointOptions, router};
//! use sayso_turn::{Bot, Engine, Turn, store::MemoryStore};
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let bot = Bot::new().on_message(async |mut turn: Turn| { turn.say("hello"); Ok(()) });
//! let connector = Arc::new(Connector::new(ConnectorOptions::default())?);
//! let engine = Engine::builder(bot, Arc::new(MemoryStore::default()), connector).start();
//! let app = router(engine, EndpointOptions::unauthenticated()); // for programs of this machine
//! let app = app.into_make_service_with_connect_info::<std::net::SocketAddr>();
//! let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
//! let server = axum::serve(listener, app); // `.await` it to serve
//! # drop(server);
//! # Ok(()) }
//! ```

pub mod auth;
pub mod client;
mod connector;
mod endpoint;
#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub mod fuzz;
mod proactive;
mod service_urls;
mod skill_callers;
mod sync;

pub use connector::{Connector, ConnectorError, ConnectorOptions};
pub use endpoint::{
    EndpointAuth, EndpointOptions, LocalGuard, Rate, RateLimits, Refusals, StatusOptions,
    guard_local, router, routes, status_routes,
};
pub use proactive::{BeginError, Begun, NewConversation};
pub use service_urls::ServiceUrls;
pub use skill_callers::SkillCaller;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
