//! `sayso state export`: writes documents as lines of JSON.

use std::process::ExitCode;

use futures_util::StreamExt as _;

use super::{
    exit,
    found::{Looked, look},
    limits::IN_FLIGHT,
    line::Line,
    options::Export,
    output::Output,
    units,
};
use crate::{place::Missing, terminal};

/// Prints every document that has not expired, and how many there were.
pub(super) async fn run(options: Export) -> anyhow::Result<ExitCode> {
    let store = options.place.open(Missing::Refuse).await?;
    let store = store.as_ref();
    let prefix = options.whose.prefix(&options.place.load()?, &options.prefix);
    let looks = store.list(&prefix).map(|key| async { look(store, &key?).await });
    let mut looks = looks.buffered(IN_FLIGHT);
    let mut output = Output::new();
    let (mut exported, mut expired, mut damaged) = (0, 0, 0);
    while let Some(looked) = looks.next().await {
        match looked? {
            Looked::Absent => {}
            Looked::Found(found) if found.is_expired() => expired += 1,
            Looked::Found(found) => {
                output.json(&Line::of(&found))?;
                exported += 1;
            }
            Looked::Damaged { reason, .. } => {
                damaged += 1;
                terminal::note(&reason);
            }
        }
    }
    output.end()?;
    let mut words = format!("exported {}", units::many(exported, "document", "documents"));
    if expired > 0 {
        words.push_str(&format!(", left {expired} out that expired"));
    }
    if damaged > 0 {
        words.push_str(&format!(", left {damaged} out that are damaged"));
    }
    terminal::note(&words);
    Ok(exit::code(damaged == 0))
}
