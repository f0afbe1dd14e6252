//! Presets for the clouds that the Bot Framework runs in.

use crate::ServiceUrls;

/// The addresses of a cloud. Start from a preset, and replace single addresses for another cloud or
/// for tests.
///
/// # Example
/// ```
/// use sayso_channel::auth::Cloud;
///
/// let cloud = Cloud { issuer: "https://issuer.example".to_owned(), ..Cloud::public() };
/// assert!(cloud.service_urls.allows("https://smba.trafficmanager.net/teams/"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cloud {
    /// The OpenID metadata document of the channels' issuer, over HTTPS or on loopback.
    pub metadata: String,
    /// The issuer of the channels' tokens.
    pub issuer: String,
    /// The OpenID metadata document of the login service, for tokens of the emulator and of other
    /// bots.
    pub login_metadata: String,
    /// The issuers of such tokens; `{tenant}` stands for the app's own tenant.
    pub login_issuers: Vec<String>,
    /// The URL of the login service. If its path already names a tenant, that one is used.
    pub login: String,
    /// The tenant from which a multi-tenant app gets its tokens.
    pub tenant: String,
    /// The OAuth scope of the bot's own tokens.
    pub scope: String,
    /// The service URLs of the channels of this cloud.
    pub service_urls: ServiceUrls,
    /// The `callerId` of activities that a channel of this cloud sends.
    pub caller_id: Option<String>,
}

impl Cloud {
    /// The public cloud, including GCC of Teams.
    #[must_use]
    pub fn public() -> Self {
        Self {
            metadata: "https://login.botframework.com/v1/.well-known/openidconfiguration".into(),
            issuer: "https://api.botframework.com".into(),
            login_metadata: "https://login.microsoftonline.com/botframework.com/v2.0/.well-known/\
                             openid-configuration"
                .into(),
            login_issuers: issuers(
                "https://sts.windows.net/",
                "https://login.microsoftonline.com/",
                &[
                    "d6d49420-f39b-4df7-a1dc-d59a935871db",
                    "f8cdef31-a31e-4b4a-93e4-5f571e91255a",
                    "{tenant}",
                ],
            ),
            login: "https://login.microsoftonline.com".into(),
            tenant: "botframework.com".into(),
            scope: "https://api.botframework.com/.default".into(),
            service_urls: only(&[
                "https://smba.trafficmanager.net",
                "https://smba.infra.gcc.teams.microsoft.com",
                "https://*.botframework.com",
            ]),
            caller_id: Some("urn:botframework:azure".into()),
        }
    }

    /// The US government cloud: GCC High and DoD.
    #[must_use]
    pub fn us_government() -> Self {
        Self {
            metadata: "https://login.botframework.azure.us/v1/.well-known/openidconfiguration"
                .into(),
            issuer: "https://api.botframework.us".into(),
            login_metadata:
                "https://login.microsoftonline.us/cab8a31a-1906-4287-a0d8-4eef66b95f6e/\
                             v2.0/.well-known/openid-configuration"
                    .into(),
            login_issuers: issuers(
                "https://sts.windows.net/",
                "https://login.microsoftonline.us/",
                &["cab8a31a-1906-4287-a0d8-4eef66b95f6e", "{tenant}"],
            ),
            login: "https://login.microsoftonline.us".into(),
            tenant: "MicrosoftServices.onmicrosoft.us".into(),
            scope: "https://api.botframework.us/.default".into(),
            service_urls: only(&[
                "https://smba.infra.gov.teams.microsoft.us",
                "https://smba.infra.dod.teams.microsoft.us",
                "https://*.botframework.azure.us",
                "https://*.botframework.us",
            ]),
            caller_id: Some("urn:botframework:azureusgov".into()),
        }
    }

    /// The cloud in China, operated by 21Vianet.
    #[must_use]
    pub fn china() -> Self {
        Self {
            metadata: "https://login.botframework.azure.cn/v1/.well-known/openidconfiguration"
                .into(),
            issuer: "https://api.botframework.azure.cn".into(),
            login_metadata: "https://login.partner.microsoftonline.cn/\
                             microsoftservices.partner.onmschina.cn/v2.0/.well-known/\
                             openid-configuration"
                .into(),
            login_issuers: issuers(
                "https://sts.chinacloudapi.cn/",
                "https://login.partner.microsoftonline.cn/",
                &["{tenant}"],
            ),
            login: "https://login.partner.microsoftonline.cn".into(),
            tenant: "microsoftservices.partner.onmschina.cn".into(),
            scope: "https://api.botframework.azure.cn/.default".into(),
            service_urls: only(&["https://*.botframework.azure.cn"]),
            caller_id: None,
        }
    }

    /// Returns the cloud that the SDKs' setting `ChannelService` names.
    pub(super) fn of_channel_service(url: &str) -> Option<Self> {
        match url.trim_end_matches('/').to_ascii_lowercase().as_str() {
            "" | "https://botframework.com" => Some(Self::public()),
            "https://botframework.azure.us" => Some(Self::us_government()),
            "https://botframework.azure.cn" => Some(Self::china()),
            _ => None,
        }
    }
}

impl Default for Cloud {
    fn default() -> Self {
        Self::public()
    }
}

/// Issuer names in both versions of the login service's tokens.
fn issuers(first: &str, second: &str, tenants: &[&str]) -> Vec<String> {
    let both = |tenant: &&str| [format!("{first}{tenant}/"), format!("{second}{tenant}/v2.0")];
    tenants.iter().flat_map(both).collect()
}

fn only(urls: &[&str]) -> ServiceUrls {
    ServiceUrls::Only(urls.iter().map(|url| (*url).to_owned()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_is_https_throughout_and_its_service_urls_can_match() {
        for cloud in [Cloud::public(), Cloud::us_government(), Cloud::china()] {
            for url in [&cloud.metadata, &cloud.login_metadata, &cloud.login, &cloud.issuer] {
                assert!(url.starts_with("https://") && !url.contains(' '), "{url}");
            }
            assert!(cloud.scope.ends_with("/.default"));
            assert_eq!(cloud.service_urls.first_invalid(), None);
            assert!(!cloud.service_urls.allows("https://evil.example/"));
        }
    }

    #[test]
    fn a_channel_service_names_a_cloud() {
        let cloud = |url| Cloud::of_channel_service(url).map(|cloud| cloud.issuer);
        assert_eq!(cloud("").as_deref(), Some("https://api.botframework.com"));
        let government = cloud("https://botframework.azure.us/");
        assert_eq!(government.as_deref(), Some("https://api.botframework.us"));
        let china = cloud("https://botframework.azure.cn");
        assert_eq!(china.as_deref(), Some("https://api.botframework.azure.cn"));
        assert_eq!(cloud("https://evil.example"), None);
    }
}
