//! Schema migration: creates the table when it is missing, and updates it when it is old.
//!
//! Many instances may start at the same moment: one of them does it, under a lock of the database,
//! and the others wait and find it done. An instance that finds everything done needs no right to
//! change it.

use std::time::Duration;

use tokio::time::timeout;
use tokio_postgres::GenericClient;

use super::{
    failure::{Access, Failure},
    sessions::Lease,
    sql::Names,
};

/// The time limit of creating or migrating the table, including waiting for others.
const SET_UP_MAX: Duration = Duration::from_secs(60);

/// Number of the advisory lock; one that nobody else is likely to use.
const LOCK: i64 = 0x5a15_0000_0000_0001;

/// Migrations: each version adds to the one before. Only ever add to this list.
///
/// A page is left 40 % empty: a new version of a document then fits on the page of the old one, and
/// no index needs a change, provided that no indexed column has changed (a HOT update). The time
/// from which a document is due changes with almost every save. So it is indexed in a narrow table
/// of its own, which triggers keep: then builds from before that table keep it, too.
const STEPS: [&str; 3] = [
    "
    CREATE TABLE {table} (
        key bytea PRIMARY KEY,
        version bigint NOT NULL,
        due bigint,
        body bytea NOT NULL
    ) WITH (fillfactor = 60, autovacuum_vacuum_scale_factor = 0.05);
    CREATE INDEX \"{name}_due\" ON {table} (due, key) WHERE due IS NOT NULL;
",
    // Participants of a document; none where nobody told. No save changes them but one in which
    // somebody joins: the others stay HOT.
    "
    ALTER TABLE {table} ADD COLUMN participants bigint[];
    CREATE INDEX \"{name}_participants\" ON {table} USING gin (participants)
        WHERE participants IS NOT NULL;
    CREATE INDEX \"{name}_unlisted\" ON {table} (key) WHERE participants IS NULL;
",
    "
    LOCK TABLE {table} IN SHARE ROW EXCLUSIVE MODE;
    CREATE TABLE {waiting} (due bigint, key bytea, PRIMARY KEY (due, key))
        WITH (autovacuum_vacuum_scale_factor = 0.05);
    INSERT INTO {waiting} SELECT due, key FROM {table} WHERE due IS NOT NULL;
    CREATE FUNCTION {waits}() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        IF TG_OP <> 'INSERT' AND OLD.due IS NOT NULL THEN
            DELETE FROM {waiting} WHERE due = OLD.due AND key = OLD.key;
        END IF;
        IF TG_OP <> 'DELETE' AND NEW.due IS NOT NULL THEN
            INSERT INTO {waiting} (due, key) VALUES (NEW.due, NEW.key);
        END IF;
        RETURN NULL;
    END $$;
    CREATE TRIGGER sayso_waits_1 AFTER INSERT ON {table} FOR EACH ROW
        WHEN (NEW.due IS NOT NULL) EXECUTE FUNCTION {waits}();
    CREATE TRIGGER sayso_waits_2 AFTER UPDATE ON {table} FOR EACH ROW
        WHEN (OLD.due IS DISTINCT FROM NEW.due) EXECUTE FUNCTION {waits}();
    CREATE TRIGGER sayso_waits_3 AFTER DELETE ON {table} FOR EACH ROW
        WHEN (OLD.due IS NOT NULL) EXECUTE FUNCTION {waits}();
    DROP INDEX {schema}.\"{name}_due\";
",
];

pub(super) async fn set_up(mut client: Lease, names: &Names) -> Result<(), Failure> {
    let done = timeout(SET_UP_MAX, async {
        let found = Found::look(&**client, names).await?;
        if found.is_current(names)? { Ok(()) } else { migrate(&mut client, names).await }
    });
    match done.await {
        Ok(Ok(())) => client.settle(Access::Write, ()),
        Ok(Err(failure)) => Err(client.part(failure)),
        Err(_) => Err(client.part(Failure::out_of_time(Access::Read, SET_UP_MAX))),
    }
}

