//! `sayso chat` over a pipe: one line a message, one line a reply, and an end.

use crate::process::run;

#[tokio::test]
async fn every_line_is_a_message_and_every_reply_arrives_before_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let ended = run(folder.path(), &["chat"], "ham\n\nolives\nnew pizza\ncorn").await;
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let lines: Vec<&str> = ended.stdout.lines().collect();
    let expected = [
        "A pizza with ham.",
        "A pizza with ham and olives.",
        "A new pizza. What goes on it?",
        "A pizza with corn.",
    ];
    assert_eq!(lines, expected);
    assert!(ended.stderr.is_empty(), "{}", ended.stderr);
}

#[tokio::test]
async fn quit_ends_it_and_a_store_keeps_the_pizza() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = ["chat", "--store", "sqlite:chat.sqlite", "--conversation", "friday"];
    let ended = run(folder.path(), &arguments, "ham\n/quit\nnever\n").await;
    assert_eq!((ended.code, &*ended.stdout), (Some(0), "A pizza with ham.\n"));
    let ended = run(folder.path(), &arguments, "corn\n").await;
    assert_eq!(ended.stdout, "A pizza with ham and corn.\n");
}
