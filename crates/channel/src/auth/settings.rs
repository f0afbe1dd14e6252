//! Options from settings with the names that the Bot Framework SDKs use.

use super::{
    Secret,
    cloud::Cloud,
    error::AuthError,
    options::{AppType, AuthOptions, ManagedIdentity},
};

impl AuthOptions {
    /// Reads settings with the names that the Bot Framework SDKs use, from an environment or a
    /// file. Unknown names are skipped; an empty value counts as none; names are case-insensitive.
    ///
    /// `MicrosoftAppId`, `MicrosoftAppPassword`, `MicrosoftAppType` and `MicrosoftAppTenantId` say
    /// who the app is; `ChannelService` names its cloud; `IDENTITY_ENDPOINT` and `IDENTITY_HEADER`
    /// are set by the platform for a managed identity. `ToBotFromChannelOpenIdMetadataUrl`,
    /// `ToBotFromChannelTokenIssuer`, `ToBotFromEmulatorOpenIdMetadataUrl`,
    /// `ToChannelFromBotLoginUrl` and `ToChannelFromBotOAuthScope` replace single addresses of the
    /// cloud.
    ///
    /// Returns `None` when there is no app id: then there is no authentication.
    ///
    /// # Errors
    /// [`AuthError::Setting`] when a setting is invalid or another one that it needs is missing.
    ///
    /// # Example
    /// ```
    /// use sayso_channel::auth::AuthOptions;
    ///
    /// let settings = [("MicrosoftAppId", "app"), ("MicrosoftAppPassword", "secret")];
    /// let options = AuthOptions::from_settings(settings)?.unwrap();
    /// assert_eq!(options.app_id, "app");
    /// assert!(AuthOptions::from_settings([("PATH", "/bin")])?.is_none());
    /// # Ok::<(), sayso_channel::auth::AuthError>(())
    /// ```
    pub fn from_settings<N, V>(
        settings: impl IntoIterator<Item = (N, V)>,
    ) -> Result<Option<Self>, AuthError>
    where
        N: AsRef<str>,
        V: Into<String>,
    {
        let mut read = Settings::default();
        for (name, value) in settings {
            let Some(place) = read.place(name.as_ref()) else { continue };
            let value = value.into();
            if !value.is_empty() {
                *place = Some(value);
            }
        }
        read.into_options()
    }
}

#[derive(Default)]
struct Settings {
    app_id: Option<String>,
    password: Option<String>,
    app_type: Option<String>,
    tenant_id: Option<String>,
    channel_service: Option<String>,
    metadata: Option<String>,
    issuer: Option<String>,
    login_metadata: Option<String>,
    login: Option<String>,
    scope: Option<String>,
    identity_endpoint: Option<String>,
    identity_header: Option<String>,
}

impl Settings {
    fn place(&mut self, name: &str) -> Option<&mut Option<String>> {
        Some(match name.to_ascii_lowercase().as_str() {
            "microsoftappid" => &mut self.app_id,
            "microsoftapppassword" => &mut self.password,
            "microsoftapptype" => &mut self.app_type,
            "microsoftapptenantid" => &mut self.tenant_id,
            "channelservice" => &mut self.channel_service,
            "tobotfromchannelopenidmetadataurl" => &mut self.metadata,
            "tobotfromchanneltokenissuer" => &mut self.issuer,
            "tobotfromemulatoropenidmetadataurl" => &mut self.login_metadata,
            "tochannelfrombotloginurl" => &mut self.login,
            "tochannelfrombotoauthscope" => &mut self.scope,
            "identity_endpoint" => &mut self.identity_endpoint,
            "identity_header" => &mut self.identity_header,
            _ => return None,
        })
    }

