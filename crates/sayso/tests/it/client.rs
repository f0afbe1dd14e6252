//! Posts an activity and signals a process, within bounds. The tests of the command use it, too.

use std::time::Duration;

use tokio::process::Command;

/// Upper bound for each step of a test.
pub(crate) const STEP_MAX: Duration = Duration::from_secs(60);

/// Sends a signal to a process of this test's, by the shell's own `kill`.
pub(crate) async fn signal(id: u32, name: &str) {
    let sent = Command::new("sh").args(["-c", &format!("kill -{name} {id}")]).status().await;
    assert!(sent.unwrap().success());
}

/// Posts an activity.
pub(crate) async fn post(url: &str, body: &str) -> reqwest::Response {
    let client = reqwest::Client::builder().no_proxy().timeout(STEP_MAX).build().unwrap();
    let request = client.post(format!("{url}/api/messages"));
    let request = request.header("content-type", "application/json");
    request.body(body.to_owned()).send().await.unwrap()
}
