//! `sayso state forget`: erases what is stored about a user (right to be forgotten).
//!
//! A user's documents are found by their keys, or by who took part in them: by the index of
//! participants where the engine keeps one, else by reading every document of the channel.
//! Everything that the runtime keeps is inside the documents, so removing them removes all of it;
//! then the engine removes the remains from its files, as far as it can.

mod relation;
mod report;

use std::process::ExitCode;

use futures_util::{StreamExt as _, TryStreamExt as _, stream::BoxStream};
use sayso::turn::{
    Key,
    store::{Effort, Error, Participant, Store},
};

use self::{
    relation::{Person, Relation},
    report::{Files, Lookup, Report},
};
use super::{
    exit,
    found::{Looked, look},
    limits::{IN_FLIGHT, ROUNDS_MAX},
    options::Forget,
    output::Output,
    patience::delete,
};
use crate::{
    place::Missing,
    terminal::{self, Paint},
};

/// Removes the user's documents, round by round until none is found, then their remains.
pub(super) async fn run(options: Forget) -> anyhow::Result<ExitCode> {
    let store = options.place.open(Missing::Refuse).await?;
    let report = forget(store.as_ref(), &options).await?;
    let mut output = Output::new();
    match options.json {
        true => output.json(&report)?,
        false => output.line(report.text(Paint::stdout()))?,
    }
    output.end()?;
    report.damaged.iter().for_each(|reason| terminal::note(reason));
    if report.unsettled {
        terminal::note(
            "documents of the user are written all the time; stop the conversation and run again",
        );
    }
    if !report.complete && !report.dry_run {
        terminal::note("the erasure is not complete, see above");
    }
    // A dry run has told what it was asked for.
    let is_well = report.complete || report.dry_run && report.damaged.is_empty();
    Ok(exit::code(is_well))
}

async fn forget(store: &dyn Store, options: &Forget) -> anyhow::Result<Report> {
    let scope = options.whose.exact_scope(&options.place.load()?)?;
    let conversation = |id: &String| scope.conversation(&options.channel, id);
    let named = options.conversation.iter().map(conversation).collect::<Result<_, _>>()?;
    let (channel, user) = (options.channel.clone(), options.user.clone());
    let person = Person { scope, channel, user, named, scans: options.scan };
    let mut report = Report { dry_run: options.dry_run, unsettled: true, ..Report::default() };
    // What a turn under way writes again is found by the next round.
    for _ in 0..ROUNDS_MAX {
        let found = person.round(store, &mut report).await?;
        report.unsettled = found > 0 && !options.dry_run;
        if !report.unsettled {
            break;
        }
    }
    if !options.dry_run {
        // Also when nothing was found: an earlier run may have been cut off before this.
        let effort = if options.rewrite { Effort::Rewrite } else { Effort::Light };
        report.files = Some(Files::of(store.purge(effort).await));
    }
    report.judge(options);
    Ok(report)
}

impl Person {
    /// The documents that may be theirs, and how they are found.
    fn keys<'a>(&self, store: &'a dyn Store) -> (Lookup, BoxStream<'a, Result<Key, Error>>) {
        let conversations = format!("{}{}/conversations/", self.scope, self.channel);
        let indexed = match self.scans {
            true => None,
            false => store.list_with(Participant::of(&self.user), &conversations),
        };
        match indexed {
            Some(keys) => (Lookup::Index, keys),
            None => (Lookup::Scan, store.list(&conversations)),
        }
    }

    /// Looks at the documents that may be theirs once and removes those of the user. Returns how
    /// many were found.
    async fn round(&self, store: &dyn Store, report: &mut Report) -> anyhow::Result<usize> {
        report.shared.clear();
        report.crowded.clear();
        report.damaged.clear();
        report.silent = 0;
        let (lookup, keys) = self.keys(store);
        report.lookup = lookup;
        let own = [self.scope.user(&self.channel, &self.user)?];
        // The index does not know of those that are only declared to be theirs.
        let named = self.named.iter().filter(|_| lookup == Lookup::Index).cloned();
        let own = futures_util::stream::iter(own.into_iter().chain(named).map(Ok));
        let looks = own.chain(keys).map_ok(|key| async {
            let looked = look(store, &key).await?;
            Ok((key, looked))
        });
        let mut looks = looks.try_buffer_unordered(IN_FLIGHT);
        let mut found = 0;
        while let Some((key, looked)) = looks.try_next().await? {
            report.read += 1;
            match looked {
                Looked::Absent => {}
                Looked::Damaged { reason, .. } => report.damaged.push(reason),
                Looked::Found(document) => match self.relation(&document) {
                    Relation::Theirs(kind) => {
                        found += 1;
                        report.note(&document, kind);
                        if !report.dry_run {
                            // One that changed since is judged anew by the next round.
                            let _is_gone = delete(store, &key, &document.etag).await?;
                        }
                    }
                    Relation::Shared => report.shared.push(key.as_str().to_owned()),
                    Relation::Crowded => report.crowded.push(key.as_str().to_owned()),
                    Relation::Silent => report.silent += 1,
                    Relation::Other => {}
                },
            }
        }
        for keys in [&mut report.shared, &mut report.crowded] {
            keys.sort();
            keys.dedup();
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests;