async fn migrate(client: &mut Lease, names: &Names) -> Result<(), Failure> {
    let failed = |error| Failure::before(&error);
    let transaction = client.transaction().await.map_err(failed)?;
    let limit = SET_UP_MAX.as_millis();
    let lock = format!(
        "SET LOCAL lock_timeout = {limit}; SET LOCAL statement_timeout = {limit};
         SELECT pg_advisory_xact_lock({LOCK})"
    );
    transaction.batch_execute(&lock).await.map_err(failed)?;
    // Another instance may have done it while we waited for the lock.
    let found = Found::look(&*transaction, names).await?;
    if found.is_current(names)? {
        return transaction.rollback().await.map_err(failed);
    }
    // What somebody else keeps under this name is not touched.
    if found.version.is_none() && found.has_table {
        let reason = format!("{names} is not a table of ours; choose another `table` in the URL");
        return Err(Failure::never(reason));
    }
    let schema = &names.schema;
    let mut sql = String::new();
    // CREATE ... IF NOT EXISTS would want the right to create even when there is nothing to do.
    if !found.has_schema {
        sql.push_str(&format!("CREATE SCHEMA \"{schema}\";"));
    }
    if !found.has_version_table {
        let columns = "name text PRIMARY KEY, version integer NOT NULL, since timestamptz NOT NULL";
        sql.push_str(&format!("CREATE TABLE \"{schema}\".sayso_version ({columns});"));
    }
    for step in STEPS.iter().skip(found.version.unwrap_or(0)) {
        sql.push_str(&names.fill_in(step));
    }
    sql.push_str(&format!(
        "INSERT INTO \"{schema}\".sayso_version VALUES ('{}', {}, now())
         ON CONFLICT (name) DO UPDATE SET version = excluded.version, since = excluded.since",
        names.table,
        STEPS.len()
    ));
    transaction.batch_execute(&sql).await.map_err(failed)?;
    transaction.commit().await.map_err(failed)
}

/// The existing table.
struct Found {
    has_schema: bool,
    has_table: bool,
    has_version_table: bool,
    /// The version of our table; `None` when `sayso_version` does not list it.
    version: Option<usize>,
    /// The oldest version whose builds may use the table all the same, so that a roll-back to them
    /// works. A newer build that allows this adds the column `usable_from` to `sayso_version`.
    usable_from: Option<usize>,
}

impl Found {
    /// Reads the catalogue by plain queries: functions such as `to_regclass` answer from a cache
    /// that may be older than the lock.
    async fn look(client: &(impl GenericClient + Sync), names: &Names) -> Result<Self, Failure> {
        let failed = |error| Failure::before(&error);
        let sql = "SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = $1),
            (SELECT array_agg(relname::text) FROM pg_class
             JOIN pg_namespace ON pg_namespace.oid = relnamespace
             WHERE nspname = $1 AND relname IN ($2, 'sayso_version'))";
        let row = client.query_one(sql, &[&names.schema, &names.table]).await.map_err(failed)?;
        let tables: Option<Vec<String>> = row.try_get(1).map_err(failed)?;
        let has = |table: &str| tables.iter().flatten().any(|found| found == table);
        let mut found = Self {
            has_schema: row.try_get(0).map_err(failed)?,
            has_table: has(&names.table),
            has_version_table: has("sayso_version"),
            version: None,
            usable_from: None,
        };
        if found.has_version_table {
            // As JSON, because the column may not be there.
            let sql = format!(
                "SELECT version, (to_jsonb(kept) ->> 'usable_from')::integer
                 FROM \"{}\".sayso_version AS kept WHERE name = $1",
                names.schema
            );
            if let Some(row) = client.query_opt(&sql, &[&names.table]).await.map_err(failed)? {
                let number = |number: i32| usize::try_from(number).unwrap_or(0);
                found.version = row.try_get(0).map(Some).map_err(failed)?.map(number);
                let usable_from: Option<i32> = row.try_get(1).map_err(failed)?;
                found.usable_from = usable_from.map(number);
            }
        }
        Ok(found)
    }

    /// Reports whether there is nothing to do: all is there, or made by a newer build that lets
    /// this one use it.
    fn is_current(&self, names: &Names) -> Result<bool, Failure> {
        match self.version {
            Some(version) if version > STEPS.len() => match self.usable_from {
                Some(oldest) if oldest <= STEPS.len() => Ok(true),
                _ => Err(Failure::never(format!(
                    "the table {names} was made by a newer version of this program; use that version"
                ))),
            },
            version => Ok(version == Some(STEPS.len())),
        }
    }
}
