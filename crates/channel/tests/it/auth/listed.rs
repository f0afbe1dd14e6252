//! Tokens of the login service, from the emulator and other bots: accepted only by allow-list.

use sayso_channel::{ServiceUrls, SkillCaller, auth::AppType};
use serde_json::{Value, json};

use super::{
    forge::{EVIL, NEXT},
    issuer::{Page, Pages},
    world::{APP, SERVICE, World, activity},
};
use crate::support::with;

const FIRST: &str = "https://sts.windows.net/d6d49420-f39b-4df7-a1dc-d59a935871db/";
const SECOND: &str = "https://login.microsoftonline.com/d6d49420-f39b-4df7-a1dc-d59a935871db/v2.0";
const PARENT: &str = "99999999-aaaa-2222-bbbb-333333333333";

/// Publishes the login service's key, which has no endorsements.
fn publish(issuer: &Pages) {
    issuer.set("/login-metadata", Page::Json(json!({"jwks_uri": issuer.url("/login-keys")})));
    let keys = json!({"keys": [NEXT.jwk("login", json!({}))]});
    issuer.set("/login-keys", Page::Json(keys));
}

fn listed() -> ServiceUrls {
    ServiceUrls::Only(vec![SERVICE.to_owned()])
}

async fn status(world: &World, change: Value) -> u16 {
    let claims = with(world.claims(), json!({"serviceurl": null}));
    let claims = with(claims, json!({"iss": FIRST, "ver": "1.0"}));
    world.show(&NEXT.token("login", &with(claims, change))).await.status
}

#[tokio::test]
async fn both_are_off_unless_a_list_is_given() {
    let world = World::with(|_, issuer| publish(issuer)).await;
    for caller in [APP, PARENT] {
        for change in
            [json!({"appid": caller}), json!({"iss": SECOND, "ver": "2.0", "azp": caller})]
        {
            assert_eq!(status(&world, change).await, 401);
        }
    }
    assert_eq!(world.issuer.count(), 0);
}

#[tokio::test]
async fn the_emulator_shows_a_token_of_the_app_itself() {
    let world = World::with(|options, issuer| {
        publish(issuer);
        options.emulator = Some(listed());
    })
    .await;
    for (change, expected) in [
        (json!({"appid": APP}), 200),
        (json!({"appid": APP, "ver": null}), 401),
        (json!({"appid": APP, "ver": ""}), 401),
        (json!({"appid": APP, "azp": APP, "ver": "1.00"}), 401),
        (json!({"iss": SECOND, "ver": "2.0", "azp": APP}), 200),
        (json!({}), 401),
        (json!({"azp": APP}), 401),
        (json!({"ver": "2.0", "appid": APP}), 401),
        (json!({"ver": "3.0", "appid": APP, "azp": APP}), 401),
        (json!({"appid": ""}), 401),
        (json!({"appid": PARENT}), 403),
        (json!({"appid": APP.to_uppercase()}), 403),
        (json!({"appid": APP, "aud": PARENT}), 401),
        (json!({"appid": APP, "exp": 1}), 401),
        (json!({"appid": APP, "iss": "https://sts.windows.net/other/"}), 401),
        (json!({"appid": APP, "iss": FIRST.trim_end_matches('/')}), 401),
    ] {
        assert_eq!(status(&world, change.clone()).await, expected, "{change}");
    }
    // A service URL that is not on the list.
    let claims = with(world.claims(), json!({"iss": FIRST, "appid": APP, "ver": "1.0"}));
    let bearer = format!("Bearer {}", NEXT.token("login", &claims));
    for (url, status) in
        [(json!("https://b.channel.example/"), 403), (json!(""), 400), (Value::Null, 400)]
    {
        let activity = with(activity(), json!({"serviceUrl": url}));
        let reply = world.post(&[("authorization", &bearer)], &activity).await;
        assert_eq!(reply.status, status, "{reply:?}");
    }
    // The keys of the two issuers are not interchangeable.
    let channel = world.claims();
    assert_eq!(world.show(&NEXT.token("login", &channel)).await.status, 401);
    let forged = with(world.claims(), json!({"iss": FIRST, "appid": APP}));
    assert_eq!(world.show(&EVIL.token("login", &forged)).await.status, 401);
    assert_eq!(world.show(&super::forge::KEY.token("k1", &forged)).await.status, 401);
}

#[tokio::test]
async fn a_skill_is_called_by_those_on_the_list() {
    let world = World::with(|options, issuer| {
        publish(issuer);
        options.app_type = AppType::SingleTenant;
        options.tenant_id = Some("own-tenant".to_owned());
        let parent = SkillCaller { app_id: PARENT.to_owned(), service_urls: listed() };
        options.skill_callers.push(parent);
    })
    .await;
    for (change, expected) in [
        (json!({"appid": PARENT}), 200),
        (json!({"iss": SECOND, "ver": "2.0", "azp": PARENT}), 200),
        (json!({"appid": PARENT, "iss": "https://sts.windows.net/own-tenant/"}), 200),
        (json!({"appid": PARENT, "iss": "https://sts.windows.net/{tenant}/"}), 401),
        (json!({"appid": PARENT, "iss": "https://sts.windows.net/other-tenant/"}), 401),
        (json!({"appid": "somebody"}), 403),
        (json!({"appid": APP}), 403),
        (json!({"azp": PARENT}), 401),
    ] {
        assert_eq!(status(&world, change.clone()).await, expected, "{change}");
    }
}
