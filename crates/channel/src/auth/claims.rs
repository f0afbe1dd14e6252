//! Claims of a token, and the checks of audience and validity period.

use std::time::Duration;

use sayso_turn::clock::Timestamp;
use serde::Deserialize;

use super::rejection::Rejection;

/// The claims that matter. A list of audiences, a number in quotes or a duplicate claim is a syntax
/// error.
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
    /// Checks that the token is for this app and valid now, within the leeway.
    pub(super) fn check(
        &self,
        audience: &str,
        now: Timestamp,
        leeway: Duration,
    ) -> Result<(), Rejection> {
        if self.aud != audience {
            return Err(Rejection::Unauthorized("the token is for another audience"));
        }
        let at = |seconds: u64| Timestamp::from_millis(seconds.saturating_mul(1000));
        if at(self.exp).after(leeway) < now {
            return Err(Rejection::Unauthorized("the token is expired"));
        }
        if at(self.nbf) > now.after(leeway) {
            return Err(Rejection::Unauthorized("the token is not valid yet"));
        }
        Ok(())
    }

    /// Returns the id of the app that requested the token. The claim depends on the version, which
    /// must be there.
    pub(super) fn caller(&self) -> Option<&str> {
        let caller = match self.ver.as_deref() {
            Some("1.0") => self.appid.as_deref(),
            Some("2.0") => self.azp.as_deref(),
            _ => None,
        };
        caller.filter(|id| !id.is_empty())
    }
}
