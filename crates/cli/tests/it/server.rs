//! `sayso serve`: every message is answered, and the state outlives the process.

use crate::process::Served;

#[tokio::test]
async fn a_message_is_answered_and_the_state_survives_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let served = Served::start(folder.path(), &[]).await;
    assert_eq!(served.ask("1", "ham").await, ["A pizza with ham."]);
    served.signal("TERM").await;
    assert_eq!(served.end().await, Some(0));
    assert!(folder.path().join("data/sayso.sqlite").exists());

    let served = Served::start(folder.path(), &[]).await;
    assert_eq!(served.ask("1", "ham").await, ["A pizza with ham."], "a redelivery counts once");
    assert_eq!(served.ask("2", "corn").await, ["A pizza with ham and corn."]);
}

#[tokio::test]
async fn an_answer_survives_a_kill() {
    let folder = tempfile::tempdir().unwrap();
    let served = Served::start(folder.path(), &[]).await;
    assert_eq!(served.ask("1", "ham").await, ["A pizza with ham."]);
    served.signal("KILL").await;
    assert_eq!(served.end().await, None);

    let served = Served::start(folder.path(), &[]).await;
    assert_eq!(served.ask("2", "corn").await, ["A pizza with ham and corn."]);
}

#[tokio::test]
async fn the_first_words_say_what_to_do_and_the_curl_in_them_works() {
    let folder = tempfile::tempdir().unwrap();
    let mut served = Served::start(folder.path(), &["--store", "memory://"]).await;
    let mut words = String::new();
    while !words.contains("sayso race") {
        words.push_str(&served.lines.next_line().await.unwrap().unwrap());
        words.push('\n');
    }
    let loopback =
        format!("listening on {} (loopback only: no authentication is configured)", served.url);
    assert!(words.contains(&loopback), "{words}");
    assert!(words.contains("sayso chat"), "{words}");
    assert!(words.contains(&format!("curl -s {}/api/messages", served.url)), "{words}");

    // What a shell makes of it: the quotes end around $RANDOM, and the rest is the body.
    let body = words.split_once("-d '").unwrap().1.split_once("}'\n").unwrap().0;
    let body = body.replace("'$RANDOM$RANDOM'", "4711") + "}";
    assert_eq!(served.post(&body).await, ["A pizza with mushrooms."]);
    assert_eq!(served.post(&body).await, ["A pizza with mushrooms."], "the same id is the same");
    let again = body.replace("4711", "4712");
    assert_eq!(served.post(&again).await, ["A pizza with mushrooms and mushrooms."]);
}
