//! The account itself (`GET /`): how many write regions it has, and its consistency.
//!
//! With several write regions a condition holds in each of them, and two writers are both told
//! that theirs did. The library knows and does not tell, so the account is asked once more.

use azure_core::{
    credentials::Secret,
    hmac::hmac_sha256,
    http::{Method, Request, new_http_client},
    time::{OffsetDateTime, to_rfc7231},
};
use futures_util::TryStreamExt as _;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use sayso_turn::store::Error;
use serde::Deserialize;

use super::{
    account::{Account, Credentials},
    patience::within,
};

/// The version of the protocol in which the account is asked.
const VERSION: &str = "2018-12-31";

/// The largest answer that is read. That of an account with thirty regions has some 20 KiB.
const ANSWER_BYTES_MAX: usize = 1 << 20;

/// The part of the answer that decides.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Answer {
    // While a region takes over from another, two are writable for some seconds without this.
    enable_multiple_write_locations: bool,
    user_consistency_policy: Consistency,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Consistency {
    default_consistency_level: String,
}

impl Account {
    /// Asks the account what it is: warnings about what weakens the guarantees.
    pub(super) async fn judge(&self) -> Result<Vec<String>, Error> {
        let store = self.config.name();
        let asked = within(self.config.call_max, self.ask()).await;
        let answer = asked.map_err(|late| late.of_read(&store))?.map_err(|reason| {
            Error::Unavailable { store: store.clone().into(), reason, source: None }
        })?;
        let Some(answer) = answer else {
            return Ok(vec![
                "it does not say how many write regions the account has: make sure that it is one"
                    .to_owned(),
            ]);
        };
        if answer.enable_multiple_write_locations {
            let reason = "the account has several write regions, so two writers are both told that \
                          their condition held: turn that off (az cosmosdb update \
                          --enable-multiple-write-locations false), or use another account";
            return Err(Error::Invalid {
                store: store.into(),
                reason: reason.to_owned(),
                source: None,
            });
        }
        Ok(answer.warning().into_iter().collect())
    }

    /// The account's description of itself; `None` when it gives none that is understood.
    async fn ask(&self) -> Result<Option<Answer>, String> {
        let no_answer = |_| "it cannot be asked how many write regions it has".to_owned();
        let mut request = Request::new(self.config.endpoint.clone(), Method::Get);
        let date = to_rfc7231(&OffsetDateTime::now_utc());
        let authorization = self.authorization(&date).await?;
        request.insert_header("x-ms-date", date);
        request.insert_header("x-ms-version", VERSION);
        request.insert_header("accept", "application/json");
        request.insert_header("authorization", authorization);
        let answer = new_http_client(None).execute_request(&request).await.map_err(no_answer)?;
        let (status, _, mut body) = answer.deconstruct();
        if !status.is_success() {
            return Err(format!(
                "it answers with status {} when asked how many write regions it has; an identity \
                 needs the right Microsoft.DocumentDB/databaseAccounts/readMetadata",
                u16::from(status)
            ));
        }
        let mut text = Vec::new();
        while let Some(piece) = body.try_next().await.map_err(no_answer)? {
            text.extend_from_slice(&piece);
            if text.len() > ANSWER_BYTES_MAX {
                return Ok(None);
            }
        }
        Ok(serde_json::from_slice(&text).ok())
    }

    async fn authorization(&self, date: &str) -> Result<String, String> {
        let plain = match &self.credentials {
            Credentials::Keys(keys) => {
                let text = format!("get\n\n\n{}\n\n", date.to_lowercase());
                let key = Secret::new(keys.current().secret.expose().to_owned());
                let signature = hmac_sha256(&text, &key);
                let signature =
                    signature.map_err(|_| "the account key is not base64".to_owned())?;
                format!("type=master&ver=1.0&sig={signature}")
            }
            Credentials::Tokens(tokens) => {
                let token = tokens.get().await.map_err(|_| "Entra ID gave no token".to_owned())?;
                format!("type=aad&ver=1.0&sig={}", token.text.secret())
            }
        };
        Ok(utf8_percent_encode(&plain, NON_ALPHANUMERIC).to_string())
    }
}

impl Answer {
    fn warning(&self) -> Option<String> {
        let level = &self.user_consistency_policy.default_consistency_level;
        let is_weak = matches!(level.as_str(), "ConsistentPrefix" | "Eventual");
        is_weak.then(|| {
            format!(
                "the account's consistency is {level}: an instance reads older versions, its own \
                 included, and meets more conflicts; set it to Session or stronger"
            )
        })
    }
}
