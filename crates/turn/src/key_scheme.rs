//! Key scheme: keeps bots and tenants that share a store apart.
//!
//! The key alone isolates them (multi-tenancy by key prefix), because a store looks at nothing
//! else. By default keys are those of the Bot Framework SDKs. With a bot or a tenant they begin
//! with a segment that no other key can begin with: `~{bot}/`, `~{bot}~{tenant}/` or `~~{tenant}/`.
//! Ids are encoded there, so that none can forge another one's segment.

use std::{borrow::Cow, sync::Arc};

use sayso_activity::Activity;

use crate::{
    Key, KeyError,
    key::scope::{MARK, encode, length},
};

/// Stands for the tenant of an activity without one. No id is encoded as this.
const NO_TENANT: &str = "_";

/// Scheme of the keys: whether they name the bot and the tenant.
///
/// The tenant is that of the [activity](Activity::tenant_id). All documents of a turn are in the
/// [scope](KeyScope) of its bot and tenant: those of the conversation and the user, and any other
/// that the bot opens. An instance takes up only what its own scheme names: several bots can share
/// a store.
///
/// It is to be set before the first conversation. An instance of another scheme finds nothing of
/// what there is, and does not deliver what waits there.
///
/// # Example
/// ```
/// use sayso_turn::{Bot, KeyScheme, Logic, activity::Activity};
///
/// let keys = KeyScheme::default().bot("pizza").by_tenant(true);
/// let activity = Activity::from_json(br#"{
///     "type": "message", "channelId": "msteams",
///     "conversation": {"id": "c", "tenantId": "contoso"}
/// }"#).unwrap();
/// let key = keys.key_of(&activity)?;
/// assert_eq!(key.as_str(), "~pizza~contoso/msteams/conversations/c");
/// assert_eq!(KeyScheme::default().key_of(&activity)?.as_str(), "msteams/conversations/c");
///
/// let bot = Bot::new().keys(keys);
/// assert!(Logic::keys(&bot).owns(&key));
/// # Ok::<(), sayso_turn::KeyError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeyScheme {
    /// The bot's id, encoded.
    bot: Option<Arc<str>>,
    by_tenant: bool,
}

/// Scope of keys: the bot and the tenant whose documents they name. Empty by default.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct KeyScope<'a>(Cow<'a, str>);

impl KeyScheme {
    /// Names the bot in each key. An empty id names none.
    #[must_use]
    pub fn bot(mut self, id: &str) -> Self {
        self.bot = (!id.is_empty()).then(|| encode(id).into());
        self
    }

    /// Sets whether each key names the tenant.
    #[must_use]
    pub fn by_tenant(mut self, by_tenant: bool) -> Self {
        self.by_tenant = by_tenant;
        self
    }

