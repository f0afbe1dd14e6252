//! Accounts: of people and bots, and of conversations.

use crate::json::wire_struct::wire_struct;

wire_struct! {
    /// A person or a bot on a channel.
    ///
    /// # Example
    ///
    /// ```
    /// use sayso_activity::Account;
    ///
    /// let ann = Account::new("ann").with_name("Ann");
    /// assert_eq!(serde_json::to_string(&ann)?, r#"{"id":"ann","name":"Ann"}"#);
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub struct Account, "account";
    required {}
    optional {
        /// The id on the channel.
        id: String = "id",
        /// The name to show.
        name: String = "name",
        /// The object id in Microsoft Entra ID.
        aad_object_id: String = "aadObjectId",
        /// The role: `user`, `bot` or `skill`.
        role: String = "role",
    }
}

wire_struct! {
    /// A conversation on a channel.
    ///
    /// # Example
    ///
    /// ```
    /// use sayso_activity::ConversationAccount;
    ///
    /// let conversation: ConversationAccount = serde_json::from_str(r#"{"id":"c1","isGroup":true}"#)?;
    /// assert_eq!(conversation.is_group, Some(true));
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub struct ConversationAccount, "conversation";
    required {}
    optional {
        /// The id on the channel.
        id: String = "id",
        /// The name to show.
        name: String = "name",
        /// True if more than two take part.
        is_group: bool = "isGroup",
        /// The channel's own word for the sort of conversation, such as `personal`.
        conversation_type: String = "conversationType",
        /// The tenant in Microsoft Entra ID.
        tenant_id: String = "tenantId",
        /// The object id in Microsoft Entra ID.
        aad_object_id: String = "aadObjectId",
        /// The role: `user`, `bot` or `skill`.
        role: String = "role",
    }
}

impl Account {
    /// An account with an id.
    #[must_use]
    pub fn new(id: impl Into<String>) -> Self {
        Self { id: Some(id.into()), ..Self::default() }
    }

    /// Sets the name to show.
    #[must_use]
    pub fn with_name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }
}

impl ConversationAccount {
    /// A conversation with an id.
    #[must_use]
    pub fn new(id: impl Into<String>) -> Self {
        Self { id: Some(id.into()), ..Self::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::{Account, ConversationAccount};

    #[test]
    fn members_of_a_channel_survive_in_order() {
        let text = r#"{"id":"a","role":"user","surname":"B","email":null}"#;
        let account: Account = serde_json::from_str(text).unwrap();
        assert_eq!(account.role.as_deref(), Some("user"));
        assert_eq!(account.extra.len(), 2);
        assert_eq!(serde_json::to_string(&account).unwrap(), text);
    }

    #[test]
    fn a_wrong_type_is_refused_by_name() {
        let error = serde_json::from_str::<ConversationAccount>(r#"{"isGroup":"secret"}"#)
            .unwrap_err()
            .to_string();
        assert!(error.starts_with("conversation.isGroup: expected true or false"), "{error}");
        assert!(!error.contains("secret"), "{error}");
    }

    #[test]
    fn null_is_not_an_account() {
        let error = serde_json::from_str::<Account>("null").unwrap_err().to_string();
        assert!(error.starts_with("account: expected an object"), "{error}");
    }
}
