//! Default address of a script's activities: channel, conversation, accounts, language.

use sayso_activity::{Account, Activity, ConversationAccount};

/// Defaults for activities without an address of their own.
#[derive(Clone, Debug)]
pub(super) struct Address {
    pub(super) channel_id: String,
    pub(super) conversation: String,
    pub(super) tenant: Option<String>,
    pub(super) locale: Option<String>,
    pub(super) user: Account,
    bot: Account,
}

impl Default for Address {
    fn default() -> Self {
        Self {
            channel_id: "test".to_owned(),
            conversation: "conversation".to_owned(),
            tenant: None,
            locale: None,
            user: account("user", "user"),
            bot: account("bot", "bot"),
        }
    }
}

impl Address {
    /// Fills in the missing parts of an inbound activity's address, except its id.
    pub(super) fn fill(&self, activity: &mut Activity) {
        let conversation = || ConversationAccount {
            tenant_id: self.tenant.clone(),
            ..ConversationAccount::new(&self.conversation)
        };
        activity.channel_id.get_or_insert_with(|| self.channel_id.clone());
        activity.service_url.get_or_insert_with(|| "https://channel.test".to_owned());
        activity.conversation.get_or_insert_with(conversation);
        activity.from.get_or_insert_with(|| self.user.clone());
        activity.recipient.get_or_insert_with(|| self.bot.clone());
        activity.locale = activity.locale.take().or_else(|| self.locale.clone());
    }
}

/// Makes an account whose id is its name.
pub(super) fn account(name: &str, role: &str) -> Account {
    Account { role: Some(role.to_owned()), ..Account::new(name).with_name(name) }
}
