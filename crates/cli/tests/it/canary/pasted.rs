//! Connection strings of every form where a store's URL should be: what the command writes of them.

use std::{path::Path, time::Duration};

use futures_util::{StreamExt as _, stream};
use tokio::{
    io::AsyncReadExt as _,
    time::{Instant, timeout_at},
};

use super::Secrets;
use crate::process::{STEP_MAX, run, sayso};

/// Forms in which people have or paste secrets; `{}` is the secret.
const FORMS: &str = include_str!("../../../../sayso/src/config/redact/forms.txt");

/// Secret with characters that split a URL.
const SPLIT: &str = "c4n4ry-pasted/c4n4ry-secret+c4n4ry==";
const PLAIN: &str = "c4n4rypastedc4n4rysecret";

/// Time that a server has to fail at a store that is not there.
const STARTS_WITHIN: Duration = Duration::from_millis(1500);

/// Limit on processes at work.
const AT_ONCE: usize = 8;

fn secrets() -> Secrets {
    let mut secrets = Secrets::default();
    secrets.add(SPLIT);
    secrets.add(PLAIN);
    for part in ["c4n4ry-pasted", "c4n4ry-secret"] {
        secrets.add(part);
    }
    secrets
}

/// Forms with a secret, of hosts that do not exist.
fn pasted() -> impl Iterator<Item = String> {
    let forms = FORMS.lines().filter(|form| !form.starts_with("sqlite:"));
    forms.flat_map(|form| {
        let nowhere = [".example", ".net", ".com"].iter();
        let form = nowhere.fold(form.to_owned(), |form, end| form.replace(end, ".invalid"));
        [SPLIT, PLAIN].map(|secret| form.replace("{}", secret))
    })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_form_of_a_connection_string_shows_in_what_the_command_writes() {
    let folder = tempfile::tempdir().unwrap();
    let secrets = secrets();
    let tried = stream::iter(pasted()).map(|text| attempt(folder.path(), &secrets, text));
    let spoke: Vec<bool> = tried.buffer_unordered(AT_ONCE).collect().await;
    let (forms, spoke) = (spoke.len(), spoke.into_iter().filter(|spoke| *spoke).count());
    assert!(forms >= 60 && spoke * 10 > forms * 7, "{spoke} of {forms} said something");
}

/// Tries one as the store. Reports whether the server said anything.
async fn attempt(folder: &Path, secrets: &Secrets, text: String) -> bool {
    for arguments in [&["config", "--store", &text][..], &["config", "--json", "--store", &text]] {
        let ended = run(folder, arguments, "").await;
        assert!(ended.stdout.contains("store"), "{ended:?}");
        secrets.are_not_in("sayso config", &format!("{ended:?}"));
    }
    let said = serve_at_trace(folder, &text).await;
    secrets.are_not_in("sayso serve", &said);
    !said.is_empty()
}

/// Both outputs of a server that logs everything, until it gives up or its time is over.
async fn serve_at_trace(folder: &Path, store: &str) -> String {
    let arguments = ["serve", "--address", "127.0.0.1:0", "--store", store];
    let mut command = sayso(folder, &arguments);
    let mut child = command.env("SAYSO_LOG", "trace").spawn().unwrap();
    let (mut stdout, mut stderr) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
    let mut bytes = (Vec::new(), Vec::new());
    let until = Instant::now() + STARTS_WITHIN;
    {
        let read = async {
            let (stdout, stderr) =
                (stdout.read_to_end(&mut bytes.0), stderr.read_to_end(&mut bytes.1));
            drop(tokio::join!(stdout, stderr));
        };
        // One that tries again and again is told to stop; what it has said so far counts.
        drop(timeout_at(until, read).await);
    }
    child.start_kill().unwrap();
    assert!(tokio::time::timeout(STEP_MAX, child.wait()).await.is_ok());
    let (stdout, stderr) = bytes;
    format!("{}{}", String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr))
}
