//! Query plans of our statements on a real server.

use tokio_postgres::SimpleQueryMessage;

use super::*;

fn config(table: &str) -> PostgresConfig {
    let server = std::env::var("SAYSO_TEST_POSTGRES").expect(
        "SAYSO_TEST_POSTGRES is not set: run the tests with `scripts/servers run postgres -- ...`",
    );
    let mark = if server.contains('?') { '&' } else { '?' };
    let url = format!("{server}{mark}schema=sayso_test_plans&table={table}");
    PostgresConfig::from_url(&url).unwrap()
}

/// The plan of a statement in a session of ours, whatever its parameters.
async fn plan(store: &PostgresStore, sql: &str, parameters: usize) -> String {
    let client = store.sessions.get(store.sessions.deadline()).await.unwrap();
    let nulls = vec!["NULL"; parameters].join(", ");
    let explain = format!(
        "PREPARE asked AS {sql}; EXPLAIN (COSTS OFF) EXECUTE asked ({nulls}); DEALLOCATE asked"
    );
    let lines = client.simple_query(&explain).await.unwrap();
    let lines = lines.iter().filter_map(|line| match line {
        SimpleQueryMessage::Row(row) => row.get(0),
        _ => None,
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[tokio::test]
async fn every_statement_walks_indexes_only() {
    let store = PostgresStore::open(config("plans")).await.unwrap();
    let statements = &store.statements;
    for (sql, parameters) in [
        (&statements.load, 1),
        (&statements.list_from, 3),
        (&statements.list_after, 3),
        (&statements.replace, 6),
        (&statements.delete, 2),
        (&statements.replace_many, 6),
    ] {
        let plan = plan(&store, sql, parameters).await;
        assert!(plan.contains("using plans_pkey"), "{sql}\n{plan}");
        assert!(!plan.contains("Seq Scan"), "{sql}\n{plan}");
    }
    // What is due is found by its time, however many documents there are, and needs no sorting.
    let due = plan(&store, &statements.due, 4).await;
    assert!(due.contains("using plans_waiting_pkey") && due.contains("using plans_pkey"), "{due}");
    assert!(!due.contains("Sort") && !due.contains("Seq Scan"), "{due}");
    // Those of a participant are found before they are put in order.
    for sql in [&statements.with_from, &statements.with_after] {
        let with = plan(&store, sql, 4).await;
        assert!(with.contains("Bitmap Index Scan on plans_participants"), "{with}");
        assert!(with.contains("plans_unlisted"), "{with}");
        assert!(!with.contains("Seq Scan") && !with.contains("plans_pkey"), "{with}");
    }
}

/// No deadlocks: rows are locked one after the other in the order of their keys.
#[tokio::test]
async fn statements_with_many_rows_take_their_locks_in_order() {
    let store = PostgresStore::open(config("plans")).await.unwrap();
    let replace = plan(&store, &store.statements.replace_many, 6).await;
    let lines: Vec<_> = replace.lines().map(str::trim).collect();
    let update = lines.iter().position(|line| line.starts_with("Update on plans")).unwrap();
    assert!(lines[update + 1].ends_with("Nested Loop"), "{replace}");
    // The outer side of the loop comes first: what is given, and it is given in order.
    assert!(lines[update + 2].ends_with("Function Scan on given"), "{replace}");
    assert!(
        lines[update + 3].ends_with("Index Scan using plans_pkey on plans document"),
        "{replace}"
    );
    let create = plan(&store, &store.statements.create_many, 5).await;
    let lines: Vec<_> = create.lines().map(str::trim).collect();
    let sort = lines.iter().position(|line| line.starts_with("Sort Key: given.key"));
    let source = lines.iter().position(|line| line.contains("Function Scan"));
    assert!(sort.is_some() && sort < source, "{create}");
}
