//! What a long turn looks at beside its run: the head of the line, and what came up meanwhile.

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

/// The document with its first one in line, if that is ours to run.
pub(super) async fn first<'a>(
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

/// Sees to what came up while a long turn goes on.
pub(super) async fn see_to(core: &Arc<Core>, mailbox: &Arc<Mailbox>, batch: Batch) {
    drop(Box::pin(process(core, mailbox, batch)).await);
    mailbox.changed.notify_one();
}
