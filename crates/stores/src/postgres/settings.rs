//! Checks server settings that void the guarantee that a committed write survives.

use tokio_postgres::Client;

use super::{failure::Failure, sql::Names};

/// The oldest supported server version.
const VERSION_MIN: i32 = 120_000;

/// Settings as the server reports them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Settings {
    version: i32,
    fsync: String,
    full_page_writes: String,
    /// The value in our session, after we have set it.
    synchronous_commit: String,
    /// The server's own value.
    synchronous_commit_before: String,
    is_standby: bool,
    /// Standbys that are connected.
    standbys: i64,
    /// Places for standbys, connected or not.
    slots: i64,
    has_synchronous_standby: bool,
    /// `p` for a logged (permanent) table; `None` while there is none.
    persistence: Option<String>,
}

/// Reads the settings that the server has now, in our session.
pub(super) async fn read(client: &Client, names: &Names) -> Result<Settings, Failure> {
    ask(client, names).await.map_err(|error| Failure::before(&error))
}

async fn ask(client: &Client, names: &Names) -> Result<Settings, tokio_postgres::Error> {
    let sql = "SELECT current_setting('server_version_num')::int, current_setting('fsync'),
            current_setting('full_page_writes'), current_setting('synchronous_commit'),
            (SELECT reset_val FROM pg_settings WHERE name = 'synchronous_commit'),
            pg_is_in_recovery(),
            (SELECT count(*) FROM pg_stat_replication WHERE state IS DISTINCT FROM 'backup'),
            (SELECT count(*) FROM pg_replication_slots WHERE slot_type = 'physical'),
            current_setting('synchronous_standby_names') <> '',
            (SELECT relpersistence::text FROM pg_class WHERE oid = to_regclass($1))";
    let row = client.query_one(sql, &[&names.table()]).await?;
    Ok(Settings {
        version: row.try_get(0)?,
        fsync: row.try_get(1)?,
        full_page_writes: row.try_get(2)?,
        synchronous_commit: row.try_get(3)?,
        synchronous_commit_before: row.try_get(4)?,
        is_standby: row.try_get(5)?,
        standbys: row.try_get(6)?,
        slots: row.try_get(7)?,
        has_synchronous_standby: row.try_get(8)?,
        persistence: row.try_get(9)?,
    })
}

impl Settings {
    /// Judges a server, one of so many in the URL: warnings about what weakens the guarantees, or
    /// the reason why the store cannot be used.
    pub(super) fn judge(
        &self,
        is_unsafe_allowed: bool,
        servers: usize,
    ) -> Result<Vec<String>, Failure> {
        if self.version < VERSION_MIN {
            return Err(Failure::never("its version is too old; PostgreSQL 12 or newer is needed"));
        }
        if self.is_standby {
            return Err(Failure::later(
                "it is a standby and only reads; name the primary in the URL, or all servers: \
                 postgres://user@one,two/database",
            ));
        }
        let dangers = self.dangers();
        if let (Some(danger), false) = (dangers.first(), is_unsafe_allowed) {
            return Err(Failure::never(format!(
                "{danger}; correct that, or add unsafe=allow to the URL if the server is known to \
                 keep its writes in another way"
            )));
        }
        Ok(dangers.into_iter().chain(self.doubts(servers)).collect())
    }

    /// Settings under which this very server may lose an acknowledged write.
    fn dangers(&self) -> Vec<String> {
        let mut dangers = Vec::new();
        if self.fsync == "off" {
            dangers
                .push("fsync is off: a crash of the machine loses or damages documents".to_owned());
        }
        if self.full_page_writes == "off" {
            dangers.push(
                "full_page_writes is off: a crash of the machine may damage documents".to_owned(),
            );
        }
        // Somebody between us and the server keeps our settings from it.
        if self.synchronous_commit != "on" && self.synchronous_commit != "remote_apply" {
            let value = &self.synchronous_commit;
            dangers.push(format!(
                "synchronous_commit is {value} and stays so: acknowledged writes may be lost"
            ));
        }
        if self.persistence.as_deref().is_some_and(|persistence| persistence != "p") {
            dangers.push("the table is unlogged: a crash of the server empties it".to_owned());
        }
        dangers
    }

