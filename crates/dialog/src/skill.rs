//! Dialogs of a skill: another bot that called this one is told when they end, and may end them.

use sayso_activity::{Activity, Kind};

use crate::{
    dialog::{DialogTurn, Status},
    error::Result,
};

/// Code of a conversation that has reached its end.
const COMPLETED: &str = "completedSuccessfully";
/// Code of one that was given up.
const CANCELLED: &str = "userCancelled";

/// Reports whether a calling bot has ended the conversation. From a channel that is only news.
pub(crate) fn is_ended(inbound: &Activity) -> bool {
    inbound.kind == Kind::EndOfConversation && inbound.skill_caller().is_some()
}

/// The end of the conversation, for the bot that called, if the dialogs have ended in this turn.
pub(crate) fn end(inbound: &Activity, ended: &DialogTurn) -> Result<Option<Activity>> {
    let code = match ended.status {
        Status::Complete => COMPLETED,
        Status::Cancelled => CANCELLED,
        _ => return Ok(None),
    };
    if inbound.skill_caller().is_none() {
        return Ok(None);
    }
    let end = Activity::end_of_conversation().with_code(code);
    Ok(Some(match ended.result.is_null() {
        true => end,
        false => end.with_value(&ended.result)?,
    }))
}
