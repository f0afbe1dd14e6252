//! What a sender gets when its turn is durable.

use axum::{
    body::Body,
    http::StatusCode,
    response::{IntoResponse, Response},
};
use sayso_turn::{
    Answer,
    activity::{Activity, Kind, Raw},
    document,
};
use serde::Serialize;

use super::refusal::{self, Refusal, failed};

/// What the sender waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Want {
    /// To know that it was taken.
    Receipt,
    /// The replies themselves.
    Replies,
    /// The response to an invoke.
    Response,
    /// The response to an invoke, among the replies.
    ResponseInReplies,
}

impl Want {
    pub(super) fn of(activity: &Activity) -> Self {
        match (activity.kind == Kind::Invoke, expects_replies(activity)) {
            (false, false) => Self::Receipt,
            (false, true) => Self::Replies,
            (true, false) => Self::Response,
            (true, true) => Self::ResponseInReplies,
        }
    }
}

/// Whether replies go into the answer. Any other delivery mode counts as normal.
pub(super) fn expects_replies(activity: &Activity) -> bool {
    matches!(activity.delivery_mode.as_deref(), Some("expectReplies" | "stream"))
}

/// Turns the engine's answer into an HTTP one.
pub(super) fn give(want: Want, answer: &Answer) -> Result<Response, Refusal> {
    let response = answer.response.as_ref();
    match want {
        Want::Receipt if answer.is_pending => Ok(StatusCode::ACCEPTED.into_response()),
        Want::Receipt => Ok(StatusCode::OK.into_response()),
        Want::Replies => Ok(replies(&answer.replies, None)),
        Want::Response => respond(response.ok_or_else(unhandled)?),
        // Replies that were made must not be lost because the response is missing.
        Want::ResponseInReplies if response.is_none() && answer.replies.is_empty() => {
            Err(unhandled())
        }
        Want::ResponseInReplies => Ok(replies(&answer.replies, response)),
    }
}

/// `{"activities":[...]}`; the response to an invoke is the last of them, as the SDKs do it.
fn replies(replies: &[Raw], response: Option<&document::Response>) -> Response {
    #[derive(Serialize)]
    struct Expected<'a> {
        activities: Vec<Item<'a>>,
    }
    #[derive(Serialize)]
    #[serde(untagged)]
    enum Item<'a> {
        Reply(&'a Raw),
        Response {
            #[serde(rename = "type")]
            kind: &'static str,
            value: &'a document::Response,
        },
    }
    let response = response.map(|value| Item::Response { kind: "invokeResponse", value });
    let activities = replies.iter().map(Item::Reply).chain(response).collect();
    refusal::json(StatusCode::OK, &Expected { activities })
}

fn respond(response: &document::Response) -> Result<Response, Refusal> {
    let status = StatusCode::from_u16(response.status).ok();
    let Some(status) = status.filter(|status| (200..600).contains(&status.as_u16())) else {
        tracing::error!(status = response.status, "the bot's response has no HTTP status");
        return Err(failed("BotFailed", "the bot answered with something that is not a status"));
    };
    let is_bodiless = matches!(status, StatusCode::NO_CONTENT | StatusCode::NOT_MODIFIED);
    Ok(match &response.body {
        Some(body) if !is_bodiless => {
            refusal::raw_json(status, Body::from(body.as_str().to_owned()))
        }
        _ => status.into_response(),
    })
}

fn unhandled() -> Refusal {
    Refusal::new(
        StatusCode::NOT_IMPLEMENTED,
        "NotImplemented",
        "the bot has no response to this invoke",
    )
}
