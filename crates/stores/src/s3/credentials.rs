//! Keys from a file in the form of Amazon's own tools, read again when they are refused.

use std::{fmt, sync::Arc};

use async_trait::async_trait;
use object_store::{CredentialProvider, aws::AwsCredential};

use crate::secrets::{Hidden, Secrets};

/// An access key, with the token of its session if it is of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct AccessKey {
    id: String,
    secret: Hidden,
    token: Option<Hidden>,
}

/// The keys of a file.
pub(super) struct Keys(pub(super) Secrets<AccessKey>);

/// Gives the client the key to sign with, for every request.
#[async_trait]
impl CredentialProvider for Keys {
    type Credential = AwsCredential;

    async fn get_credential(&self) -> object_store::Result<Arc<AwsCredential>> {
        let AccessKey { id, secret, token } = self.0.current().secret;
        Ok(Arc::new(AwsCredential {
            key_id: id,
            secret_key: secret.expose().to_owned(),
            token: token.map(|token| token.expose().to_owned()),
        }))
    }
}

impl fmt::Debug for Keys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Keys")
    }
}

/// Reads the profile `default`, or what stands before any profile.
pub(super) fn parse(text: &str) -> Result<Vec<AccessKey>, &'static str> {
    let (mut id, mut secret, mut token) = (None, None, None);
    let mut is_ours = true;
    for line in text.lines().map(str::trim) {
        if let Some(profile) = line.strip_prefix('[') {
            is_ours = profile.trim_end_matches(']').trim() == "default";
        }
        let Some((name, value)) = line.split_once('=').filter(|_| is_ours) else { continue };
        let value = Some(value.trim().to_owned()).filter(|value| !value.is_empty());
        match name.trim() {
            "aws_access_key_id" => id = value,
            "aws_secret_access_key" => secret = value.map(Hidden::new),
            "aws_session_token" => token = value.map(Hidden::new),
            _ => {}
        }
    }
    match (id, secret) {
        (Some(id), Some(secret)) => Ok(vec![AccessKey { id, secret, token }]),
        _ => Err("it lacks `aws_access_key_id = …` or `aws_secret_access_key = …`"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<(String, String, Option<String>), &'static str> {
        parse(text).map(|mut keys| {
            let AccessKey { id, secret, token } = keys.remove(0);
            (id, secret.expose().to_owned(), token.map(|token| token.expose().to_owned()))
        })
    }

    #[test]
    fn a_file_of_amazons_tools_is_read() {
        let key = |id: &str, token: Option<&str>| {
            Ok((id.to_owned(), "s+/=".to_owned(), token.map(str::to_owned)))
        };
        let plain = "aws_access_key_id=a\naws_secret_access_key = s+/=\n";
        assert_eq!(read(plain), key("a", None));
        let file = "# mine\n[other]\naws_access_key_id = no\n[default]\nregion = x\n\
             aws_access_key_id = b\r\naws_secret_access_key = s+/=\naws_session_token = t\n[z]\n\
             aws_secret_access_key = no";
        assert_eq!(read(file), key("b", Some("t")));
        for broken in ["", "aws_access_key_id = a", "[other]\n", "aws_secret_access_key = canary"] {
            assert!(read(broken).unwrap_err().starts_with("it lacks"), "{broken}");
        }
        assert!(!format!("{:?}", parse(plain)).contains("s+/="));
    }
}
