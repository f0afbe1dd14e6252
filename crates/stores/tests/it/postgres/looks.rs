//! Looks at scale.

use super::Bench;
use crate::looks::{DUE, IDLE, NOW, check};

#[tokio::test]
async fn the_few_that_are_due_are_found_among_a_million_idle_documents() {
    let bench = Bench::new().await;
    let fill = |name: &str, count: usize, due: &str| {
        format!(
            "INSERT INTO {{table}} (key, version, due, body)
             SELECT convert_to('{name}/' || i, 'UTF8'), i, {due}, '\\x7b7d'
             FROM generate_series(1, {count}) AS n (i);"
        )
    };
    bench.run(&fill("idle", IDLE, &format!("{NOW} + i"))).await;
    bench.run(&fill("due", DUE, &format!("{NOW} - i % 7"))).await;
    check(&bench.store, "PostgreSQL").await;
    bench.end().await;
}
