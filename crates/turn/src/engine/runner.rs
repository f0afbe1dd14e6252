//! The runner: takes what waits in a mailbox and brings it to a commit, until nothing waits.

use std::{panic::AssertUnwindSafe, sync::Arc, time::Duration};

use futures_util::FutureExt;

use super::{
    batch::process,
    core::Core,
    long_turns,
    mailbox::{Mailbox, RunnerExit, Work},
};

/// A rest is this many times as long as the last batch took.
const REST_TIMES: u32 = 16;
/// The shortest rest.
const REST_MIN: Duration = Duration::from_millis(20);
/// The longest rest.
const REST_MAX: Duration = Duration::from_millis(500);

/// Serves a mailbox until nothing waits in it.
pub(super) async fn run(core: Arc<Core>, mailbox: Arc<Mailbox>) {
    let (mut carried, mut batches) = (None, 0);
    loop {
        let work = mailbox.take(&core.limits, core.logic.overlap(), batches > 0);
        if let Work::Done(exit) = work {
            return leave(&core, &mailbox, &exit);
        }
        batches += 1;
        let is_burst = batches % core.limits.burst_max.max(1) == 0;
        let began = is_burst.then(|| core.uptime());
        let ended = {
            // Pinned where it is: what is large is not moved into the future around it.
            let working = std::pin::pin!(async {
                match work {
                    Work::Batch(batch) => process(&core, &mailbox, batch).await,
                    Work::Inbox => {
                        // Boxed: rare path, large future.
                        Box::pin(long_turns::work(&core, &mailbox, carried.take())).await;
                        None
                    }
                    Work::Done(_) => None,
                }
            });
            AssertUnwindSafe(working).catch_unwind().await
        };
        if let Ok(late) = ended {
            carried = late;
        } else {
            // A broken invariant stops these turns, not the process; their senders hear of it.
            tracing::error!(key = %mailbox.key, "an invariant of the engine is broken; please report");
            core.cache().forget(&mailbox.key);
            // What is left is found again by recovery: not at once, so nothing spins.
            mailbox.state().queue.has_inbox = false;
        }
        if let Some(began) = began {
            rest(&core, &mailbox, began).await;
        }
    }
}

/// Rests for a moment, so that another instance gets its turn in a conversation with much to do.
async fn rest(core: &Core, mailbox: &Mailbox, began: Duration) {
    if mailbox.state().queue.waiting.is_empty() {
        return;
    }
    let took = core.uptime().saturating_sub(began);
    core.clock.sleep((REST_TIMES * took).clamp(REST_MIN, REST_MAX)).await;
}

fn leave(core: &Arc<Core>, mailbox: &Arc<Mailbox>, exit: &RunnerExit) {
    match exit {
        RunnerExit::Idle => core.retire(mailbox),
        RunnerExit::Watched => {}
        // The commit that should have recorded or released it failed.
        RunnerExit::Unsettled => core.spawn(core.courier(mailbox, &mut mailbox.state())),
    }
}
