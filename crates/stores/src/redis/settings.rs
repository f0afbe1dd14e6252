//! Checks server settings against the guarantees of the store.
//!
//! A turn that was acknowledged must still be there after a crash. Redis keeps that only when it is
//! told to, so the settings are looked at once, when the store is opened.

use std::collections::BTreeMap;

use redis::{ServerErrorKind, Value, from_redis_value};

use super::{
    acks::Acks,
    config::Durability,
    failure::Failure,
    link::Link,
    names::{Names, Shard},
};

/// Settings as a server reports them. Those it does not report are missing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Settings {
    values: BTreeMap<String, String>,
}

/// Fields of `INFO`, and names for `CONFIG GET`.
const INFO: [&str; 4] = ["run_id", "role", "connected_slaves", "cluster_enabled"];
const CONFIG: [&str; 5] =
    ["appendonly", "appendfsync", "maxmemory", "maxmemory-policy", "min-replicas-to-write"];

/// Findings of trials, under names that no setting has: whether scripts over several slots are
/// refused, and whether the server knows how to wait for replicas.
const SLOTS: &str = "(slots)";
const WAIT: &str = "(wait)";

impl Settings {
    /// Reads the settings of every server that holds documents of ours.
    pub(super) async fn read(link: &Link, names: &Names) -> Result<Vec<Self>, Failure> {
        let mut servers = Vec::<Self>::new();
        for shard in Shard::all().take(if link.is_cluster() { usize::MAX } else { 1 }) {
            let mut settings = Self::default();
            settings.read_info(link, shard).await?;
            let run = settings.get("run_id");
            if run.is_some() && servers.iter().any(|known| known.get("run_id") == run) {
                continue;
            }
            for name in CONFIG {
                settings.read_config(link, shard, name).await?;
            }
            settings.try_out(link, names, shard).await?;
            servers.push(settings);
        }
        Ok(servers)
    }

    async fn read_info(&mut self, link: &Link, shard: Shard) -> Result<(), Failure> {
        let Some(info) = ask(link, shard, &redis::cmd("INFO")).await? else { return Ok(()) };
        let Ok(info) = from_redis_value::<String>(info) else { return Ok(()) };
        for line in info.lines() {
            if let Some((name, value)) = line.split_once(':')
                && INFO.contains(&name)
            {
                drop(self.values.insert(name.to_owned(), value.to_owned()));
            }
        }
        Ok(())
    }

    async fn read_config(&mut self, link: &Link, shard: Shard, name: &str) -> Result<(), Failure> {
        let Some(answer) = ask(link, shard, redis::cmd("CONFIG").arg("GET").arg(name)).await?
        else {
            return Ok(());
        };
        self.values
            .extend(from_redis_value::<BTreeMap<String, String>>(answer).unwrap_or_default());
        Ok(())
    }

    async fn try_out(&mut self, link: &Link, names: &Names, shard: Shard) -> Result<(), Failure> {
        if link.acks().is_some() && ask(link, shard, &Acks::probe()).await?.is_none() {
            drop(self.values.insert(WAIT.to_owned(), "unknown".to_owned()));
        }
        if link.is_cluster() || self.get("cluster_enabled") == Some("1") {
            return Ok(());
        }
        let mut two_slots = redis::cmd("EVAL");
        let _command = two_slots.arg("return 0").arg(2);
        for shard in Shard::all().take(2) {
            let _command = two_slots.arg(names.waiting(shard));
        }
        match ask(link, shard, &two_slots).await {
            Err(failure) if failure.is(ServerErrorKind::CrossSlot) => {
                drop(self.values.insert(SLOTS.to_owned(), "enforced".to_owned()));
                Ok(())
            }
            answer => answer.map(drop),
        }
    }

    fn get(&self, name: &str) -> Option<&str> {
        self.values.get(name).map(String::as_str)
    }

    /// Warnings about what weakens the guarantees, or the reason why the server cannot be used.
    pub(super) fn judge(
        &self,
        is_cluster: bool,
        is_acked: bool,
        durability: Durability,
    ) -> Verdict {
        let mut verdict = Verdict { durability, ..Verdict::default() };
        if !is_cluster && self.get("cluster_enabled") == Some("1") {
            verdict.refuse("it is a node of a cluster; use redis+cluster:// in the URL");
        }
        if self.get(SLOTS).is_some() {
            verdict.refuse(
                "behind this address is a cluster that takes no script over several slots \
                 (CROSSSLOT); use redis+cluster:// with its nodes, or a database without cluster \
                 mode",
            );
        }
        if self.get(WAIT).is_some() {
            verdict.refuse(
                "it does not know WAIT or forbids it, so wait in the URL cannot be kept; connect \
                 to the server itself, not to a proxy",
            );
        }
        if self.get("role") == Some("slave") {
            verdict.refuse("it is a replica and cannot write; connect to the primary");
        }
        match self.get("appendonly") {
            None => verdict.warn(
                "its settings cannot be read (CONFIG GET is forbidden), so it is not known whether \
                 acknowledged turns survive a crash; make sure of appendonly yes, appendfsync always \
                 and maxmemory-policy noeviction",
            ),
            Some("yes") => {}
            Some(_) => verdict.doubt(
                "it keeps documents in memory only (appendonly no), so a crash loses acknowledged \
                 turns; set appendonly yes and appendfsync always",
            ),
        }
        if self.get("appendonly") == Some("yes") && self.get("appendfsync") != Some("always") {
            verdict.warn(
                "it does not flush every write to its disk (appendfsync is not always), so a crash of \
                 the machine loses the turns acknowledged last",
            );
        }
        if self.get("maxmemory-policy").is_some_and(|policy| policy.starts_with("allkeys")) {
            let may_evict = "it throws documents away when its memory is full (maxmemory-policy \
                allkeys-...); set maxmemory-policy noeviction";
            match self.get("maxmemory") {
                Some("0") => verdict.warn(may_evict),
                _ => verdict.doubt(may_evict),
            }
        }
        let is_set = |name| self.get(name).is_some_and(|count| count != "0");
        if is_set("connected_slaves") && !is_acked && !is_set("min-replicas-to-write") {
            verdict.warn(
                "it has replicas, which get writes a moment later: a failover loses the turns \
                 acknowledged last; put wait=1 into the URL",
            );
        }
        verdict
    }
}

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Verdict {
    durability: Durability,
    pub(super) warnings: Vec<String>,
    pub(super) refusal: Option<String>,
}

