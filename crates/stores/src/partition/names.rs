//! Names of partitions, from the keys of documents.
//!
//! Ids of tenants are text from outside, and names are part of file names, schemas and containers:
//! so a name is of few characters, short, and the same in small letters.

use std::{fmt, fmt::Write as _, str::FromStr};

use sayso_turn::{Key, KeyKind, KeyScope};
use sha2::{Digest, Sha256};

/// The longest tenant that is a name as it stands.
const PLAIN_MAX: usize = 40;
/// Bytes of the hash that names any other one: 160 bits, which nobody can make two tenants share.
const HASH_BYTES: usize = 20;

/// The tenant in the keys of what has none. It is in the base store.
const NO_TENANT: &str = "_";

/// Property of documents by which they are spread.
///
/// # Example
/// ```
/// use sayso_stores::PartitionBy;
///
/// assert_eq!("tenant".parse(), Ok(PartitionBy::Tenant));
/// assert!("region".parse::<PartitionBy>().unwrap_err().to_string().contains("kind or tenant"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PartitionBy {
    /// `conversations` and `users` are partitions; everything else is in the base store.
    Kind,
    /// Each tenant that keys name is a partition; what has none is in the base store.
    Tenant,
}

/// Error: an unknown way to spread documents.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown way `{}` to spread documents over partitions; use one, kind or tenant", .0.escape_debug())]
pub struct UnknownPartition(String);

const CONVERSATIONS: &str = "conversations";
const USERS: &str = "users";

impl PartitionBy {
    /// The partition of a key; `None` is the base store.
    pub(super) fn of(self, key: &Key) -> Option<String> {
        match self {
            Self::Kind => match key.kind() {
                KeyKind::Conversation | KeyKind::Private => Some(CONVERSATIONS.to_owned()),
                KeyKind::User => Some(USERS.to_owned()),
                KeyKind::Other => None,
            },
            Self::Tenant => of_scope(&key.scope()),
        }
    }

    /// The one partition of all keys with a prefix, if only one has them; inside, `None` is the
    /// base store.
    #[expect(clippy::option_option, reason = "many places, the base store, or one partition")]
    pub(super) fn of_all(self, prefix: &str) -> Option<Option<String>> {
        match self {
            Self::Kind => None,
            // What begins like this has no scope, whatever follows.
            Self::Tenant if !prefix.is_empty() && !prefix.starts_with('~') => Some(None),
            Self::Tenant => {
                let key = Key::new(prefix).ok()?;
                let scope = key.scope();
                (!scope.is_empty()).then(|| of_scope(&scope))
            }
        }
    }

    /// The partitions that there always are.
    pub(super) fn fixed(self) -> Vec<String> {
        match self {
            Self::Kind => vec![CONVERSATIONS.to_owned(), USERS.to_owned()],
            Self::Tenant => Vec::new(),
        }
    }
}

fn of_scope(scope: &KeyScope<'_>) -> Option<String> {
    let tenant = scope.tenant().filter(|tenant| *tenant != NO_TENANT)?;
    Some(if is_plain(tenant) { format!("t-{tenant}") } else { format!("h-{}", hash(tenant)) })
}

/// Reports whether a tenant can be part of a name as it stands, also where capital letters are
/// small ones, and two hyphens in a row are not allowed.
fn is_plain(tenant: &str) -> bool {
    let is_small = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    let has_gap = tenant.starts_with('-') || tenant.ends_with('-') || tenant.contains("--");
    tenant.len() <= PLAIN_MAX && tenant.bytes().all(is_small) && !has_gap
}

fn hash(text: &str) -> String {
    let digest = Sha256::digest(text);
    digest.iter().take(HASH_BYTES).fold(String::new(), |mut hex, byte| {
        write!(hex, "{byte:02x}").expect("a string takes any text");
        hex
    })
}

impl fmt::Display for PartitionBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Kind => "kind",
            Self::Tenant => "tenant",
        })
    }
}

impl FromStr for PartitionBy {
    type Err = UnknownPartition;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "kind" => Ok(Self::Kind),
            "tenant" => Ok(Self::Tenant),
            _ => Err(UnknownPartition(text.to_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use sayso_turn::KeyScheme;

    use super::*;

    fn of(by: PartitionBy, key: &str) -> Option<String> {
        by.of(&Key::new(key).unwrap())
    }

    #[test]
    fn a_partition_is_told_by_kind_or_by_tenant() {
        for (key, kind, tenant) in [
            ("webchat/conversations/c", Some(CONVERSATIONS), None),
            ("webchat/conversations/c/users/u", Some(CONVERSATIONS), None),
            ("webchat/users/u", Some(USERS), None),
            ("orders/7", None, None),
            ("~bot/webchat/users/u", Some(USERS), None),
            ("~~contoso/webchat/users/u", Some(USERS), Some("t-contoso")),
            ("~bot~contoso/orders/7", None, Some("t-contoso")),
            ("~bot~_/orders/7", None, None),
        ] {
            assert_eq!(of(PartitionBy::Kind, key).as_deref(), kind, "{key}");
            assert_eq!(of(PartitionBy::Tenant, key).as_deref(), tenant, "{key}");
        }
    }

    #[test]
    fn no_two_tenants_share_a_partition_even_in_small_letters() {
        let long = "t".repeat(500);
        let odd =
            ["a", "A", "a b", "a/b", "a\0", "é", "É", "a--b", "-a", "a-", "../..", "_", &long];
        let mut known = BTreeMap::new();
        for tenant in odd {
            let key = KeyScheme::default().by_tenant(true).scope(Some(tenant));
            let name = PartitionBy::Tenant.of(&key.user("c", "u").unwrap()).unwrap();
            assert!(name.len() <= 42 && is_plain(name.split_at(2).1), "{name}");
            assert_eq!(known.insert(name.to_lowercase(), tenant), None);
        }
        let guid = "7f6c1d9e-0000-4000-8000-0123456789ab";
        assert_eq!(of(PartitionBy::Tenant, &format!("~~{guid}/x")), Some(format!("t-{guid}")));
    }

    #[test]
    fn a_prefix_that_names_its_partition_needs_no_other() {
        let of_all = |prefix| PartitionBy::Tenant.of_all(prefix);
        assert_eq!(of_all("~bot~contoso/"), Some(Some("t-contoso".into())));
        assert_eq!(of_all("~bot~contoso/msteams/u"), Some(Some("t-contoso".into())));
        assert_eq!(of_all("webchat"), Some(None));
        assert_eq!(of_all("~bot/"), Some(None));
        for open in ["", "~", "~bot", "~bot~", "~bot~contoso", "~~con"] {
            assert_eq!(of_all(open), None, "{open}");
        }
        assert_eq!(PartitionBy::Kind.of_all("webchat/users/"), None);
    }
}
