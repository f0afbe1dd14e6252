//! Listings of a channel: conversations, and the views of a file.

use crate::json::wire_struct::wire_struct;
use crate::{Account, AttachmentInfo, Raw};

wire_struct! {
    /// Some of the conversations that a bot takes part in.
    ///
    /// # Example
    ///
    /// ```
    /// use sayso_activity::PagedConversations;
    ///
    /// let text = r#"{"continuationToken":"p2","conversations":[{"id":"c1","members":[{"id":"ann"}]}]}"#;
    /// let page: PagedConversations = serde_json::from_str(text)?;
    /// assert_eq!(page.conversations.unwrap()[0].id.as_deref(), Some("c1"));
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub struct PagedConversations, "conversations";
    required {}
    optional {
        /// The token to ask with for the next page; unset on the last page.
        continuation_token: String = "continuationToken",
        /// The conversations.
        conversations: Vec<ConversationMembers> = "conversations",
    }
}

wire_struct! {
    /// A conversation and who takes part in it: an entry of [`PagedConversations`].
    ///
    /// # Example
    ///
    /// ```
    /// use sayso_activity::ConversationMembers;
    ///
    /// let entry: ConversationMembers = serde_json::from_str(r#"{"id":"c1","members":[]}"#)?;
    /// assert_eq!(entry.members, Some(vec![]));
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub struct ConversationMembers, "conversation";
    required {}
    optional {
        /// The id of the conversation.
        id: String = "id",
        /// The members of the conversation.
        members: Vec<Account> = "members",
    }
}

wire_struct! {
    /// A form in which an uploaded file can be fetched: what stands in [`AttachmentInfo::views`].
    ///
    /// # Example
    ///
    /// ```
    /// use sayso_activity::AttachmentInfo;
    ///
    /// let text = r#"{"name":"a.png","type":"image/png","views":[{"viewId":"original","size":8605}]}"#;
    /// let info: AttachmentInfo = serde_json::from_str(text)?;
    /// let view = &info.read_views()[0];
    /// assert_eq!((view.view_id.as_deref(), view.bytes()), (Some("original"), Some(8605)));
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub struct AttachmentView, "view";
    required {}
    optional {
        /// The name of the form, such as `original` or `thumbnail`.
        view_id: String = "viewId",
        /// The size in bytes; [`bytes`](AttachmentView::bytes) reads it.
        size: Raw = "size",
    }
}

impl AttachmentView {
    /// The size in bytes, if the channel gives a number.
    #[must_use]
    pub fn bytes(&self) -> Option<u64> {
        self.size.as_ref()?.get().ok()
    }
}

impl AttachmentInfo {
    /// The forms in which it can be fetched, without those that cannot be read.
    #[must_use]
    pub fn read_views(&self) -> Vec<AttachmentView> {
        self.views.iter().flatten().filter_map(|view| view.get().ok()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_channel_adds_is_kept() {
        let text =
            r#"{"conversations":[{"id":"c","members":[{"id":"a","x":1.0}],"y":null}],"z":{}}"#;
        let page: PagedConversations = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&page).unwrap(), text);
    }

    #[test]
    fn a_size_that_is_no_number_is_kept_and_not_read() {
        for (size, bytes) in [("8605", Some(8605)), ("-1", None), ("1.5", None), (r#""8""#, None)] {
            let text = format!(r#"{{"viewId":"v","size":{size}}}"#);
            let view: AttachmentView = serde_json::from_str(&text).unwrap();
            assert_eq!(view.bytes(), bytes, "{size}");
            assert_eq!(serde_json::to_string(&view).unwrap(), text);
        }
        assert_eq!(AttachmentView::default().bytes(), None);
    }

    #[test]
    fn a_form_that_cannot_be_read_does_not_hide_the_others() {
        let text = r#"{"views":[7,{"viewId":1},{"viewId":"original"}]}"#;
        let info: AttachmentInfo = serde_json::from_str(text).unwrap();
        assert_eq!(info.read_views().len(), 1);
        assert!(AttachmentInfo::default().read_views().is_empty());
    }
}