    fn doubts(&self, servers: usize) -> Vec<String> {
        let mut doubts = Vec::new();
        let before = self.synchronous_commit_before.as_str();
        if matches!(before, "off" | "local" | "remote_write") {
            doubts.push(format!(
                "synchronous_commit is {before} by default; our own sessions use {}. A connection \
                 pooler that shares sessions between transactions would undo that",
                self.synchronous_commit
            ));
        }
        if self.standbys > 0 && !self.has_synchronous_standby {
            doubts.push(format!(
                "{} standby server(s) follow asynchronously: a failover to one of them may lose the \
                 last acknowledged writes; set synchronous_standby_names",
                self.standbys
            ));
        } else if !self.has_synchronous_standby && (self.slots > 0 || servers > 1) {
            doubts.push(
                "no standby is synchronous: a failover may lose the last acknowledged writes; set \
                 synchronous_standby_names, on every server, since settings do not fail over"
                    .to_owned(),
            );
        }
        if self.has_synchronous_standby && self.standbys == 0 {
            doubts.push(
                "synchronous_standby_names is set and no standby is connected: writes wait for one"
                    .to_owned(),
            );
        }
        doubts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sound() -> Settings {
        Settings {
            version: 150_018,
            fsync: "on".into(),
            full_page_writes: "on".into(),
            synchronous_commit: "on".into(),
            synchronous_commit_before: "on".into(),
            is_standby: false,
            standbys: 0,
            slots: 0,
            has_synchronous_standby: false,
            persistence: Some("p".into()),
        }
    }

    #[test]
    fn sound_settings_pass_without_a_word() {
        assert_eq!(sound().judge(false, 1).unwrap(), Vec::<String>::new());
        let standby = Settings { standbys: 2, has_synchronous_standby: true, ..sound() };
        assert_eq!(standby.judge(false, 1).unwrap(), Vec::<String>::new());
        let apply = Settings { synchronous_commit: "remote_apply".into(), ..sound() };
        assert_eq!(apply.judge(false, 1).unwrap(), Vec::<String>::new());
    }

    #[test]
    fn settings_that_lose_writes_are_refused_unless_allowed() {
        for (settings, says) in [
            (Settings { fsync: "off".into(), ..sound() }, "fsync is off"),
            (Settings { full_page_writes: "off".into(), ..sound() }, "full_page_writes is off"),
            (Settings { synchronous_commit: "off".into(), ..sound() }, "synchronous_commit is off"),
            (
                Settings { synchronous_commit: "local".into(), ..sound() },
                "synchronous_commit is local",
            ),
            (Settings { persistence: Some("u".into()), ..sound() }, "unlogged"),
        ] {
            let refused =
                settings.judge(false, 1).unwrap_err().into_error("PostgreSQL").to_string();
            assert!(refused.contains(says) && refused.contains("unsafe=allow"), "{refused}");
            let [warning] = &settings.judge(true, 1).unwrap()[..] else { panic!("one warning") };
            assert!(warning.contains(says), "{warning}");
        }
    }

    #[test]
    fn what_cannot_be_used_is_refused_even_if_the_unsafe_is_allowed() {
        assert!(Settings { version: 110_022, ..sound() }.judge(true, 1).is_err());
        assert!(Settings { is_standby: true, ..sound() }.judge(true, 1).is_err());
    }

    #[test]
    fn a_server_of_several_without_a_synchronous_standby_is_warned_of() {
        // As one is just after it was promoted.
        let [warning] = &sound().judge(false, 2).unwrap()[..] else { panic!("one warning") };
        assert!(warning.contains("settings do not fail over"), "{warning}");
    }

    #[test]
    fn what_weakens_the_promise_is_said() {
        for (settings, says) in [
            (Settings { synchronous_commit_before: "off".into(), ..sound() }, "by default"),
            (Settings { standbys: 1, ..sound() }, "asynchronously"),
            (Settings { slots: 1, ..sound() }, "no standby is synchronous"),
            (Settings { has_synchronous_standby: true, ..sound() }, "writes wait"),
        ] {
            let [warning] = &settings.judge(false, 1).unwrap()[..] else { panic!("one warning") };
            assert!(warning.contains(says), "{warning}");
        }
    }
}
