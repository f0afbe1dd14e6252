//! A token that was checked, and the activity that came with it.

use std::sync::Arc;

use sayso_turn::activity::{Activity, Raw};

use super::{denial::Denial, keys::Keys, options::Skills};
use crate::ServiceUrls;

/// A caller whose token is good. Whether it may send a given activity is another question.
#[derive(Debug)]
pub(crate) struct Verified {
    pub(super) caller: Caller,
    /// What the activity's `callerId` becomes.
    pub(super) caller_id: Option<String>,
}

/// Who shows a token, and what binds the token to an activity.
#[derive(Debug)]
pub(super) enum Caller {
    /// A channel: the token says its service URL, the key says which channels it speaks for.
    Channel { service_url: Option<String>, keys: Arc<Keys>, kid: String },
    /// The emulator or another bot: the token says nothing, so a list must.
    Listed { service_urls: ServiceUrls },
}

impl Verified {
    /// Whether the caller may send this activity; if so, the activity learns who called.
    pub(crate) fn admit(&self, activity: &mut Activity) -> Result<(), Denial> {
        let named = activity.service_url.as_deref().unwrap_or_default();
        match &self.caller {
            Caller::Channel { service_url, keys, kid } => {
                check_service_url(service_url.as_deref(), named)?;
                let channel = activity.channel_id.as_deref().unwrap_or_default();
                let key = keys.get(kid).filter(|_| !channel.is_empty());
                if !key.is_some_and(|key| key.endorsements.iter().any(|known| known == channel)) {
                    return Err(Denial::Forbidden(
                        "the token's key does not speak for the activity's channelId",
                    ));
                }
            }
            Caller::Listed { service_urls } => {
                if !service_urls.allows(named) {
                    return Err(Denial::Forbidden(
                        "the activity's serviceUrl is not on the list for such callers",
                    ));
                }
            }
        }
        if let Some(caller_id) = &self.caller_id {
            drop(activity.extra.insert("callerId", Raw::from(serde_json::json!(caller_id))));
        }
        Ok(())
    }
}

/// Whether a token's claim is the activity's service URL, give or take case and a final slash.
fn check_service_url(claimed: Option<&str>, named: &str) -> Result<(), Denial> {
    let Some(claimed) = claimed.filter(|claimed| !claimed.is_empty()) else {
        return Err(Denial::Forbidden("the token does not say its service URL"));
    };
    let bare = |url: &'_ str| url.strip_suffix('/').unwrap_or(url).to_ascii_lowercase();
    // In these, readers of URLs differ about where the host ends.
    let is_plain = claimed.bytes().all(|byte| byte.is_ascii_graphic() && !b"\\@#?".contains(&byte));
    if !is_plain || bare(claimed) != bare(named) {
        return Err(Denial::Forbidden("the token's service URL is not the activity's serviceUrl"));
    }
    Ok(())
}

impl Skills {
    pub(super) fn names(&self, caller: &str) -> bool {
        self.callers.iter().any(|known| known.eq_ignore_ascii_case(caller))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_claim_is_the_service_url_but_for_case_and_one_slash() {
        let claim = "https://Smba.example/Teams/";
        for named in ["https://smba.example/teams", "https://smba.example/teams/", claim] {
            assert_eq!(check_service_url(Some(claim), named), Ok(()), "{named}");
        }
        for named in [
            "",
            "https://smba.example/teams//",
            "https://smba.example/team",
            "https://smba.example:443/teams",
            "http://smba.example/teams",
            "https://smba.example.evil.example/teams",
            "https://smba.example",
        ] {
            assert!(check_service_url(Some(claim), named).is_err(), "{named}");
        }
        for url in [
            "",
            "https://u@smba.example/",
            "https://smba.example/#x",
            "https://smba.example/?x",
            "https://smba.example\\@evil.example/",
            "https://smba.example /",
            "https://smbä.example/",
        ] {
            assert!(check_service_url(Some(url), url).is_err(), "{url}");
        }
        assert!(check_service_url(None, "https://smba.example").is_err());
    }
}
