//! URLs of calls, and the errors of calls that are not sent.

use futures_util::future::join_all;
use sayso_channel::{
    Connector, ConnectorOptions, ServiceUrls,
    client::{Client, Error},
};
use sayso_turn::activity::Activity;
use tokio::net::TcpListener;

use super::{
    faults::{Remedy, calls, is},
    patient,
};
use crate::support::{
    PATIENCE,
    sink::{Act, Sink},
};

#[tokio::test]
async fn a_channel_that_cannot_be_connected_has_certainly_not_been_called() {
    let closed = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = closed.local_addr().unwrap();
    drop(closed);
    // It does not speak TLS, so nothing is ever sent to it.
    let plain = Sink::start(Act::Write(b"HTTP/1.1 400 Bad Request\r\n\r\n".to_vec())).await;
    for url in [
        format!("http://{address}/"),
        format!("http://localhost:{}", address.port()),
        format!("https://{}/x", plain.address),
        "https://nothing.invalid/".to_owned(),
    ] {
        let service_urls = ServiceUrls::Only(vec![url.clone()]);
        let options = ConnectorOptions { service_urls, timeout: PATIENCE, ..Default::default() };
        let service = Client::new(options).unwrap().at(&url).unwrap();
        for outcome in join_all(calls(&service).into_iter().map(|(_, call)| call)).await {
            assert!(is(&outcome, Remedy::NotSent), "{url}: {outcome:?}");
        }
    }
}

#[tokio::test]
async fn an_id_that_cannot_stand_in_a_url_is_refused_before_anything_is_sent() {
    let mut sink = Sink::accepting().await;
    let service = patient(&sink.url());
    let say = Activity::message("hi");
    for id in ["", ".", ".."] {
        for outcome in [
            service.send(id, &say).await.map(drop),
            service.reply("c", id, &say).await.map(drop),
            service.update("c", id, &say).await.map(drop),
            service.delete("c", id).await,
            service.members(id).await.map(drop),
            service.member("c", id).await.map(drop),
            service.delete_member(id, "m").await,
            service.activity_members("c", id).await.map(drop),
            service.attachment(id).await.map(drop),
            service.attachment_content("a", id, 9).await.map(drop),
        ] {
            assert!(matches!(outcome, Err(Error::Refused { status: None, .. })), "{outcome:?}");
        }
    }
    for id in ["history", "History"] {
        let outcome = service.reply("c", id, &say).await;
        assert!(matches!(outcome, Err(Error::Refused { status: None, .. })), "{outcome:?}");
    }
    assert!(sink.came().is_none());
}

#[tokio::test]
async fn a_service_url_may_have_a_path_and_a_final_slash() {
    for (base, prefix) in
        [("", ""), ("/", ""), ("/_connector", "/_connector"), ("/_connector/", "/_connector")]
    {
        let mut sink = Sink::accepting().await;
        let connector = Connector::new(ConnectorOptions::default()).unwrap();
        let url = format!("http://localhost:{}{base}", sink.address.port());
        let service = Client::from(&connector).at(&url).unwrap();
        service.send("a/b", &Activity::message("hi")).await.unwrap();
        let line = format!("POST {prefix}/v3/conversations/a%2Fb/activities");
        assert_eq!(sink.next().await.line(), line);
    }
}
