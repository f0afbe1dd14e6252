//! Tests of the key scheme.

use super::*;
use crate::KeyKind;

fn schemes() -> [KeyScheme; 5] {
    let plain = KeyScheme::default;
    [
        plain(),
        plain().bot("pizza"),
        plain().bot("pasta"),
        plain().by_tenant(true),
        plain().bot("pizza").by_tenant(true),
    ]
}

fn activity(json: &str) -> Activity {
    Activity::from_json(json.as_bytes()).unwrap()
}

#[test]
fn keys_without_a_scheme_are_those_of_the_sdks() {
    let scope = KeyScheme::default().scope(Some("contoso"));
    assert_eq!(scope.conversation("webchat", "c").unwrap().as_str(), "webchat/conversations/c");
    assert_eq!(scope.user("webchat", "u").unwrap(), Key::user("webchat", "u").unwrap());
}

#[test]
fn each_scheme_owns_its_own_keys_and_no_others() {
    let tenants = [None, Some("contoso"), Some("pizza"), Some("_")];
    for (at, scheme) in schemes().iter().enumerate() {
        for tenant in tenants {
            let key = scheme.scope(tenant).conversation("msteams", "c").unwrap();
            assert!(key.as_str().starts_with(&scheme.prefix()), "{key}");
            let owners = schemes().map(|scheme| scheme.owns(&key));
            assert_eq!(owners.iter().position(|owns| *owns), Some(at), "{key}");
            assert_eq!(owners.iter().filter(|owns| **owns).count(), 1, "{key}");
        }
    }
}

#[test]
fn no_id_forges_the_scope_of_another() {
    let odd = ["a", "a/", "/a", "a~b", "~", "_", "_7e", "a_2f", "é", "A", "", "a/msteams/users/u"];
    let mut known = std::collections::BTreeMap::new();
    for bot in odd {
        for tenant in odd {
            let scheme = KeyScheme::default().bot(bot).by_tenant(true);
            let scope = scheme.scope(Some(tenant)).to_string();
            let key = Key::new(format!("{scope}~x~y/webchat/users/u")).unwrap();
            assert_eq!(key.scope().as_str(), scope, "the first segment counts");
            let before = known.insert(scope, (bot, tenant));
            assert_eq!(before, None, "{bot} and {tenant}");
        }
    }
    let forged = Key::conversation("~pizza~contoso/msteams", "c");
    assert_eq!(forged, Err(KeyError::Reserved("channelId")));
}

#[test]
fn a_key_of_another_scope_becomes_one_in_the_own_scope() {
    let scheme = KeyScheme::default().by_tenant(true);
    let [own, other] = ["a", "b"].map(|tenant| scheme.scope(Some(tenant)));
    let theirs = other.user("msteams", "u").unwrap();
    let placed = own.place(theirs.clone()).unwrap();
    assert_eq!(placed.as_str(), "~~a/~~b/msteams/users/u");
    assert_eq!(own.place(placed.clone()).unwrap(), placed);
    assert_eq!(placed.scope(), own);
    assert_eq!(other.place(theirs.clone()).unwrap(), theirs);
    assert_eq!(own.place(Key::new("~~a/").unwrap()).unwrap().as_str(), "~~a/~~a/");
}

#[test]
fn a_kind_is_seen_through_the_scope() {
    for scheme in schemes() {
        let scope = scheme.scope(Some("contoso"));
        let kinds = [
            (scope.conversation("webchat", "users").unwrap(), KeyKind::Conversation),
            (scope.user("webchat", "conversations").unwrap(), KeyKind::User),
            (scope.private("webchat", "c", "u").unwrap(), KeyKind::Private),
            (scope.place(Key::new("shop/orders/7").unwrap()).unwrap(), KeyKind::Other),
        ];
        for (key, kind) in kinds {
            assert_eq!(key.kind(), kind, "{key}");
            assert_eq!(key.scope(), scope);
        }
    }
}

#[test]
fn the_tenant_is_that_of_the_conversation_and_else_of_the_data_of_teams() {
    let scheme = KeyScheme::default().by_tenant(true);
    for (channel, conversation, data, scope) in [
        ("msteams", r#","tenantId":"a""#, r#"{"tenant":{"id":"b"}}"#, "~~a/"),
        ("msteams", "", r#"{"team":{"id":1},"tenant":{"id":"b"}}"#, "~~b/"),
        ("msteams", r#","tenantId":"""#, r#"{"tenant":{"id":"b"}}"#, "~~b/"),
        ("msteams", "", r#"{"tenant":{"id":""}}"#, "~~_/"),
        ("msteams", "", r#"{"tenant":7}"#, "~~_/"),
        ("msteams", "", r#""tenant""#, "~~_/"),
        // There the client writes it.
        ("directline", "", r#"{"tenant":{"id":"b"}}"#, "~~_/"),
        ("webchat", r#","tenantId":"a/b""#, "null", "~~a_2fb/"),
    ] {
        let activity = Arc::new(activity(&format!(
            r#"{{"type":"message","channelId":"{channel}","channelData":{data},
                "conversation":{{"id":"c"{conversation}}}}}"#
        )));
        let key = scheme.key_of(&activity).unwrap();
        assert_eq!(key.as_str(), format!("{scope}{channel}/conversations/c"));
        let settled = scheme.settle(Arc::clone(&activity));
        let reference = Activity::event("later").with_reference(&settled);
        assert_eq!(scheme.key_of(&reference).unwrap(), key, "the reference leads there");
        assert_eq!(KeyScheme::default().settle(Arc::clone(&activity)), activity);
    }
}

trait WithReference {
    fn with_reference(self, inbound: &Activity) -> Self;
}

impl WithReference for Activity {
    fn with_reference(mut self, inbound: &Activity) -> Self {
        self.apply_reference(&inbound.reference());
        self
    }
}
