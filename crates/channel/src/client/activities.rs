//! Activities of a conversation: sending, updating, deleting.

use sayso_turn::activity::{Account, Activities, Activity};

use super::{
    Error, Service,
    call::{Call, json},
    path::is_history,
};
use crate::connector::body;

impl Service {
    /// Sends an activity to a conversation, and returns the id that the channel assigned, if any.
    ///
    /// The activity's own id is not sent. Kinds that channels do not support, such as traces, are
    /// sent like all others, unlike by the engine's courier.
    ///
    /// # Errors
    /// [`Error`], sorted by remedy.
    ///
    /// # Cancellation
    /// It may have been sent.
    pub async fn send(
        &self,
        conversation: &str,
        activity: &Activity,
    ) -> Result<Option<String>, Error> {
        let url = self.activities(conversation)?.address()?;
        let call = Call::post("sending the activity", url, body(activity));
        Ok(self.ask(call).await?.id().await)
    }

    /// Replies to an activity, and returns the id that the channel assigned to the reply, if any.
    ///
    /// # Errors
    /// [`Error`], sorted by remedy. No activity can have the id `history`: that is another call.
    ///
    /// # Cancellation
    /// It may have been sent.
    pub async fn reply(
        &self,
        conversation: &str,
        reply_to: &str,
        activity: &Activity,
    ) -> Result<Option<String>, Error> {
        if is_history(reply_to) {
            return Err(Error::unfit("no activity can have the id `history`"));
        }
        let url = self.activity(conversation, reply_to)?.address()?;
        let call = Call::post("sending the reply", url, body(activity));
        Ok(self.ask(call).await?.id().await)
    }

    /// Replaces an earlier activity, and returns its id, if the channel's answer has one.
    ///
    /// # Errors
    /// [`Error`], sorted by remedy. Channels without support for it refuse.
    ///
    /// # Cancellation
    /// It may have been changed; repeating the call is harmless.
    pub async fn update(
        &self,
        conversation: &str,
        id: &str,
        activity: &Activity,
    ) -> Result<Option<String>, Error> {
        let url = self.activity(conversation, id)?.address()?;
        let activity = Activity { id: Some(id.to_owned()), ..activity.clone() };
        let call = Call::put("updating the activity", url, activity.to_json());
        Ok(self.ask(call).await?.id().await)
    }

    /// Deletes an activity.
    ///
    /// # Errors
    /// [`Error`], sorted by remedy. [`Error::Gone`] means that it does not exist any more; channels
    /// without support for it refuse.
    ///
    /// # Cancellation
    /// It may have been deleted; repeating the call is harmless.
    pub async fn delete(&self, conversation: &str, id: &str) -> Result<(), Error> {
        let url = self.activity(conversation, id)?.address()?;
        self.ask(Call::delete("deleting the activity", url)).await?.done().await;
        Ok(())
    }

    /// Lists the members that can see an activity.
    ///
    /// # Errors
    /// [`Error`], sorted by remedy.
    ///
    /// # Cancellation
    /// It changes nothing.
    pub async fn activity_members(
        &self,
        conversation: &str,
        id: &str,
    ) -> Result<Vec<Account>, Error> {
        let url = self.activity(conversation, id)?.then("/members").address()?;
        self.ask(Call::get("listing the activity's members", url)).await?.value().await
    }

    /// Uploads a transcript of earlier messages, and returns the id that the channel assigned, if
    /// any.
    ///
    /// # Errors
    /// [`Error`], sorted by remedy. Most channels refuse.
    ///
    /// # Cancellation
    /// It may have been uploaded.
    pub async fn send_history(
        &self,
        conversation: &str,
        history: &Activities,
    ) -> Result<Option<String>, Error> {
        let url = self.activities(conversation)?.then("/history").address()?;
        let call = Call::post("uploading the history", url, json(history)?);
        Ok(self.ask(call).await?.id().await)
    }
}
