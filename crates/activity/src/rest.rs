//! The bodies of the channel's REST interface, beside activities: what a bot asks for, and what it
//! is told.

mod listed;

pub use self::listed::{AttachmentView, ConversationMembers, PagedConversations};

use crate::json::wire_struct::wire_struct;
use crate::{Account, Activity, Raw};

wire_struct! {
    /// What a new conversation should be.
    ///
    /// # Example
    ///
    /// ```
    /// use sayso_activity::{Account, Activity, ConversationParameters};
    ///
    /// let parameters = ConversationParameters::with(Account::new("28:bot"), Account::new("29:ann"))
    ///     .saying(Activity::message("Your pizza is ready."));
    /// assert_eq!(parameters.members.unwrap().len(), 1);
    /// ```
    pub struct ConversationParameters, "parameters";
    required {}
    optional {
        /// Whether more than two take part.
        is_group: bool = "isGroup",
        /// The bot.
        bot: Account = "bot",
        /// Who takes part, beside the bot.
        members: Vec<Account> = "members",
        /// What it is about.
        topic_name: String = "topicName",
        /// The tenant in Microsoft Entra ID.
        tenant_id: String = "tenantId",
        /// What is said first.
        activity: Activity = "activity",
        /// What only this channel understands.
        channel_data: Raw = "channelData",
    }
}

wire_struct! {
    /// A conversation that was made.
    pub struct ConversationResource, "conversation";
    required {}
    optional {
        /// The id of what was said first.
        activity_id: String = "activityId",
        /// Where activities are posted.
        service_url: String = "serviceUrl",
        /// The id of the conversation.
        id: String = "id",
    }
}

wire_struct! {
    /// Something that the channel took: its id.
    pub struct Resource, "resource";
    required {}
    optional {
        /// The id.
        id: String = "id",
    }
}

wire_struct! {
    /// Some of the members of a conversation.
    pub struct PagedMembers, "members";
    required {}
    optional {
        /// What to ask with for the next ones; there are no more without it.
        continuation_token: String = "continuationToken",
        /// The members.
        members: Vec<Account> = "members",
    }
}

wire_struct! {
    /// Replies that are given in the answer, as a sender asked with `expectReplies`; also a history
    /// to upload.
    pub struct Activities, "activities";
    required {}
    optional {
        /// The activities.
        activities: Vec<Activity> = "activities",
    }
}

wire_struct! {
    /// A file to upload.
    pub struct AttachmentData, "attachment";
    required {}
    optional {
        /// The media type: the member `type`.
        kind: String = "type",
        /// The name.
        name: String = "name",
        /// The file, as base64.
        original_base64: String = "originalBase64",
        /// A small picture of it, as base64.
        thumbnail_base64: String = "thumbnailBase64",
    }
}

wire_struct! {
    /// A file that was uploaded.
    pub struct AttachmentInfo, "attachment";
    required {}
    optional {
        /// The name.
        name: String = "name",
        /// The media type: the member `type`.
        kind: String = "type",
        /// The forms in which it can be fetched: `{"viewId":"original","size":7}`.
        views: Vec<Raw> = "views",
    }
}

wire_struct! {
    /// What a channel answers when it refuses.
    pub struct ErrorResponse, "error";
    required {}
    optional {
        /// Why.
        error: ErrorDetail = "error",
    }
}

wire_struct! {
    /// Why a channel refuses.
    pub struct ErrorDetail, "error";
    required {}
    optional {
        /// The reason in one word.
        code: String = "code",
        /// The reason in a sentence.
        message: String = "message",
        /// What a service behind the channel answered: `{"statusCode":502,"body":...}`.
        inner_http_error: Raw = "innerHttpError",
    }
}

impl ConversationParameters {
    /// A conversation of the bot with one other.
    #[must_use]
    pub fn with(bot: Account, member: Account) -> Self {
        Self { bot: Some(bot), members: Some(vec![member]), ..Self::default() }
    }

    /// Sets what is said first.
    #[must_use]
    pub fn saying(mut self, activity: Activity) -> Self {
        self.activity = Some(activity);
        self
    }

    /// Sets the tenant.
    #[must_use]
    pub fn in_tenant(mut self, id: impl Into<String>) -> Self {
        self.tenant_id = Some(id.into());
        self
    }
}
