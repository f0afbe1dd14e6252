//! Requests and responses of the connector's REST API, activities aside.

mod listed;

pub use self::listed::{AttachmentView, ConversationMembers, PagedConversations};

use crate::json::wire_struct::wire_struct;
use crate::{Account, Activity, Raw};

wire_struct! {
    /// The parameters of a new conversation.
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
        /// True if more than two take part.
        is_group: bool = "isGroup",
        /// The bot.
        bot: Account = "bot",
        /// The members, the bot aside.
        members: Vec<Account> = "members",
        /// The topic.
        topic_name: String = "topicName",
        /// The tenant in Microsoft Entra ID.
        tenant_id: String = "tenantId",
        /// The first activity.
        activity: Activity = "activity",
        /// Data in a form of the channel's own.
        channel_data: Raw = "channelData",
    }
}

wire_struct! {
    /// A conversation that was created.
    pub struct ConversationResource, "conversation";
    required {}
    optional {
        /// The id of the first activity.
        activity_id: String = "activityId",
        /// The URL that activities are posted to.
        service_url: String = "serviceUrl",
        /// The id of the conversation.
        id: String = "id",
    }
}

wire_struct! {
    /// The id of an activity that the channel accepted.
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
        /// The token to ask with for the next page; unset on the last page.
        continuation_token: String = "continuationToken",
        /// The members.
        members: Vec<Account> = "members",
    }
}

wire_struct! {
    /// Replies in the answer to a sender that asked for them (`expectReplies`), or a transcript to
    /// upload.
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
    /// The body of a channel's error response.
    pub struct ErrorResponse, "error";
    required {}
    optional {
        /// The error.
        error: ErrorDetail = "error",
    }
}

wire_struct! {
    /// The error of a channel, as code and message.
    pub struct ErrorDetail, "error";
    required {}
    optional {
        /// The reason in one word.
        code: String = "code",
        /// The reason in a sentence.
        message: String = "message",
        /// The answer of a service behind the channel: `{"statusCode":502,"body":...}`.
        inner_http_error: Raw = "innerHttpError",
    }
}

impl ConversationParameters {
    /// A conversation of the bot with one other.
    #[must_use]
    pub fn with(bot: Account, member: Account) -> Self {
        Self { bot: Some(bot), members: Some(vec![member]), ..Self::default() }
    }

    /// Sets the first activity.
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
