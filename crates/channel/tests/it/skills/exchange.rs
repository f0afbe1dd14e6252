//! Replies to a calling bot: with a token for it and nobody else, in its own words.

use serde_json::json;

use super::world::{CHANNELS, OTHER, PARENT, STRANGER, World, bot, texts};
use crate::{auth::world::APP, support::with};

#[tokio::test]
async fn a_reply_to_a_calling_bot_carries_a_token_for_that_bot_and_never_the_channels() {
    let world = World::start().await;
    let instance = world.instance(bot(), world.callers()).await;
    for peer in [&world.channel, &world.parent, &world.other] {
        peer.takes("c1", 200);
    }
    for text in ["one", "end"] {
        let message = with(world.message(text), json!({"id": text}));
        assert_eq!(instance.from_channel(&world, message.clone()).await.status, 200);
        for (caller, peer) in [(PARENT, &world.parent), (OTHER, &world.other)] {
            assert_eq!(instance.from_bot(caller, peer, message.clone()).await.status, 200);
        }
    }
    let all = [(&world.channel, CHANNELS, "nobody"), (&world.parent, PARENT, PARENT)];
    for (peer, audience, caller) in [all[0], all[1], (&world.other, OTHER, OTHER)] {
        assert_eq!(peer.token_with(&format!("one on msteams for {caller}")).await, audience);
        assert_eq!(peer.token_with("").await, audience, "the end of the conversation");
        assert!(peer.came().iter().all(|(token, ..)| token == audience), "{:?}", peer.came());
        for asked in peer.pages.asked() {
            // Nothing outside is told of name spaces.
            assert!(!asked.body.contains("skill:"), "{}", asked.body);
            assert!(asked.body.contains(r#""channelId":"msteams""#), "{}", asked.body);
        }
    }
    let scopes = world.login.scopes(APP);
    let parents = [PARENT, OTHER].map(|caller| format!("{caller}/.default"));
    assert!(parents.iter().all(|scope| scopes.contains(scope)), "{scopes:?}");
    assert_eq!(scopes.len(), 3, "a token is asked for once: {scopes:?}");
}

#[tokio::test]
async fn a_caller_gets_answers_in_its_own_words() {
    let world = World::start().await;
    let instance = world.instance(bot(), world.callers()).await;
    let expected = with(world.message("hi"), json!({"deliveryMode": "expectReplies"}));
    for _ in 0..2 {
        // Also when it asks again.
        let answer = instance.from_bot(PARENT, &world.parent, expected.clone()).await;
        assert_eq!(texts(&answer), [format!("hi on msteams for {PARENT}")]);
        assert_eq!(answer.json()["activities"][0]["channelId"], "msteams", "{answer:?}");
    }
    let stream = with(world.message("hi"), json!({"id": "2", "deliveryMode": "stream"}));
    let answer = instance.from_bot(PARENT, &world.parent, stream).await;
    assert!(answer.body.contains(r#""channelId":"msteams""#), "{answer:?}");
    assert!(!answer.body.contains("skill:"), "{answer:?}");
    let invoke = json!({"id": "3", "type": "invoke", "name": "add", "text": null});
    let answer = instance.from_bot(PARENT, &world.parent, with(world.message(""), invoke)).await;
    assert_eq!((answer.status, &*answer.body), (200, r#"{"sum":7}"#));
    assert!(world.parent.came().is_empty(), "all of it was in answers");
}

#[tokio::test]
async fn a_caller_names_its_own_service_urls_and_nobody_elses() {
    let world = World::start().await;
    let instance = world.instance(bot(), world.callers()).await;
    let message = world.message("hi");
    for (caller, peer, status) in [
        (PARENT, &world.parent, 200),
        (PARENT, &world.other, 403),
        (PARENT, &world.channel, 403),
        (OTHER, &world.parent, 403),
        (STRANGER, &world.parent, 403),
    ] {
        let answer = instance.from_bot(caller, peer, message.clone()).await;
        assert_eq!(answer.status, status, "{caller} {answer:?}");
    }
    // Without the list there are no skills at all.
    let alone = world.instance(bot(), Vec::new()).await;
    assert_eq!(alone.from_bot(PARENT, &world.parent, message).await.status, 401);
}

#[tokio::test]
async fn a_bot_calls_as_its_caller_or_not_at_all() {
    use sayso_channel::{ConnectorOptions, ServiceUrls, client::Client};
    use sayso_turn::activity::Reference;

    let world = World::start().await;
    let instance = world.instance(bot(), world.callers()).await;
    let hi = with(world.message("hi"), json!({"deliveryMode": "expectReplies"}));
    assert_eq!(instance.from_bot(PARENT, &world.parent, hi).await.status, 200);
    let mut options = sayso_channel::auth::AuthOptions::new(APP);
    options.password = Some(sayso_channel::auth::Secret::new("p4ss"));
    options.cloud.login = world.login.url("");
    let clock = std::sync::Arc::new(sayso_turn::clock::SystemClock::new());
    let client = Client::new(ConnectorOptions {
        service_urls: ServiceUrls::Only(vec![world.channel.url()]),
        tokens: Some(sayso_channel::auth::Tokens::new(&options, clock).unwrap()),
        skill_callers: world.callers(),
        ..Default::default()
    });
    let client = client.unwrap();
    assert!(client.at(&world.parent.url()).is_err(), "with the token of the channels");
    let reference = Reference {
        channel_id: Some(format!("skill:{PARENT}:msteams")),
        service_url: Some(world.parent.url()),
        ..Reference::default()
    };
    world.parent.takes("c1", 200);
    let hi = sayso_turn::activity::Activity::message("by hand");
    client.of(&reference).unwrap().send("c1", &hi).await.unwrap();
    assert_eq!(world.parent.token_with("by hand").await, PARENT);
    for reference in [
        Reference { service_url: Some(world.other.url()), ..reference.clone() },
        Reference { channel_id: Some(format!("skill:{STRANGER}:msteams")), ..reference },
    ] {
        assert!(client.of(&reference).is_err(), "{reference:?}");
    }
}
