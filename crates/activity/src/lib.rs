//! Bot Framework activities: typed where bots use them, everything else kept as it came.
//!
//! A bot sits between channels that add members at will, so this crate promises that nothing is
//! lost: what is parsed and written again is the same JSON value. Members that bots read every day
//! are typed fields; the others stay in [`Extra`] as [`Raw`] text, numbers with all their digits.
//!
//! # Limits
//!
//! Reading needs `serde_json`: a [`Raw`] is text of that parser, so other serde formats and
//! buffering adapters (`#[serde(flatten)]`, `#[serde(untagged)]`) cannot produce one.
//!
//! # Example
//!
//! ```
//! use sayso_activity::Activity;
//!
//! let inbound = Activity::from_json(
//!     br#"{"type":"message","id":"7","text":"hi","channelId":"test","importance":"high",
//!          "from":{"id":"ann"},"recipient":{"id":"bot"},"conversation":{"id":"c1"}}"#,
//! )?;
//! assert_eq!(inbound.text(), "hi");
//! assert_eq!(inbound.extra.get("importance").unwrap().as_str(), r#""high""#);
//!
//! let reply = inbound.reply_to("hello Ann");
//! assert_eq!(reply.reply_to_id.as_deref(), Some("7"));
//! # Ok::<(), sayso_activity::ParseError>(())
//! ```

mod accessors;
mod account;
mod activity;
mod attachment;
mod build;
mod card;
mod delivery_mode;
mod entity;
mod invoke;
mod kind;
mod mention;
mod reference;
mod rest;
mod skill;
mod tenant;

#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub mod fuzz;
pub mod json;

pub use crate::accessors::Reaction;
pub use crate::account::{Account, ConversationAccount};
pub use crate::activity::Activity;
pub use crate::attachment::Attachment;
pub use crate::card::{
    AdaptiveCard, AnimationCard, AudioCard, CardAction, CardImage, Fact, HeroCard, MediaUrl,
    OAuthCard, ReceiptCard, ReceiptItem, SigninCard, SuggestedActions, ThumbnailCard, ThumbnailUrl,
    TokenExchangeResource, VideoCard,
};
pub use crate::delivery_mode::DeliveryMode;
pub use crate::entity::{Entity, GeoCoordinates, Mention, Place, Thing};
pub use crate::invoke::{
    AdaptiveCardAction, AdaptiveCardInvoke, AdaptiveCardResponse, InvokeError, SearchInvoke,
    SearchResponse, SearchResult, Token, TokenExchangeRequest, TokenExchangeResponse,
    TokenResponse,
};
pub use crate::json::extra::Extra;
pub use crate::json::parse::ParseError;
pub use crate::json::raw::Raw;
pub use crate::json::write::{ListText, ObjectText};
pub use crate::kind::Kind;
pub use crate::reference::Reference;
pub use crate::rest::{
    Activities, AttachmentData, AttachmentInfo, AttachmentView, ConversationMembers,
    ConversationParameters, ConversationResource, ErrorDetail, ErrorResponse, PagedConversations,
    PagedMembers, Resource,
};
pub use crate::skill::SKILL_CHANNEL;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