    fn into_options(self) -> Result<Option<AuthOptions>, AuthError> {
        let bad = |setting, reason| Err(AuthError::Setting { setting, reason });
        let Some(app_id) = self.app_id else {
            return match (self.password, self.app_type) {
                (None, None) => Ok(None),
                _ => bad("MicrosoftAppId", "it is missing, but other settings of the app are set"),
            };
        };
        let app_type = match self.app_type.unwrap_or_default().to_ascii_lowercase().as_str() {
            "" | "multitenant" => AppType::MultiTenant,
            "singletenant" => AppType::SingleTenant,
            "userassignedmsi" => AppType::UserAssignedMsi,
            _ => {
                let reason = "it must be MultiTenant, SingleTenant or UserAssignedMSI";
                return bad("MicrosoftAppType", reason);
            }
        };
        let Some(mut cloud) = Cloud::of_channel_service(&self.channel_service.unwrap_or_default())
        else {
            let reason = "it must be https://botframework.azure.us, https://botframework.azure.cn \
                          or empty";
            return bad("ChannelService", reason);
        };
        replace(&mut cloud.metadata, self.metadata);
        replace(&mut cloud.issuer, self.issuer);
        replace(&mut cloud.login_metadata, self.login_metadata);
        replace(&mut cloud.login, self.login);
        // The SDKs' settings have no suffix `/.default`.
        let scope = self.scope.map(|scope| {
            let base = scope.trim_end_matches("/.default").trim_end_matches('/');
            format!("{base}/.default")
        });
        replace(&mut cloud.scope, scope);
        let managed_identity = match (self.identity_endpoint, self.identity_header) {
            (Some(endpoint), Some(header)) => {
                Some(ManagedIdentity { endpoint, header: header.into() })
            }
            _ => None,
        };
        let options = AuthOptions {
            app_type,
            tenant_id: self.tenant_id,
            password: self.password.map(Secret::from),
            managed_identity,
            cloud,
            ..AuthOptions::new(app_id)
        };
        options.own_tenant()?;
        Ok(Some(options))
    }
}

fn replace(address: &mut String, setting: Option<String>) {
    if let Some(setting) = setting {
        *address = setting;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(settings: &[(&str, &str)]) -> Result<Option<AuthOptions>, String> {
        AuthOptions::from_settings(settings.iter().copied()).map_err(|error| error.to_string())
    }

    #[test]
    fn the_names_of_the_sdk_are_understood() {
        let options = read(&[
            ("MicrosoftAppId", "app"),
            ("MICROSOFTAPPPASSWORD", "c4n4ry"),
            ("MicrosoftAppType", "singletenant"),
            ("MicrosoftAppTenantId", "t-1"),
            ("ChannelService", "https://botframework.azure.us"),
            ("ToBotFromChannelOpenIdMetadataUrl", "http://127.0.0.1:1/m"),
            ("ToChannelFromBotOAuthScope", "https://scope.example"),
            ("HOME", "/"),
        ]);
        let options = options.unwrap().unwrap();
        assert_eq!((&*options.app_id, options.app_type), ("app", AppType::SingleTenant));
        assert_eq!(options.tenant_id.as_deref(), Some("t-1"));
        assert_eq!(options.password, Some(Secret::new("c4n4ry")));
        assert_eq!(options.cloud.issuer, "https://api.botframework.us");
        assert_eq!(options.cloud.metadata, "http://127.0.0.1:1/m");
        assert_eq!(options.cloud.scope, "https://scope.example/.default");
        assert!(options.emulator.is_none() && options.skill_callers.is_empty());
        assert!(!format!("{options:?}").contains("c4n4ry"));
    }

    #[test]
    fn no_app_id_is_no_authentication_and_half_an_app_is_a_mistake() {
        assert!(read(&[]).unwrap().is_none());
        assert!(read(&[("MicrosoftAppId", "")]).unwrap().is_none());
        for (settings, contains) in [
            (vec![("MicrosoftAppPassword", "c4n4ry")], "MicrosoftAppId: it is missing"),
            (vec![("MicrosoftAppType", "MultiTenant")], "MicrosoftAppId: it is missing"),
            (vec![("MicrosoftAppId", "a"), ("MicrosoftAppType", "c4n4ry")], "MicrosoftAppType: "),
            (
                vec![("MicrosoftAppId", "a"), ("MicrosoftAppType", "SingleTenant")],
                "MicrosoftAppTenantId: it is missing",
            ),
            (
                vec![("MicrosoftAppId", "a"), ("MicrosoftAppTenantId", "c4n4ry/../x")],
                "MicrosoftAppTenantId: it must be",
            ),
            (
                vec![("MicrosoftAppId", "a"), ("ChannelService", "https://c4n4ry.example")],
                "ChannelService: ",
            ),
        ] {
            let error = read(&settings).unwrap_err();
            assert!(error.contains(contains) && !error.contains("c4n4ry"), "{error}");
        }
    }

    #[test]
    fn a_managed_identity_is_read_from_what_the_machine_sets() {
        let options = read(&[
            ("MicrosoftAppId", "app"),
            ("MicrosoftAppType", "UserAssignedMSI"),
            ("MicrosoftAppTenantId", "t"),
            ("IDENTITY_ENDPOINT", "http://127.0.0.1:1/msi/token"),
            ("IDENTITY_HEADER", "c4n4ry"),
        ]);
        let options = options.unwrap().unwrap();
        assert_eq!(options.app_type, AppType::UserAssignedMsi);
        let identity = options.managed_identity.clone().unwrap();
        assert_eq!(identity.endpoint, "http://127.0.0.1:1/msi/token");
        assert!(!format!("{options:?}").contains("c4n4ry"));
    }
}
