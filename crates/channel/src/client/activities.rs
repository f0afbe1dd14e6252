//! What is said in a conversation.

use sayso_turn::activity::{Account, Activities, Activity};

use super::{
    Error, Service,
    call::{Call, json},
    path::is_history,
};
use crate::connector::body;

impl Service {
    /// Says something in a conversation, and returns the id that the channel gave it, if any.
    ///
    /// The activity's own id is not sent. Kinds that mean nothing to channels, such as traces, are
    /// sent like all others; the engine's courier knows better.
    ///
    /// # Errors
    /// [`Error`], by what to do.
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

    /// Answers an activity, and returns the id that the channel gave the answer, if any.
    ///
    /// # Errors
    /// [`Error`], by what to do. No activity can have the id `history`: that is another call.
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

    /// Puts an activity in the place of an earlier one, and returns the id that it has now, if the
    /// channel says it.
    ///
    /// # Errors
    /// [`Error`], by what to do. Channels that cannot do it refuse.
    ///
    /// # Cancellation
    /// It may have been changed; making the call again does no harm.
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

    /// Takes an activity back.
    ///
    /// # Errors
    /// [`Error`], by what to do. [`Error::Gone`] says that it is not there any more; channels that
    /// cannot do it refuse.
    ///
    /// # Cancellation
    /// It may have been deleted; making the call again does no harm.
    pub async fn delete(&self, conversation: &str, id: &str) -> Result<(), Error> {
        let url = self.activity(conversation, id)?.address()?;
        self.ask(Call::delete("deleting the activity", url)).await?.done().await;
        Ok(())
    }

    /// Who can see an activity.
    ///
    /// # Errors
    /// [`Error`], by what to do.
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

    /// Uploads what was said before, and returns the id that the channel gave it, if any.
    ///
    /// # Errors
    /// [`Error`], by what to do. Most channels refuse.
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
