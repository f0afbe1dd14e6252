//! Bots that call this one as a skill: their service URLs, and the tokens for them.

use std::sync::Arc;

use crate::{ServiceUrls, service_urls::UrlCache};

/// A bot that may call this one as a skill (bot-to-bot).
///
/// # Guarantees
/// A caller proves its app id by its token. Conversations, users and their tokens are its own: its
/// app id is a part of the channel's id (see
/// [`Activity::skill_caller`](sayso_turn::activity::Activity::skill_caller)), and so of every
/// storage key. What this bot says in them goes only to the caller's own service URLs, with a token
/// for the caller and for nobody else.
///
/// # Example
/// ```
/// use sayso_channel::{ServiceUrls, SkillCaller, auth::{AuthOptions, Authenticator}};
/// use sayso_turn::clock::SystemClock;
/// use std::sync::Arc;
///
/// let parent = SkillCaller {
///     app_id: "99999999-aaaa-2222-bbbb-333333333333".to_owned(),
///     service_urls: ServiceUrls::Only(vec!["https://parent.example/api/skills".to_owned()]),
/// };
/// let mut options = AuthOptions::new("00000000-0000-0000-0000-000000000001");
/// options.skill_callers.push(parent);
/// assert!(Authenticator::new(&options, Arc::new(SystemClock::new())).is_ok());
///
/// // Any program can listen on this machine, and would get the token.
/// options.skill_callers[0].service_urls = ServiceUrls::Loopback;
/// assert!(Authenticator::new(&options, Arc::new(SystemClock::new())).is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkillCaller {
    /// The app id of the caller. Case does not matter.
    pub app_id: String,
    /// The service URLs that it may name, which its token does not.
    pub service_urls: ServiceUrls,
}

/// The callers, checked and ready for use.
#[derive(Clone, Debug, Default)]
pub(crate) struct SkillCallers(Arc<[Caller]>);

/// A caller that is ready for use.
#[derive(Debug)]
pub(crate) struct Caller {
    /// Its app id in lower case, as it stands in keys.
    pub(crate) app_id: String,
    pub(crate) service_urls: UrlCache,
    /// The OAuth scope of tokens for it.
    pub(crate) scope: Arc<str>,
}

impl SkillCallers {
    /// Checks the callers. The error says what is wrong with one.
    pub(crate) fn new(callers: &[SkillCaller]) -> Result<Self, &'static str> {
        let mut checked: Vec<Caller> = Vec::new();
        for SkillCaller { app_id, service_urls } in callers {
            let app_id = app_id.to_ascii_lowercase();
            // So it cannot be taken for something else in a channel's id or a scope.
            if app_id.is_empty()
                || !app_id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
            {
                return Err("an app id must consist of letters, digits and dashes");
            }
            if checked.iter().any(|other| other.app_id == app_id) {
                return Err("an app id is there twice");
            }
            match service_urls {
                ServiceUrls::Loopback => {
                    return Err("service URLs must be listed: any program can listen on loopback");
                }
                ServiceUrls::Only(urls) if urls.is_empty() => {
                    return Err("a caller without service URLs cannot call");
                }
                ServiceUrls::Only(_) if service_urls.first_invalid().is_some() => {
                    return Err("a service URL can never match: it must be https or loopback, \
                                without user name, query and fragment");
                }
                ServiceUrls::Only(_) => {}
            }
            let service_urls = UrlCache::new(service_urls.clone());
            let scope = format!("{app_id}/.default").into();
            checked.push(Caller { app_id, service_urls, scope });
        }
        Ok(Self(checked.into()))
    }

    /// Reports whether no bot may call.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Finds a caller by its app id, in any case.
    pub(crate) fn position(&self, app_id: &str) -> Option<usize> {
        self.0.iter().position(|caller| caller.app_id.eq_ignore_ascii_case(app_id))
    }

    pub(crate) fn get(&self, position: usize) -> Option<&Caller> {
        self.0.get(position)
    }

    pub(crate) fn find(&self, app_id: &str) -> Option<&Caller> {
        self.0.get(self.position(app_id)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn caller(app_id: &str, url: &str) -> SkillCaller {
        let service_urls = ServiceUrls::Only(vec![url.to_owned()]);
        SkillCaller { app_id: app_id.to_owned(), service_urls }
    }

    #[test]
    fn callers_that_make_no_sense_are_refused() {
        let url = "https://parent.example/";
        let none = SkillCaller { app_id: "a".to_owned(), service_urls: ServiceUrls::Only(vec![]) };
        let here = SkillCaller { service_urls: ServiceUrls::Loopback, ..none.clone() };
        for callers in [
            vec![caller("", url)],
            vec![caller("a:b", url)],
            vec![caller("a/b", url)],
            vec![caller("~a", url)],
            vec![caller("a b", url)],
            vec![caller("a", "http://parent.example/")],
            vec![caller("a", url), caller("A", url)],
            vec![none],
            vec![here],
        ] {
            assert!(SkillCallers::new(&callers).is_err(), "{callers:?}");
        }
        assert!(SkillCallers::new(&[]).unwrap().is_empty());
    }

    #[test]
    fn a_caller_is_found_in_any_case_and_has_a_scope_of_its_own() {
        let callers = [caller("AA-1", "https://a.example/"), caller("b", "https://b.example/")];
        let callers = SkillCallers::new(&callers).unwrap();
        let found = callers.find("aA-1").unwrap();
        assert_eq!((&*found.app_id, &*found.scope), ("aa-1", "aa-1/.default"));
        assert!(found.service_urls.allows("https://a.example/x"));
        assert!(!found.service_urls.allows("https://b.example/"));
        assert!(callers.find("aa").is_none() && callers.find("").is_none());
    }
}
