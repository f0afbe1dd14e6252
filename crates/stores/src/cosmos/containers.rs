//! Maps keys to containers.

use std::{fmt, fmt::Write as _, str::FromStr};

use sayso_turn::Key;

use super::names::hash;

/// The distribution of documents over containers.
///
/// # Example
/// ```
/// use sayso_stores::cosmos::Containers;
///
/// assert_eq!("tenant".parse(), Ok(Containers::Tenant));
/// assert!("many".parse::<Containers>().unwrap_err().to_string().contains("one, kind or tenant"));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Containers {
    /// All in one container, named as configured. The cheapest.
    #[default]
    One,
    /// One each for conversations, users and everything else: `{name}-conversations`,
    /// `{name}-users`, `{name}-other`.
    Kind,
    /// One for each tenant that keys name: `{name}.{tenant}`, with `_` for what has none. Keys that
    /// name no tenant go by the channel: `{name}-{channel}`. Letters, digits and hyphens of a
    /// channel stand as they are, any other byte as `_` and its code; the end of a name that is too
    /// long is replaced by `__` and the hash of all of it. Keys without a segment are in `{name}`.
    Tenant,
}

/// Error: an unknown way to spread documents.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown way `{0}` to spread documents over containers; use one, kind or tenant")]
pub struct UnknownContainers(String);

const NAMES: [(Containers, &str); 3] =
    [(Containers::One, "one"), (Containers::Kind, "kind"), (Containers::Tenant, "tenant")];

/// Suffixes of the containers of [`Containers::Kind`].
const KINDS: [&str; 3] = ["conversations", "users", "other"];

/// The longest name of a container that Cosmos takes.
pub(super) const CONTAINER_CHARS_MAX: usize = 255;

impl Containers {
    /// The container of a key.
    pub(super) fn of(self, name: &str, key: &Key) -> String {
        let (channel, rest) = key.without_scope().split_once('/').unwrap_or_default();
        match self {
            Self::One => name.to_owned(),
            Self::Kind => {
                let kind = KINDS.iter().find(|kind| {
                    rest.strip_prefix(**kind).is_some_and(|rest| rest.starts_with('/'))
                });
                format!("{name}-{}", kind.unwrap_or(&"other"))
            }
            Self::Tenant => match key.scope().tenant() {
                Some(tenant) => cut(format!("{name}.{tenant}")),
                None if channel.is_empty() => name.to_owned(),
                None => cut(format!("{name}-{}", encode(channel))),
            },
        }
    }

    /// The one container that holds all keys with this prefix, if only one can.
    pub(super) fn of_all(self, name: &str, prefix: &str) -> Option<String> {
        if self == Self::One {
            return Some(name.to_owned());
        }
        let key = Key::new(prefix).ok()?;
        let rest = key.without_scope().split_once('/').map(|(_, rest)| rest);
        let has_tenant = key.scope().tenant().is_some();
        // The scope may go on behind the prefix.
        let is_open = key.scope().is_empty() && prefix.starts_with('~');
        let is_one = match self {
            _ if is_open => false,
            Self::Kind => rest.is_some_and(|rest| rest.contains('/')),
            Self::One | Self::Tenant => has_tenant || rest.is_some(),
        };
        is_one.then(|| self.of(name, &key))
    }

    /// The containers that must exist from the start. Those of tenants are created on demand.
    pub(super) fn known(self, name: &str) -> Vec<String> {
        match self {
            Self::Tenant => Vec::new(),
            Self::One => vec![name.to_owned()],
            Self::Kind => KINDS.iter().map(|kind| format!("{name}-{kind}")).collect(),
        }
    }

    /// True if a container of this name is one of these.
    pub(super) fn has(self, name: &str, container: &str) -> bool {
        match self {
            Self::One | Self::Kind => self.known(name).iter().any(|known| known == container),
            Self::Tenant => {
                let rest = container.strip_prefix(name);
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '.']))
            }
        }
    }
}

/// A channel as part of a container's name: no two have the same one.
fn encode(channel: &str) -> String {
    channel.bytes().fold(String::with_capacity(channel.len()), |mut text, byte| {
        if byte.is_ascii_alphanumeric() || byte == b'-' {
            text.push(char::from(byte));
        } else {
            write!(text, "_{byte:02x}").expect("a string takes any text");
        }
        text
    })
}

