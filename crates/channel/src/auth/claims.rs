//! What a token claims: from whom, for whom, when.

use std::time::Duration;

use sayso_turn::clock::Timestamp;
use serde::Deserialize;

use super::denial::Denial;

/// The claims that decide something. A list of audiences, a number as text or a claim that stands
/// twice is not readable.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Claims {
    pub(super) iss: String,
    pub(super) aud: String,
    exp: u64,
    nbf: u64,
    pub(super) serviceurl: Option<String>,
    ver: Option<String>,
    appid: Option<String>,
    azp: Option<String>,
}

impl Claims {
    /// Whether the token is for this app and its time is now, give or take the leeway.
    pub(super) fn check(
        &self,
        audience: &str,
        now: Timestamp,
        leeway: Duration,
    ) -> Result<(), Denial> {
        if self.aud != audience {
            return Err(Denial::Unknown("the token is for another audience"));
        }
        let at = |seconds: u64| Timestamp::from_millis(seconds.saturating_mul(1000));
        if at(self.exp).after(leeway) < now {
            return Err(Denial::Unknown("the token is expired"));
        }
        if at(self.nbf) > now.after(leeway) {
            return Err(Denial::Unknown("the token is not valid yet"));
        }
        Ok(())
    }

    /// The app that asked for the token: which claim says it depends on the token's version.
    pub(super) fn caller(&self) -> Option<&str> {
        let caller = match self.ver.as_deref() {
            None | Some("" | "1.0") => self.appid.as_deref(),
            Some("2.0") => self.azp.as_deref(),
            Some(_) => None,
        };
        caller.filter(|id| !id.is_empty())
    }
}