impl Verdict {
    fn warn(&mut self, what: &str) {
        self.warnings.push(what.to_owned());
    }

    fn refuse(&mut self, why: &str) {
        let _first = self.refusal.get_or_insert_with(|| why.to_owned());
    }

    /// Reports a setting that voids the guarantees: refused, unless the loss is accepted.
    fn doubt(&mut self, what: &str) {
        match self.durability {
            Durability::Relaxed => self.warn(what),
            Durability::Strict => {
                self.refuse(&format!(
                    "{what}, or accept the loss with durability=relaxed in the URL"
                ));
            }
        }
    }
}

/// Sends a command; `None` where it is forbidden or unknown, as on many hosted servers.
async fn ask(link: &Link, shard: Shard, command: &redis::Cmd) -> Result<Option<Value>, Failure> {
    match link.call(shard, command).await {
        Ok(value) => Ok(Some(value)),
        Err(Failure::Refused(error)) if matches!(error.code(), Some("NOPERM" | "ERR")) => Ok(None),
        Err(failure) => Err(failure),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: [(&str, &str); 7] = [
        ("appendonly", "yes"),
        ("appendfsync", "always"),
        ("maxmemory", "100"),
        ("maxmemory-policy", "noeviction"),
        ("role", "master"),
        ("connected_slaves", "0"),
        ("cluster_enabled", "0"),
    ];

    fn own((name, value): (&str, &str)) -> (String, String) {
        (name.to_owned(), value.to_owned())
    }

    fn judge(changed: &[(&str, &str)], durability: Durability) -> Verdict {
        let values = GOOD.iter().chain(changed);
        Settings { values: values.copied().map(own).collect() }.judge(false, false, durability)
    }

    #[test]
    fn a_server_that_keeps_every_write_is_used_without_a_word() {
        for fine in [&[][..], &[("maxmemory-policy", "volatile-lru")]] {
            let verdict = judge(fine, Durability::Strict);
            assert_eq!((verdict.refusal, verdict.warnings), (None, vec![]));
        }
    }

    #[test]
    fn settings_that_void_the_promise_are_refused_unless_that_is_accepted() {
        for (bad, why) in [
            (("appendonly", "no"), "in memory only"),
            (("maxmemory-policy", "allkeys-lru"), "throws documents away"),
        ] {
            let refusal = judge(&[bad], Durability::Strict).refusal.unwrap();
            assert!(refusal.contains(why) && refusal.contains("durability=relaxed"), "{refusal}");
            let verdict = judge(&[bad], Durability::Relaxed);
            assert_eq!(verdict.refusal, None);
            assert!(verdict.warnings.iter().any(|warning| warning.contains(why)), "{verdict:?}");
        }
    }

    #[test]
    fn what_can_never_work_is_refused_in_any_case() {
        for bad in
            [("role", "slave"), ("cluster_enabled", "1"), (SLOTS, "enforced"), (WAIT, "unknown")]
        {
            assert!(judge(&[bad], Durability::Relaxed).refusal.is_some(), "{bad:?}");
        }
    }

    #[test]
    fn replicas_are_fine_where_something_waits_for_them() {
        let replicas = ("connected_slaves", "2");
        let verdict = judge(&[replicas, ("min-replicas-to-write", "0")], Durability::Strict);
        assert!(verdict.warnings.iter().all(|warning| warning.contains("wait=1")), "{verdict:?}");
        assert_eq!(verdict.warnings.len(), 1);
        let verdict = judge(&[replicas, ("min-replicas-to-write", "1")], Durability::Strict);
        assert_eq!(verdict.warnings, Vec::<String>::new());
        let settings = Settings { values: [replicas].map(own).into() };
        assert_eq!(settings.judge(false, true, Durability::Strict).warnings.len(), 1, "no CONFIG");
    }

    #[test]
    fn what_weakens_the_promise_is_warned_about() {
        for (bad, why) in [
            (&[("appendfsync", "everysec")][..], "flush every write"),
            (&[("appendfsync", "no")], "flush every write"),
            (&[("connected_slaves", "2")], "has replicas"),
            (&[("maxmemory", "0"), ("maxmemory-policy", "allkeys-lfu")], "throws documents away"),
        ] {
            let verdict = judge(bad, Durability::Strict);
            assert_eq!(verdict.refusal, None);
            assert_eq!(verdict.warnings.len(), 1);
            assert!(verdict.warnings.iter().all(|warning| warning.contains(why)), "{verdict:?}");
        }
        let verdict = Settings::default().judge(false, false, Durability::Strict);
        assert_eq!(verdict.refusal, None);
        assert!(verdict.warnings.iter().any(|warning| warning.contains("cannot be read")));
    }
}
