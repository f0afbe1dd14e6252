//! Streaming response (`deliveryMode: stream`) as server-sent events: signs (typing indicators and
//! partial texts) as they come, then the replies.

use std::convert::Infallible;

use axum::response::{
    IntoResponse, Response,
    sse::{Event, KeepAlive, Sse},
};
use futures_util::{StreamExt, stream};
use sayso_turn::{
    Answer, Engine,
    activity::{Activity, Kind},
};
use tokio::sync::{mpsc, oneshot};

use super::{
    answer::outside,
    error_response::{self, ErrorResponse},
};

/// Queue limit for a slow reader. Further signs are dropped: they are ephemeral anyway.
const WAITING_MAX: usize = 64;

/// Runs the turn and streams its output. A turn that ends before it shows a sign is answered with
/// the status that it would have without streaming, for success as for failure.
pub(super) async fn answer(engine: Engine, activity: Activity) -> Result<Response, ErrorResponse> {
    let is_invoke = activity.kind == Kind::Invoke;
    let is_skill = activity.skill_caller().is_some();
    let (signs, mut shown) = mpsc::channel(WAITING_MAX);
    let (ended, end) = oneshot::channel();
    // A task of its own: a sender that disconnects does not stop the turn.
    tokio::spawn(async move {
        let listener = move |mut sign: Activity| {
            if is_skill {
                sign.leave_skill();
            }
            drop(signs.try_send(sign));
        };
        let answer = engine.receive_live(activity, listener).await;
        drop(ended.send(if is_skill { answer.map(outside) } else { answer }));
    });
    // All signs come before the end: the listener is dropped with the turn.
    let first = shown.recv().await;
    if first.is_none() {
        let answer = end.await.unwrap_or_else(|_| Err(abandoned()));
        let answer = answer.map_err(|error| error_response::for_turn_error(&error))?;
        return Ok(events(stream::iter(replies(&answer, is_invoke))));
    }
    let signs = stream::unfold((first, shown), |(next, mut shown)| async move {
        let event = activity_event(&next?.to_json());
        let next = shown.recv().await;
        Some((event, (next, shown)))
    });
    let rest = async move {
        let last = match end.await.unwrap_or_else(|_| Err(abandoned())) {
            Ok(answer) => replies(&answer, is_invoke),
            Err(error) => vec![error_response::for_turn_error(&error).event()],
        };
        stream::iter(last)
    };
    Ok(events(signs.chain(stream::once(rest).flatten())))
}

fn abandoned() -> sayso_turn::Error {
    sayso_turn::Error::Closing
}

fn events(events: impl stream::Stream<Item = Event> + Send + 'static) -> Response {
    let events = events.map(Ok::<_, Infallible>);
    Sse::new(events).keep_alive(KeepAlive::default()).into_response()
}

fn replies(answer: &Answer, is_invoke: bool) -> Vec<Event> {
    let replies = answer.replies.iter().map(|raw| activity_event(raw.as_str().as_bytes()));
    let response = answer.response.as_ref().filter(|_| is_invoke);
    let response = response.and_then(|response| serde_json::to_string(response).ok());
    let response = response.map(|json| Event::default().event("invokeResponse").data(json));
    replies.chain(response).collect()
}

fn activity_event(json: &[u8]) -> Event {
    Event::default().event("activity").data(String::from_utf8_lossy(json))
}