    /// Reports whether the keys are those of the SDKs.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        self.bot.is_none() && !self.by_tenant
    }

    /// Reports whether each key names the tenant.
    #[must_use]
    pub fn has_tenants(&self) -> bool {
        self.by_tenant
    }

    /// Returns the scope of a tenant, or of what has none.
    #[must_use]
    pub fn scope(&self, tenant: Option<&str>) -> KeyScope<'static> {
        if self.is_plain() {
            return KeyScope::default();
        }
        let mut text = self.prefix();
        if self.by_tenant {
            match tenant.filter(|id| !id.is_empty()) {
                Some(id) => text.push_str(&encode(id)),
                None => text.push_str(NO_TENANT),
            }
            text.push('/');
        }
        KeyScope(Cow::Owned(text))
    }

    /// Returns the text with which all keys of this scheme begin.
    #[must_use]
    pub fn prefix(&self) -> String {
        let bot = self.bot.as_deref().unwrap_or_default();
        match (self.is_plain(), self.by_tenant) {
            (true, _) => String::new(),
            (_, true) => format!("{MARK}{bot}{MARK}"),
            (_, false) => format!("{MARK}{bot}/"),
        }
    }

    /// Reports whether a document is of this scheme: of this bot, and with a tenant or without.
    #[must_use]
    pub fn owns(&self, key: &Key) -> bool {
        let scope = key.scope();
        scope.bot() == self.bot.as_deref() && scope.tenant().is_some() == self.by_tenant
    }

    /// Returns the scope of the documents of an activity's turn.
    #[must_use]
    pub fn scope_of(&self, activity: &Activity) -> KeyScope<'static> {
        match self.by_tenant {
            true => self.scope(activity.tenant_id().as_deref()),
            false => self.scope(None),
        }
    }

    /// Returns the key of the conversation that an activity belongs to.
    ///
    /// # Errors
    /// When the activity names no channel or no conversation, or the key is too long.
    pub fn key_of(&self, activity: &Activity) -> Result<Key, KeyError> {
        let conversation = activity.conversation.as_ref().and_then(|c| c.id.as_deref());
        self.scope_of(activity).conversation(
            activity.channel_id.as_deref().unwrap_or_default(),
            conversation.unwrap_or_default(),
        )
    }

    /// Writes the tenant into the conversation of an activity that has it elsewhere, if the keys
    /// need it: so timers, references and stored activities of its turn lead to the same key.
    pub(crate) fn settle(&self, mut activity: Arc<Activity>) -> Arc<Activity> {
        let is_there = |activity: &Activity| {
            let conversation = activity.conversation.as_ref();
            conversation.is_none_or(|c| c.tenant_id.as_deref().is_some_and(|id| !id.is_empty()))
        };
        if self.by_tenant
            && !is_there(&activity)
            && let Some(tenant) = activity.tenant_id().map(Cow::into_owned)
            && let Some(conversation) = Arc::make_mut(&mut activity).conversation.as_mut()
        {
            conversation.tenant_id = Some(tenant);
        }
        activity
    }
}

impl Key {
    /// Returns the scope of the key: the bot and the tenant that it names, if it names any.
    #[must_use]
    pub fn scope(&self) -> KeyScope<'_> {
        KeyScope(Cow::Borrowed(self.as_str().split_at(length(self.as_str())).0))
    }
}

impl KeyScope<'_> {
    /// Returns the text with which the keys begin; empty without bot and tenant.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Reports whether there is neither a bot nor a tenant.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the name of the bot in the keys: its id, encoded.
    #[must_use]
    pub fn bot(&self) -> Option<&str> {
        let head = self.0.strip_prefix(MARK)?.trim_end_matches('/');
        Some(head.split_once(MARK).map_or(head, |(bot, _)| bot)).filter(|bot| !bot.is_empty())
    }

    /// Returns the name of the tenant in the keys: its id, encoded; `_` for what has no tenant.
    #[must_use]
    pub fn tenant(&self) -> Option<&str> {
        let head = self.0.strip_prefix(MARK)?.trim_end_matches('/');
        head.split_once(MARK).map(|(_, tenant)| tenant)
    }

    /// Makes the key of a conversation's state.
    ///
    /// # Errors
    /// As [`Key::conversation`].
    pub fn conversation(&self, channel_id: &str, conversation_id: &str) -> Result<Key, KeyError> {
        Key::conversation_in(self.as_str(), channel_id, conversation_id)
    }

    /// Makes the key of a user's state on a channel.
    ///
    /// # Errors
    /// As [`Key::user`].
    pub fn user(&self, channel_id: &str, user_id: &str) -> Result<Key, KeyError> {
        Key::user_in(self.as_str(), channel_id, user_id)
    }

    /// Makes the key of one user's state in one conversation.
    ///
    /// # Errors
    /// As [`Key::private`].
    pub fn private(
        &self,
        channel_id: &str,
        conversation_id: &str,
        user_id: &str,
    ) -> Result<Key, KeyError> {
        Key::private_in(self.as_str(), channel_id, conversation_id, user_id)
    }

    /// Places any key in the scope. One of the scope stays as it is; one of another scope becomes a
    /// key in this one, so nothing outside can be reached.
    ///
    /// # Errors
    /// When the key becomes too long.
    pub fn place(&self, key: Key) -> Result<Key, KeyError> {
        match key.as_str().strip_prefix(self.as_str()) {
            Some(rest) if !rest.is_empty() => Ok(key),
            _ => Key::new(format!("{self}{}", key.as_str())),
        }
    }
}

impl std::fmt::Display for KeyScope<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests;
