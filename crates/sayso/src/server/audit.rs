//! Audit of a configuration: a line in the log for each guard that it lowers.

use std::{net::SocketAddr, time::Duration};

use sayso_channel::{
    ServiceUrls,
    auth::{AuthOptions, Cloud},
};

use super::senders::Senders;
use crate::config::TlsFiles;

/// Tolerance of clock skew beyond which a token that has expired is good for too long.
const LEEWAY_MAX: Duration = Duration::from_secs(300);

/// The guards that a configuration lowers, a clause each. Nothing of them is a secret.
pub(super) fn lowered(
    senders: &Senders,
    admin: Option<SocketAddr>,
    admin_tls: Option<&TlsFiles>,
) -> Vec<String> {
    let mut lowered = match senders {
        Senders::Unset => Vec::new(),
        Senders::Unauthenticated => {
            vec!["auth is none: any program of this machine may speak for anybody".to_owned()]
        }
        Senders::App(auth) => of_app(auth),
    };
    let is_closed = admin_tls.is_some_and(TlsFiles::has_clients);
    if let Some(admin) = admin.filter(|admin| !admin.ip().is_loopback() && !is_closed) {
        lowered.push(format!(
            "admin-address is {admin}: whoever reaches it reads health and statistics"
        ));
    }
    lowered
}

fn of_app(auth: &AuthOptions) -> Vec<String> {
    let mut lowered = Vec::new();
    let mut say = |is_so: bool, what: &str| {
        if is_so {
            lowered.push(what.to_owned());
        }
    };
    let cloud = &auth.cloud;
    let presets = [Cloud::public(), Cloud::us_government(), Cloud::china()];
    let is_foreign =
        |part: fn(&Cloud) -> &String| presets.iter().all(|preset| part(preset) != part(cloud));
    say(
        auth.private_addresses,
        "private-addresses is true: names may lead to addresses of the internal network",
    );
    say(
        is_foreign(|cloud| &cloud.metadata) || is_foreign(|cloud| &cloud.issuer),
        "cloud.metadata or cloud.issuer is replaced: tokens of another issuer are accepted",
    );
    say(
        is_foreign(|cloud| &cloud.login) || is_foreign(|cloud| &cloud.scope),
        "cloud.login or cloud.scope is replaced: the app's secret goes to another login service",
    );
    say(
        auth.emulator.is_some() && is_foreign(|cloud| &cloud.login_metadata),
        "cloud.login-metadata is replaced: the emulator's tokens are of another issuer",
    );
    say(
        presets.iter().all(|preset| preset.service_urls != cloud.service_urls),
        "service-urls is set: replies, with the bot's token, go to other addresses than the cloud's",
    );
    say(
        leads_here(&cloud.service_urls),
        "service-urls has an address of this machine: activities may make the bot call it",
    );
    say(auth.emulator.is_some(), "tokens of the Bot Framework Emulator are accepted");
    say(!auth.skill_callers.is_empty(), "tokens of other bots are accepted (skill_callers)");
    say(auth.leeway > LEEWAY_MAX, "leeway is more than 5 minutes: expired tokens are accepted");
    lowered
}

fn leads_here(urls: &ServiceUrls) -> bool {
    match urls {
        ServiceUrls::Loopback => true,
        ServiceUrls::Only(urls) => urls.iter().any(|url| ServiceUrls::Loopback.allows(url)),
    }
}

#[cfg(test)]
mod tests {
    use sayso_channel::SkillCaller;

    use super::*;

    fn of(change: impl FnOnce(&mut AuthOptions)) -> Vec<String> {
        let mut auth = AuthOptions::new("an-app");
        change(&mut auth);
        lowered(&Senders::App(Box::new(auth)), None, None)
    }

    #[test]
    fn a_configuration_that_lowers_no_guard_has_no_line() {
        assert!(of(|_| {}).is_empty());
        assert!(of(|auth| auth.cloud = Cloud::us_government()).is_empty());
        assert!(lowered(&Senders::Unset, Some(([127, 0, 0, 1], 1).into()), None).is_empty());
    }

    #[test]
    fn every_guard_that_is_lowered_has_a_line() {
        let here = || ServiceUrls::Only(vec!["http://localhost:1".to_owned()]);
        let everywhere = Some(([0, 0, 0, 0], 1).into());
        let tls = TlsFiles::new("certificate", "key");
        // Whoever must show a certificate is known.
        assert!(lowered(&Senders::Unset, everywhere, Some(&tls.clone().clients("cas"))).is_empty());
        let parent = || SkillCaller { app_id: "parent".to_owned(), service_urls: here() };
        let elsewhere = || "https://elsewhere.example".to_owned();
        for (lines, says) in [
            (lowered(&Senders::Unauthenticated, None, None), "auth is none"),
            (lowered(&Senders::Unset, everywhere, None), "admin-address"),
            (lowered(&Senders::Unset, everywhere, Some(&tls)), "admin-address"),
            (of(|auth| auth.private_addresses = true), "private-addresses"),
            (of(|auth| auth.cloud.metadata = elsewhere()), "another issuer"),
            (of(|auth| auth.cloud.issuer = elsewhere()), "another issuer"),
            (of(|auth| auth.cloud.login = elsewhere()), "another login service"),
            (of(|auth| auth.cloud.scope = elsewhere()), "another login service"),
            (of(|auth| auth.cloud.service_urls = here()), "an address of this machine"),
            (of(|auth| auth.cloud.service_urls = ServiceUrls::Loopback), "service-urls is set"),
            (of(|auth| auth.emulator = Some(here())), "Emulator"),
            (of(|auth| auth.skill_callers.push(parent())), "other bots"),
            (of(|auth| auth.leeway = 2 * LEEWAY_MAX), "leeway"),
        ] {
            assert!(lines.iter().any(|line| line.contains(says)), "{says}: {lines:?}");
        }
    }
}