/// Truncates a name that is too long. `__` stands in no other.
fn cut(name: String) -> String {
    if name.len() <= CONTAINER_CHARS_MAX {
        return name;
    }
    let hash = hash(&name);
    let (kept, _) = name.split_at(name.floor_char_boundary(CONTAINER_CHARS_MAX - hash.len() - 2));
    format!("{kept}__{hash}")
}

impl fmt::Display for Containers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = NAMES.iter().find(|(containers, _)| containers == self).map(|(_, name)| *name);
        f.write_str(name.unwrap_or_default())
    }
}

impl FromStr for Containers {
    type Err = UnknownContainers;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let found = NAMES.iter().find(|(_, name)| *name == text);
        found.map(|(containers, _)| *containers).ok_or_else(|| UnknownContainers(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(containers: Containers, key: &str) -> String {
        containers.of("state", &Key::new(key).unwrap())
    }

    #[test]
    fn a_kind_is_told_by_the_second_segment() {
        for (key, container) in [
            ("webchat/conversations/c", "state-conversations"),
            ("webchat/conversations/c/users/u", "state-conversations"),
            ("webchat/users/u", "state-users"),
            ("webchat/usersu", "state-other"),
            ("webchat", "state-other"),
            ("webchat/other/x", "state-other"),
            ("~bot~contoso/webchat/users/u", "state-users"),
        ] {
            assert_eq!(of(Containers::Kind, key), container, "{key}");
            assert_eq!(of(Containers::One, key), "state");
        }
    }

    #[test]
    fn a_prefix_that_names_its_container_needs_no_other() {
        let of = |containers: Containers, prefix| containers.of_all("state", prefix);
        assert_eq!(of(Containers::One, ""), Some("state".into()));
        assert_eq!(of(Containers::Kind, "webchat/conversations"), None);
        assert_eq!(
            of(Containers::Kind, "webchat/conversations/"),
            Some("state-conversations".into())
        );
        assert_eq!(of(Containers::Kind, "webchat/x/"), Some("state-other".into()));
        assert_eq!(of(Containers::Tenant, "webchat"), None);
        assert_eq!(of(Containers::Tenant, "webchat/"), Some("state-webchat".into()));
        assert_eq!(of(Containers::Tenant, "~bot~a/"), Some("state.a".into()));
        assert_eq!(of(Containers::Tenant, "~bot/webchat/"), Some("state-webchat".into()));
        for open in ["", "~bot~a", "~bot/", "~bot/web", "~/x/"] {
            assert_eq!(of(Containers::Tenant, open), None, "{open}");
        }
        let private = Some("state-conversations".into());
        assert_eq!(of(Containers::Kind, "~bot~a/webchat/conversations/"), private);
    }

    #[test]
    fn a_tenant_is_the_one_that_the_key_names_in_any_bot_and_channel() {
        let of = |key| of(Containers::Tenant, key);
        assert_eq!(of("~bot~contoso/webchat/users/u"), "state.contoso");
        assert_eq!(of("~~contoso/msteams/users/u"), "state.contoso");
        assert_eq!(of("~~_/msteams/users/u"), "state._");
        assert_eq!(of("~bot/msteams/users/u"), "state-msteams");
        assert_ne!(of("contoso/users/u"), "state.contoso", "a channel is no tenant");
        assert!(Containers::Tenant.has("state", "state.contoso"));
    }

    #[test]
    fn keys_without_a_tenant_go_by_the_channel_and_no_two_share_a_container() {
        assert_eq!(of(Containers::Tenant, "webchat/users/u"), "state-webchat");
        assert_eq!(of(Containers::Tenant, "alone"), "state");
        assert_eq!(of(Containers::Tenant, "/users/u"), "state");
        assert_eq!(of(Containers::Tenant, "a_b é/x"), "state-a_5fb_20_c3_a9");
        assert_ne!(of(Containers::Tenant, "a_20/x"), of(Containers::Tenant, "a /x"));
        assert!(Containers::Tenant.has("state", "state-webchat"));
        assert!(!Containers::Tenant.has("state", "stately"));
        let [one, other] =
            ["a", "b"].map(|last| of(Containers::Tenant, &format!("{}{last}/x", "t".repeat(400))));
        assert_eq!((one.len(), one == other), (255, false));
    }
}
