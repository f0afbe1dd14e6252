//! Inbox head and interleaved work of a long turn.

use std::sync::Arc;

use crate::{
    engine::{
        batch::process,
        core::Core,
        deadline::Deadline,
        item::Batch,
        mailbox::Mailbox,
        round::{Round, Setback},
    },
    ledger::Accepted,
};

/// Loads the document and the first entry of its inbox, if this instance holds the claim.
pub(super) async fn load_first<'a>(
    core: &'a Arc<Core>,
    mailbox: &'a Arc<Mailbox>,
    setbacks: u32,
) -> Result<Option<(Round<'a>, Arc<Accepted>)>, Setback> {
    let deadline = Deadline::at(core.uptime() + core.limits.claim / 4);
    let round = Round::load(core, mailbox, (setbacks, deadline), false).await?;
    let ledger = &round.draft.document.ledger;
    match ledger.inbox.first().filter(|_| ledger.is_claimed_by(core.me())).cloned() {
        Some(entry) => Ok(Some((round, entry))),
        None => {
            round.leave_alone();
            Ok(None)
        }
    }
}

/// Processes a batch while a long turn runs.
pub(super) async fn process_batch(core: &Arc<Core>, mailbox: &Arc<Mailbox>, batch: Batch) {
    drop(Box::pin(process(core, mailbox, batch)).await);
    mailbox.changed.notify_one();
}
