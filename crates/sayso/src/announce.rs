//! Welcome text of a server that has started: its address, its store, and a `curl` to try.

use std::{
    fmt::Display,
    io::{self, Write as _},
};

/// Prints a text to standard output.
pub(crate) fn print(text: &str) {
    // Nobody reading is no reason to stop serving.
    drop(io::stdout().lock().write_all(text.as_bytes()));
}

/// Welcome text of a server that authenticates.
pub(crate) fn welcome_app(
    url: &str,
    admin: Option<&str>,
    store: &dyn Display,
    app: &str,
) -> String {
    let admin = health(admin);
    format!(
        "listening on {url} (authenticates both ways as the app {app})\n{admin}state in {store}\n"
    )
}

/// Line about the admin address.
fn health(admin: Option<&str>) -> String {
    admin.map(|url| format!("health and statistics on {url}\n")).unwrap_or_default()
}

/// Welcome text of a server without authentication.
pub(crate) fn welcome(url: &str, admin: Option<&str>, store: &dyn Display) -> String {
    format!(
        "\
listening on {url} (loopback only: no authentication is configured)
{}state in {store}

Say something to it:

  {}

$RANDOM gives each run an id of its own: a new message. An id that was seen
before is a redelivery: it changes nothing and gets the same answer.
",
        health(admin),
        curl(url, "mushrooms"),
    )
}

/// A command that works when it is pasted into a shell, on lines that fit a narrow terminal.
fn curl(url: &str, text: &str) -> String {
    // A certificate seldom names a loopback address, and nobody is between.
    let options = if url.starts_with("https:") { "-sk" } else { "-s" };
    format!(
        r#"curl {options} {url}/api/messages \
    -H 'content-type: application/json' -d '{{
    "type": "message", "id": "'$RANDOM$RANDOM'", "text": "{text}",
    "deliveryMode": "expectReplies", "channelId": "curl",
    "conversation": {{"id": "demo"}}, "from": {{"id": "you"}}}}'"#
    )
}
