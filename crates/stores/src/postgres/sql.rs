//! SQL statements for the table of one store.
//!
//! Whoever writes takes its row locks in the order of the keys, in every statement and transaction:
//! so two writers never wait for each other. That is why creates and replaces do not share a
//! statement: a create may have to wait for a row, too, and one statement cannot mix the two in
//! order.

use std::{borrow::Cow, fmt};

/// The longest name; leaves room for what the names of further objects end with.
const NAME_BYTES_MAX: usize = 48;

/// Names of schema and table. They are plain words, so nothing in them means anything to SQL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Names {
    pub(super) schema: String,
    pub(super) table: String,
}

impl Names {
    pub(super) fn new(schema: &str, table: &str) -> Result<Self, Cow<'static, str>> {
        let is_plain = |name: &str| {
            let is_letter = |byte: u8| byte.is_ascii_lowercase() || byte == b'_';
            name.bytes().next().is_some_and(is_letter)
                && name.bytes().all(|byte| is_letter(byte) || byte.is_ascii_digit())
                && name.len() <= NAME_BYTES_MAX
        };
        if is_plain(schema) && is_plain(table) {
            return Ok(Self { schema: schema.to_owned(), table: table.to_owned() });
        }
        Err(Cow::Owned(format!(
            "`schema` and `table` in the URL have 1 to {NAME_BYTES_MAX} small letters, digits and \
             underscores, a digit not first"
        )))
    }

    /// The qualified name of the table, quoted, since a plain word may be a word of SQL.
    pub(super) fn table(&self) -> String {
        format!("\"{}\".\"{}\"", self.schema, self.table)
    }

    /// The qualified name of the table of documents that wait, with the times of their waits.
    pub(super) fn waiting(&self) -> String {
        format!("\"{}\".\"{}_waiting\"", self.schema, self.table)
    }

    /// Puts the names into a step of the schema's migration.
    pub(super) fn fill_in(&self, step: &str) -> String {
        let waits = format!("\"{}\".\"{}_waits\"", self.schema, self.table);
        step.replace("{table}", &self.table())
            .replace("{waiting}", &self.waiting())
            .replace("{waits}", &waits)
            .replace("{schema}", &format!("\"{}\"", self.schema))
            .replace("{name}", &self.table)
    }
}

impl fmt::Display for Names {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.schema, self.table)
    }
}

/// The text of every statement.
#[derive(Debug)]
pub(super) struct Statements {
    pub(super) load: String,
    pub(super) due: String,
    pub(super) list_from: String,
    pub(super) list_after: String,
    pub(super) with_from: String,
    pub(super) with_after: String,
    pub(super) create: String,
    pub(super) replace: String,
    pub(super) delete: String,
    pub(super) create_many: String,
    pub(super) replace_many: String,
}

impl Statements {
    pub(super) fn new(names: &Names) -> Self {
        let (table, waiting) = (names.table(), names.waiting());
        Self {
            load: format!("SELECT version, body FROM {table} WHERE key = $1"),
            // In the order of the index (keyset pagination): a page costs what is on it.
            due: format!(
                "SELECT key, document.version, waiting.due
                 FROM {waiting} AS waiting JOIN {table} AS document USING (key)
                 WHERE waiting.due <= $1 AND (waiting.due, waiting.key) > ($2, $3)
                 ORDER BY waiting.due, waiting.key LIMIT $4"
            ),
            list_from: list(&table, ">="),
            list_after: list(&table, ">"),
            with_from: list_with(&table, ">="),
            with_after: list_with(&table, ">"),
            create: format!(
                "INSERT INTO {table} (key, version, due, body, participants)
                 VALUES ($1, $2, $3, $4, {})
                 ON CONFLICT (key) DO NOTHING RETURNING key",
                told("$5::text")
            ),
            replace: format!(
                "UPDATE {table} SET version = $2, due = $3, body = $4, participants =
                    CASE WHEN $5::text IS NULL THEN participants ELSE {} END
                 WHERE key = $1 AND version = $6 RETURNING key",
                told("$5::text")
            ),
            delete: format!("DELETE FROM {table} WHERE key = $1 AND version = $2 RETURNING key"),
            create_many: format!(
                "INSERT INTO {table} (key, version, due, body, participants)
                 SELECT key, version, due, body, {}
                 FROM unnest($1::bytea[], $2::bigint[], $3::bigint[], $4::bytea[], $5::text[])
                    AS given (key, version, due, body, told)
                 ORDER BY key
                 ON CONFLICT (key) DO NOTHING RETURNING key",
                told("told")
            ),
            // The rows are given in the order of their keys. A loop over them, since sessions have
            // no other kind of join: each is found, locked and changed before the next. One that
            // another writer changes meanwhile no longer has the version and drops out.
            replace_many: format!(
                "UPDATE {table} AS document
                 SET version = given.version, due = given.due, body = given.body, participants =
                    CASE WHEN given.told IS NULL THEN document.participants ELSE {} END
                 FROM unnest($1::bytea[], $2::bigint[], $3::bigint[], $4::bytea[], $5::text[],
                    $6::bigint[]) AS given (key, version, due, body, told, expected)
                 WHERE document.key = given.key AND document.version = given.expected
                 RETURNING document.key",
                told("given.told")
            ),
        }
    }
}

/// Participants as they are given: the text of an array, or an empty text where they are not known.
fn told(given: &str) -> String {
    format!("NULLIF({given}, '')::bigint[]")
}

/// Lists the keys in a range of the documents of a participant, and of those whose participants
/// nobody told. All of the former are found first: nothing may talk the planner into walking
/// through every key in order instead.
fn list_with(table: &str, from: &str) -> String {
    format!(
        "WITH found AS MATERIALIZED (
            SELECT key FROM {table} WHERE participants @> ARRAY[$4::bigint]
         )
         SELECT key FROM found WHERE key {from} $1 AND key < $2
         UNION ALL (
            SELECT key FROM {table} WHERE participants IS NULL AND key {from} $1 AND key < $2
            ORDER BY key LIMIT $3
         )
         ORDER BY key LIMIT $3"
    )
}

/// Lists keys by range: keys are bytes, so those with one prefix stand together. No pattern is
/// involved.
fn list(table: &str, from: &str) -> String {
    format!("SELECT key FROM {table} WHERE key {from} $1 AND key < $2 ORDER BY key LIMIT $3")
}
