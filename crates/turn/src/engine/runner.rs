//! The runner (an actor's loop, the single writer): commits the work of a mailbox batch by batch,
//! until it is empty.

use std::{panic::AssertUnwindSafe, sync::Arc, time::Duration};

use futures_util::FutureExt;

use super::{
    batch::process,
    core::Core,
    long_turns,
    mailbox::{Mailbox, RunnerExit, Work},
};

/// Length of a pause, in multiples of the duration of a batch.
const REST_TIMES: u32 = 16;
/// The shortest pause.
const REST_MIN: Duration = Duration::from_millis(20);
/// The longest pause.
const REST_MAX: Duration = Duration::from_millis(500);

/// Serves a mailbox until it is empty.
pub(super) async fn run(core: Arc<Core>, mailbox: Arc<Mailbox>) {
    let (mut carried, mut batches) = (None, 0);
    loop {
        let work = mailbox.take(&core.limits, core.logic.overlap(), batches > 0);
        if let Work::Done(exit) = work {
            return leave(&core, &mailbox, &exit);
        }
        if let Work::Rest(commit) = work {
            rest(&core, commit).await;
            continue;
        }
        batches += 1;
        let is_burst = batches % core.limits.burst_max.max(1) == 0;
        let began = is_burst.then(|| core.uptime());
        let ended = {
            // Pinned in place, so that a large future is not moved into the one around it.
            let working = std::pin::pin!(async {
                match work {
                    Work::Batch(batch) => process(&core, &mailbox, batch).await,
                    Work::Inbox => {
                        // Boxed: rare path, large future.
                        Box::pin(long_turns::work(&core, &mailbox, carried.take())).await;
                        None
                    }
                    Work::Rest(_) | Work::Done(_) => None,
                }
            });
            AssertUnwindSafe(working).catch_unwind().await
        };
        if let Ok(late) = ended {
            carried = late;
        } else {
            // A broken invariant fails these turns, not the process; their senders get an error.
            tracing::error!(key = %mailbox.key, "an invariant of the engine is broken; please report");
            core.cache().forget(&mailbox.key);
            // Recovery finds what is left, after a while, so that nothing spins.
            mailbox.state().queue.has_inbox = false;
        }
        if let Some(began) = began
            && !mailbox.state().queue.waiting.is_empty()
        {
            rest(&core, core.uptime().saturating_sub(began)).await;
        }
    }
}

/// Pauses for a moment, so that another instance can commit in a busy conversation (fairness).
async fn rest(core: &Core, commit: Duration) {
    core.clock.sleep((REST_TIMES * commit).clamp(REST_MIN, REST_MAX)).await;
}

fn leave(core: &Arc<Core>, mailbox: &Arc<Mailbox>, exit: &RunnerExit) {
    match exit {
        RunnerExit::Idle => core.retire(mailbox),
        RunnerExit::Watched => {}
        // The commit that should have recorded the hand-over or released the claim failed.
        RunnerExit::Unsettled => core.spawn(core.courier(mailbox, &mut mailbox.state())),
    }
}
