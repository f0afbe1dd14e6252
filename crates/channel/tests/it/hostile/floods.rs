//! Floods of valid input: members, conversations, messages, attachments.

use std::{sync::Arc, time::Instant};

use futures_util::future::join_all;
use sayso_channel::EndpointOptions;
use sayso_turn::{Bot, Limits, Turn, store::MemoryStore};
use serde_json::{Value, json};
use tokio::sync::Semaphore;

use crate::{
    auth::world::{World, activity},
    support::{PATIENCE, Server, echo, message, sink::Sink, with},
};

fn expecting(id: &str, changes: Value) -> Value {
    let good = with(message(id, "hi", ""), json!({"deliveryMode": "expectReplies"}));
    with(with(good, json!({"serviceUrl": null})), changes)
}

#[tokio::test]
async fn ten_thousand_members_are_read_in_time_and_one_of_them_twice_is_refused() {
    let server = Server::start(echo()).await;
    let members = |names: usize| -> String {
        let members: Vec<String> = (0..names).map(|name| format!("\"m{name}\":{name}")).collect();
        let good = expecting("1", json!({})).to_string();
        format!("{},{}", good.strip_suffix('}').unwrap(), members.join(","))
    };
    let began = Instant::now();
    let many = format!("{}}}", members(10_000));
    assert_eq!(crate::support::client::post(server.address, &many).await.status, 200);
    let stored = server.stored().await;
    let twice = format!("{},\"m77\":0}}", members(10_000));
    let reply = crate::support::client::post(server.address, &twice).await;
    assert_eq!((reply.status, &*reply.error().0), (400, "BadArgument"));
    assert!(began.elapsed() < PATIENCE / 4, "{:?}", began.elapsed());
    assert_eq!(server.stored().await, stored);
}

#[tokio::test]
async fn an_attachment_is_never_fetched() {
    let server = Server::start(echo()).await;
    let mut sink = Sink::accepting().await;
    for (id, kind) in
        [("1", "image/png"), ("2", "application/vnd.microsoft.card.hero"), ("3", "*/*")]
    {
        let url = sink.url();
        let file = json!({"contentType": kind, "contentUrl": url, "thumbnailUrl": url,
                          "content": {"images": [{"url": url}], "buttons": [{"type": "openUrl", "value": url}]}});
        let entity = json!({"type": "clientInfo", "url": url});
        let changes = json!({"attachments": [file], "entities": [entity], "text": url});
        let reply = server.post(&expecting(id, changes)).await;
        assert_eq!(reply.status, 200, "{reply:?}");
    }
    assert_eq!(server.engine.close(PATIENCE).await, 0);
    assert!(sink.came().is_none());
}

#[tokio::test]
async fn a_thousand_conversations_of_one_token_are_served_and_leave_no_turn_behind() {
    let world = World::start().await;
    let bearer = format!("Bearer {}", world.token());
    for batch in 0..20 {
        let posts = (0..50).map(|number| {
            let id = json!({"conversation": {"id": format!("{batch}-{number}")}});
            let (world, bearer) = (&world, &bearer);
            async move { world.post(&[("authorization", bearer)], &with(activity(), id)).await }
        });
        assert!(join_all(posts).await.iter().all(|reply| reply.status == 200));
    }
    assert_eq!(world.server.stored().await.len(), 1000);
    assert_eq!(world.server.engine.busy(), 0, "a conversation that is quiet takes no place");
    assert_eq!(world.issuer.count(), 2, "the issuer is asked once however many come");
}

#[tokio::test]
async fn one_hot_conversation_is_put_off_beyond_its_queue_and_others_are_not() {
    let gate = Arc::new(Semaphore::new(0));
    let inside = Arc::clone(&gate);
    let bot = Bot::new().on_message(move |mut turn: Turn| {
        let gate = Arc::clone(&inside);
        async move {
            if turn.activity().conversation.as_ref().and_then(|it| it.id.as_deref()) == Some("hot")
            {
                gate.acquire().await?.forget();
            }
            turn.say("done");
            Ok(())
        }
    });
    let limits = Limits { queue_max: 8, batch_max: 1, ..Limits::default() };
    let store = Arc::new(MemoryStore::default());
    let server =
        Arc::new(Server::with(bot, store, limits, EndpointOptions::unauthenticated()).await);
    let hot = (0..100).map(|id| {
        let server = Arc::clone(&server);
        let changes = json!({"conversation": {"id": "hot"}});
        tokio::spawn(async move { server.post(&expecting(&id.to_string(), changes)).await })
    });
    let hot: Vec<_> = hot.collect();
    // Requests beyond the queue are rejected at once; meanwhile other conversations are served.
    let healthy = server.post(&expecting("1", json!({"conversation": {"id": "cool"}}))).await;
    assert_eq!(healthy.status, 200, "{healthy:?}");
    gate.add_permits(100);
    let mut counts = (0, 0);
    for reply in hot {
        let reply = reply.await.unwrap();
        match reply.status {
            200 => counts.0 += 1,
            429 => {
                assert_eq!(reply.error().0, "ConversationBusy");
                assert_eq!(reply.header("retry-after"), Some("1"));
                counts.1 += 1;
            }
            _ => panic!("{reply:?}"),
        }
    }
    assert!(counts.0 >= 8 && counts.1 >= 1 && counts.0 + counts.1 == 100, "{counts:?}");
}
