//! Tenant of an activity: the organisation in whose name somebody talks to the bot.
//!
//! The conversation names it. Where it does not, Teams names it in the data of the channel. That of
//! other channels is not looked at: there it is what the client has written.

use std::borrow::Cow;

use serde::Deserialize;

use crate::{Activity, ConversationParameters, Raw};

/// Channel whose data the service writes. Those of its kinds have a colon and a word behind it.
const TEAMS: &str = "msteams";

/// The part of the data of Teams that is read; the rest is skipped.
#[derive(Deserialize)]
struct ChannelData<'a> {
    #[serde(borrow)]
    tenant: Option<Tenant<'a>>,
}

#[derive(Deserialize)]
struct Tenant<'a> {
    #[serde(borrow)]
    id: Option<Cow<'a, str>>,
}

impl Activity {
    /// The id of the tenant: `conversation.tenantId`, else `channelData.tenant.id` on Teams.
    ///
    /// # Example
    ///
    /// ```
    /// use sayso_activity::Activity;
    ///
    /// let text = br#"{"type":"message","channelId":"msteams","conversation":{"id":"c"},
    ///     "channelData":{"tenant":{"id":"contoso"}}}"#;
    /// assert_eq!(Activity::from_json(text)?.tenant_id().as_deref(), Some("contoso"));
    /// # Ok::<(), sayso_activity::ParseError>(())
    /// ```
    #[must_use]
    pub fn tenant_id(&self) -> Option<Cow<'_, str>> {
        let named = self.conversation.as_ref().and_then(|one| one.tenant_id.as_deref());
        let named = named.filter(|id| !id.is_empty()).map(Cow::Borrowed);
        named.or_else(|| {
            let data = self.channel_data.as_ref()?;
            is_teams(self.channel()).then(|| in_data(data))?
        })
    }
}

impl ConversationParameters {
    /// The id of the tenant: `tenantId`, else `channelData.tenant.id`, which the bot has written.
    #[must_use]
    pub fn tenant(&self) -> Option<Cow<'_, str>> {
        let named = self.tenant_id.as_deref().filter(|id| !id.is_empty()).map(Cow::Borrowed);
        named.or_else(|| in_data(self.channel_data.as_ref()?))
    }
}

fn is_teams(channel: &str) -> bool {
    channel.strip_prefix(TEAMS).is_some_and(|rest| rest.is_empty() || rest.starts_with(':'))
}

/// The tenant in the data of Teams, without making anything of the rest of it.
fn in_data(data: &Raw) -> Option<Cow<'_, str>> {
    let data: ChannelData<'_> = serde_json::from_str(data.as_str()).ok()?;
    data.tenant?.id.filter(|id| !id.is_empty())
}

#[cfg(test)]
mod tests {
    use crate::{Account, Activity, ConversationParameters};

    #[test]
    fn only_the_data_of_teams_names_a_tenant() {
        for (channel, tenant) in [
            ("msteams", Some("a")),
            ("msteams:copilot", Some("a")),
            ("msteamsx", None),
            ("directline", None),
        ] {
            let text = format!(
                r#"{{"type":"message","channelId":"{channel}",
                    "channelData":{{"team":{{}},"tenant":{{"id":"\u0061","x":[1]}}}}}}"#
            );
            let activity = Activity::from_json(text.as_bytes()).unwrap();
            assert_eq!(activity.tenant_id().as_deref(), tenant, "{channel}");
        }
    }

    #[test]
    fn a_new_conversation_is_in_the_tenant_that_teams_is_told() {
        let new = || ConversationParameters::with(Account::new("bot"), Account::new("ann"));
        assert_eq!(new().tenant(), None);
        assert_eq!(new().in_tenant("a").tenant().as_deref(), Some("a"));
        let data = crate::Raw::from_text(r#"{"tenant":{"id":"b"}}"#.to_owned()).unwrap();
        let told = ConversationParameters { channel_data: Some(data), ..new() };
        assert_eq!(told.tenant().as_deref(), Some("b"));
        assert_eq!(told.in_tenant("a").tenant().as_deref(), Some("a"));
    }
}
