//! Connection strings of storage accounts, as the portal shows them.

use azure_core::credentials::Secret;

use super::access::{Access, DEVELOPMENT_ACCOUNT, DEVELOPMENT_KEY};

/// The parts of a connection string that concern the Blob service.
#[derive(Debug)]
pub(super) struct Connection {
    /// The address of the service, without a container.
    pub(super) endpoint: String,
    /// The account's name, where it is given or can be read from the address.
    pub(super) account: Option<String>,
    pub(super) access: Access,
}

impl Connection {
    /// Parses a connection string; the error says what is wrong without quoting any of it.
    pub(super) fn parse(text: &str) -> Result<Self, &'static str> {
        let mut parts = Parts::default();
        for part in text.split(';').map(str::trim).filter(|part| !part.is_empty()) {
            // Only the first `=` separates: keys and signatures end in others.
            let (name, value) =
                part.split_once('=').ok_or("a part of the connection string has no `=`")?;
            parts.take(name.trim(), value.trim());
        }
        parts.into_connection()
    }
}

#[derive(Default)]
struct Parts<'a> {
    account: Option<&'a str>,
    key: Option<&'a str>,
    sas: Option<&'a str>,
    endpoint: Option<&'a str>,
    suffix: Option<&'a str>,
    protocol: Option<&'a str>,
    is_development: bool,
}

impl<'a> Parts<'a> {
    fn take(&mut self, name: &str, value: &'a str) {
        let place = match name.to_ascii_lowercase().as_str() {
            "accountname" => &mut self.account,
            "accountkey" => &mut self.key,
            "sharedaccesssignature" => &mut self.sas,
            "blobendpoint" => &mut self.endpoint,
            "endpointsuffix" => &mut self.suffix,
            "defaultendpointsprotocol" => &mut self.protocol,
            "usedevelopmentstorage" => {
                self.is_development = value.eq_ignore_ascii_case("true");
                return;
            }
            // Queues, tables, files and secondary addresses are not our business.
            _ => return,
        };
        *place = Some(value).filter(|value| !value.is_empty());
    }

    fn into_connection(self) -> Result<Connection, &'static str> {
        if self.is_development {
            return Ok(Connection {
                endpoint: format!("http://127.0.0.1:10000/{DEVELOPMENT_ACCOUNT}"),
                account: Some(DEVELOPMENT_ACCOUNT.to_owned()),
                access: Access::Key(Secret::new(DEVELOPMENT_KEY)),
            });
        }
        let endpoint = match (self.endpoint, self.account) {
            (Some(endpoint), _) => endpoint.trim_end_matches('/').to_owned(),
            (None, Some(account)) => {
                let protocol = self.protocol.unwrap_or("https");
                let suffix = self.suffix.unwrap_or("core.windows.net");
                format!("{protocol}://{account}.blob.{suffix}")
            }
            (None, None) => {
                return Err("the connection string has neither AccountName nor BlobEndpoint");
            }
        };
        let access = match (self.key, self.sas) {
            (Some(key), _) => Access::Key(Secret::new(key.to_owned())),
            (None, Some(sas)) => Access::Sas(Secret::new(sas.trim_start_matches('?').to_owned())),
            (None, None) => {
                return Err(
                    "the connection string has neither AccountKey nor SharedAccessSignature",
                );
            }
        };
        Ok(Connection { endpoint, account: self.account.map(str::to_owned), access })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> (String, Option<String>, String) {
        let connection = Connection::parse(text).unwrap();
        let secret = match connection.access {
            Access::Key(key) => format!("key {}", key.secret()),
            Access::Sas(sas) => format!("sas {}", sas.secret()),
            other => format!("{other:?}"),
        };
        (connection.endpoint, connection.account, secret)
    }

    #[test]
    fn the_forms_of_the_portal_are_read() {
        assert_eq!(
            parsed(
                "DefaultEndpointsProtocol=https;AccountName=bots;AccountKey=a+b/c==;EndpointSuffix=core.chinacloudapi.cn"
            ),
            (
                "https://bots.blob.core.chinacloudapi.cn".into(),
                Some("bots".into()),
                "key a+b/c==".into()
            )
        );
        assert_eq!(
            parsed(" accountname = bots ; ACCOUNTKEY=k== ;; TableEndpoint=https://x/;"),
            ("https://bots.blob.core.windows.net".into(), Some("bots".into()), "key k==".into())
        );
        assert_eq!(
            parsed(
                "BlobEndpoint=https://bots.blob.core.windows.net/;SharedAccessSignature=?sv=1&sig=a%3D"
            ),
            ("https://bots.blob.core.windows.net".into(), None, "sas sv=1&sig=a%3D".into())
        );
        let (endpoint, account, secret) = parsed("UseDevelopmentStorage=true");
        assert_eq!(endpoint, "http://127.0.0.1:10000/devstoreaccount1");
        assert_eq!(account.as_deref(), Some("devstoreaccount1"));
        assert!(secret.starts_with("key Eby8"));
    }

    #[test]
    fn what_is_missing_is_named_and_nothing_is_quoted() {
        for (text, missing) in [
            ("", "AccountName nor BlobEndpoint"),
            ("AccountKey=canary==", "AccountName nor BlobEndpoint"),
            ("AccountName=bots", "AccountKey nor SharedAccessSignature"),
            ("AccountName=bots;AccountKey=", "AccountKey nor SharedAccessSignature"),
            ("canary", "has no `=`"),
            ("UseDevelopmentStorage=false", "AccountName nor BlobEndpoint"),
        ] {
            let error = Connection::parse(text).unwrap_err();
            assert!(error.contains(missing), "{error}");
            assert!(!error.contains("canary"), "{error}");
        }
        let shown = format!("{:?}", Connection::parse("AccountName=b;AccountKey=canary").unwrap());
        assert!(!shown.contains("canary"), "{shown}");
    }
}
