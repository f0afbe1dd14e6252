//! Check of the clock: tokens are valid for a time only, and timers depend on it.

use std::{
    sync::Arc,
    time::{Duration, SystemTime},
};

use reqwest::header::DATE;

use super::{
    finding::Finding,
    patient::Patient,
    web::{client, host},
};

/// Maximum clock skew, the leeway of token validation: beyond it every token is refused.
const APART_MAX: Duration = Duration::from_secs(5 * 60);

/// Clock skew beyond which there is a warning.
const APART_GOOD: Duration = Duration::from_secs(60);

const CURE: &str = "set the clock, and keep it synchronised (chrony, systemd-timesyncd); in a \
                    container it is the host's";

/// Compares the clock with the `Date` header of the issuer, or else of the login service.
pub(super) async fn check(patient: Arc<Patient>) -> Finding {
    let auth = match patient.app() {
        Ok(auth) => auth,
        Err(finding) => return finding,
    };
    // Both at once, since each may take all the time there is.
    let (issuer, login) = (&auth.cloud.metadata, &auth.cloud.login);
    let (from_issuer, from_login) = tokio::join!(ask(issuer), ask(login));
    match (from_issuer, from_login) {
        (Some(apart), _) => judge(apart, &host(issuer)),
        (None, Some(apart)) => judge(apart, &host(login)),
        (None, None) => Finding::warning(
            format!("neither {} nor {} could be asked for the time", host(issuer), host(login)),
            "see the checks above, and compare `date -u` with another clock",
        ),
    }
}

/// Clock skew relative to another machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Apart {
    Ahead(Duration),
    Behind(Duration),
}

impl Apart {
    fn new(here: SystemTime, there: SystemTime) -> Self {
        match here.duration_since(there) {
            Ok(ahead) => Self::Ahead(ahead),
            Err(error) => Self::Behind(error.duration()),
        }
    }
}

async fn ask(url: &str) -> Option<Apart> {
    let asked = SystemTime::now();
    let answer = client()?.get(url).send().await.ok()?;
    let came = SystemTime::now();
    let there = httpdate::parse_http_date(answer.headers().get(DATE)?.to_str().ok()?).ok()?;
    let journey = came.duration_since(asked).unwrap_or_default();
    Some(Apart::new(asked + journey / 2, there))
}

fn judge(apart: Apart, whose: &str) -> Finding {
    let (length, word) = match apart {
        Apart::Ahead(length) => (length, "ahead of"),
        Apart::Behind(length) => (length, "behind"),
    };
    let seconds = length.as_secs();
    let span = match seconds {
        0..120 => format!("{seconds} s"),
        120..7200 => format!("{} min", seconds / 60),
        _ => format!("{} h", seconds / 3600),
    };
    match length {
        // A date in a header has whole seconds.
        _ if seconds < 2 => Finding::ok(format!("the same as that of {whose}")),
        _ if length > APART_MAX => {
            Finding::failed(format!("{span} {word} {whose}: every token would be refused"), CURE)
        }
        _ if length > APART_GOOD => Finding::warning(format!("{span} {word} {whose}"), CURE),
        _ => Finding::ok(format!("{span} {word} {whose}")),
    }
}

#[cfg(test)]
mod tests {
    use super::{super::finding::Mark, *};

    #[test]
    fn a_minute_is_a_warning_and_more_than_five_are_a_failure() {
        for (seconds, mark) in [
            (0, Mark::Ok),
            (60, Mark::Ok),
            (61, Mark::Warning),
            (300, Mark::Warning),
            (301, Mark::Failed),
            (86_400, Mark::Failed),
        ] {
            let length = Duration::from_secs(seconds);
            for apart in [Apart::Ahead(length), Apart::Behind(length)] {
                assert_eq!(judge(apart, "x").mark, mark, "{apart:?}");
            }
        }
        let (early, late) = (SystemTime::UNIX_EPOCH, SystemTime::UNIX_EPOCH + APART_MAX);
        assert_eq!(Apart::new(late, early), Apart::Ahead(APART_MAX));
        assert_eq!(Apart::new(early, late), Apart::Behind(APART_MAX));
        let text = judge(Apart::Behind(Duration::from_secs(600)), "x").text;
        assert_eq!(text, "10 min behind x: every token would be refused");
    }
}
