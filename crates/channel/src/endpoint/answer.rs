//! HTTP response to a turn that was committed.

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

use super::error_response::{self, ErrorResponse, failed};

/// Content of the response that the sender expects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AnswerKind {
    /// Only the acknowledgement.
    Acknowledgement,
    /// The replies themselves.
    Replies,
    /// The response to an invoke.
    Response,
    /// The replies, among them the response to an invoke.
    ResponseInReplies,
}

impl AnswerKind {
    pub(super) fn of(activity: &Activity) -> Self {
        match (activity.kind == Kind::Invoke, activity.expects_replies()) {
            (false, false) => Self::Acknowledgement,
            (false, true) => Self::Replies,
            (true, false) => Self::Response,
            (true, true) => Self::ResponseInReplies,
        }
    }
}

/// Takes the replies of an answer out of the name space of a calling bot, for that bot.
pub(super) fn outside(mut answer: Answer) -> Answer {
    for reply in &mut answer.replies {
        // What we have written ourselves can be read.
        let Ok(mut activity) = Activity::from_json(reply.as_str().as_bytes()) else { continue };
        activity.leave_skill();
        if let Ok(text) = Raw::from_text(activity.to_text()) {
            *reply = text;
        }
    }
    answer
}

/// Converts the engine's answer into an HTTP response.
pub(super) fn give(kind: AnswerKind, answer: &Answer) -> Result<Response, ErrorResponse> {
    let response = answer.response.as_ref();
    match kind {
        AnswerKind::Acknowledgement if answer.is_pending => {
            Ok(StatusCode::ACCEPTED.into_response())
        }
        AnswerKind::Acknowledgement => Ok(StatusCode::OK.into_response()),
        AnswerKind::Replies => Ok(replies(&answer.replies, None)),
        AnswerKind::Response => respond(response.ok_or_else(unhandled)?),
        // Replies must not be lost because the response to the invoke is missing.
        AnswerKind::ResponseInReplies if response.is_none() && answer.replies.is_empty() => {
            Err(unhandled())
        }
        AnswerKind::ResponseInReplies => Ok(replies(&answer.replies, response)),
    }
}

/// `{"activities":[...]}`; the response to an invoke comes last, as in the SDKs.
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
    error_response::json(StatusCode::OK, &Expected { activities })
}

fn respond(response: &document::Response) -> Result<Response, ErrorResponse> {
    let status = StatusCode::from_u16(response.status).ok();
    let Some(status) = status.filter(|status| (200..600).contains(&status.as_u16())) else {
        tracing::error!(
            status = response.status,
            "the bot's response to an invoke has an invalid HTTP status"
        );
        return Err(failed("BotFailed", "the bot answered with an invalid HTTP status"));
    };
    let is_bodiless = matches!(status, StatusCode::NO_CONTENT | StatusCode::NOT_MODIFIED);
    Ok(match &response.body {
        Some(body) if !is_bodiless => {
            error_response::raw_json(status, Body::from(body.as_str().to_owned()))
        }
        _ => status.into_response(),
    })
}

fn unhandled() -> ErrorResponse {
    ErrorResponse::new(
        StatusCode::NOT_IMPLEMENTED,
        "NotImplemented",
        "this bot does not handle this invoke",
    )
}
