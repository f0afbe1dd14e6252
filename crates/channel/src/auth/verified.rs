//! Authorization: binds a verified token to the activity that came with it.

use std::sync::Arc;

use sayso_turn::activity::{Activity, Raw};

use super::{keys::Keys, rejection::Rejection};
use crate::{ServiceUrls, skill_callers::SkillCallers};

/// Refusal of a service URL that the caller's token does not name, and no list has.
const UNFIT_URL: Rejection =
    Rejection::Forbidden("the activity's serviceUrl is not allowed for this caller");

/// A caller with a valid token. [`admit`](Self::admit) decides whether it may send an activity.
#[derive(Debug)]
pub(crate) struct Verified {
    pub(super) caller: Caller,
    /// The `callerId` that the activity gets.
    pub(super) caller_id: Option<String>,
}

/// The type of a caller, and the data that binds its token to an activity.
#[derive(Debug)]
pub(super) enum Caller {
    /// A channel: the token names its service URL, and the key has endorsements for channels.
    Channel { service_url: Option<String>, keys: Arc<Keys>, kid: String },
    /// The emulator: the token names no service URL, so a list decides.
    Emulator { service_urls: ServiceUrls },
    /// Another bot, by its position in a list: its own list of service URLs decides.
    Skill { callers: SkillCallers, position: usize },
}

impl Verified {
    /// Checks that the caller may send this activity, and sets the activity's `callerId`. One of
    /// another bot is put into the name space of that bot.
    pub(crate) fn admit(&self, activity: &mut Activity) -> Result<(), Rejection> {
        let named = activity.service_url.as_deref().unwrap_or_default();
        match &self.caller {
            Caller::Channel { service_url, keys, kid } => {
                check_service_url(service_url.as_deref(), named)?;
                let channel = activity.channel_id.as_deref().unwrap_or_default();
                let key = keys.get(kid).filter(|_| !channel.is_empty());
                if !key.is_some_and(|key| key.endorsements.iter().any(|known| known == channel)) {
                    return Err(Rejection::Forbidden(
                        "the token's key is not endorsed for the activity's channelId",
                    ));
                }
            }
            Caller::Emulator { service_urls } if service_urls.allows(named) => {}
            Caller::Emulator { .. } => return Err(UNFIT_URL),
            Caller::Skill { callers, position } => {
                let caller = callers.get(*position);
                let caller = caller.filter(|caller| caller.service_urls.allows(named));
                activity.enter_skill(&caller.ok_or(UNFIT_URL)?.app_id);
            }
        }
        if let Some(caller_id) = &self.caller_id {
            drop(activity.extra.insert("callerId", Raw::from(serde_json::json!(caller_id))));
        }
        Ok(())
    }
}

/// Checks that a token's claim is the activity's service URL, letter by letter, as the SDKs do. So
/// there is no leniency that a real channel could need.
fn check_service_url(claimed: Option<&str>, named: &str) -> Result<(), Rejection> {
    let Some(claimed) = claimed.filter(|claimed| !claimed.is_empty()) else {
        return Err(Rejection::Forbidden("the token has no service URL"));
    };
    // Parsers of URLs disagree on where the host ends if one of these characters occurs.
    let is_plain = claimed.bytes().all(|byte| byte.is_ascii_graphic() && !b"\\@#?".contains(&byte));
    if !is_plain || claimed != named {
        return Err(Rejection::Forbidden(
            "the token's service URL does not match the activity's serviceUrl",
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_claim_is_the_service_url_letter_by_letter() {
        let claim = "https://smba.example/Teams/";
        assert_eq!(check_service_url(Some(claim), claim), Ok(()));
        for named in [
            "",
            "https://smba.example/teams/",
            "https://Smba.example/Teams/",
            "https://smba.example/Teams",
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
