//! Refuses databases that speak PostgreSQL's protocol and are not PostgreSQL.
//!
//! They lack what this engine is built on: row locks in the order of a statement, advisory locks,
//! session settings, or a flush of the log before the answer.

use super::failure::Failure;

/// Products by a part of what `version()` says.
const OTHERS: [(&str, &str); 9] = [
    ("CockroachDB", "CockroachDB"),
    ("-YB-", "YugabyteDB"),
    ("YugabyteDB", "YugabyteDB"),
    ("Redshift", "Amazon Redshift"),
    ("Greenplum", "Greenplum"),
    ("openGauss", "openGauss"),
    ("QuestDB", "QuestDB"),
    ("RisingWave", "RisingWave"),
    ("Materialize", "Materialize"),
];

/// Refuses a server by its `version()`.
pub(super) fn refuse_others(version: &str) -> Result<(), Failure> {
    let known = OTHERS.iter().find(|(part, _)| version.contains(part));
    let name = match known {
        Some((_, name)) => *name,
        None if version.starts_with("PostgreSQL ") || version.starts_with("EnterpriseDB ") => {
            return Ok(());
        }
        None => "another product",
    };
    Err(Failure::never(format!(
        "it is {name} behind PostgreSQL's protocol, which is not supported: it locks and commits \
         in another way; use PostgreSQL 12 or newer"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_that_only_speak_the_protocol_are_refused_by_name() {
        for (version, says) in [
            ("CockroachDB CCL v23.1.11 (x86_64-pc-linux-gnu, built 2023/09/27)", "CockroachDB"),
            ("PostgreSQL 11.2-YB-2.20.1.3-b0 on x86_64-pc-linux-gnu", "YugabyteDB"),
            ("PostgreSQL 8.0.2 on i686-pc-linux-gnu, Redshift 1.0.12103", "Redshift"),
            ("CrateDB 5.5.0", "another product"),
            ("", "another product"),
        ] {
            let refused = refuse_others(version).unwrap_err().into_error("x").to_string();
            assert!(refused.contains(says) && refused.contains("use PostgreSQL"), "{refused}");
        }
    }

    #[test]
    fn postgresql_passes_whoever_built_it() {
        for version in [
            "PostgreSQL 15.18 (Debian 15.18-0+deb12u1) on x86_64-pc-linux-gnu",
            "PostgreSQL 16.1 on aarch64-unknown-linux-gnu, compiled by gcc",
            "EnterpriseDB 12.1.2 on x86_64-pc-linux-gnu",
        ] {
            assert!(refuse_others(version).is_ok(), "{version}");
        }
    }
}
