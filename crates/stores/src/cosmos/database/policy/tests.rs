//! Indexing policies.

use super::*;

fn policy(json: &str) -> IndexingPolicy {
    serde_json::from_str(json).unwrap()
}

#[test]
fn ours_indexes_the_time_and_nothing_else() {
    let policy = index(None);
    assert!(policy.automatic && policy.indexing_mode == Some(IndexingMode::Consistent));
    let paths =
        |paths: &[PropertyPath]| paths.iter().map(|path| path.path.clone()).collect::<Vec<_>>();
    assert_eq!(paths(&policy.included_paths), ["/due/?"]);
    assert_eq!(paths(&policy.excluded_paths), ["/*"]);
    assert!(indexes_due(Some(&policy)));
}

#[test]
fn a_policy_that_leaves_the_time_out_is_seen_and_mended() {
    // The first is what the C# SDK makes.
    for json in [
        r#"{"automatic":false,"indexingMode":"none"}"#,
        r#"{"automatic":true,"indexingMode":"consistent","excludedPaths":[{"path":"/*"}]}"#,
        r#"{"automatic":true,"indexingMode":"consistent","includedPaths":[{"path":"/*"}],"excludedPaths":[{"path":"/due/?"}]}"#,
        r#"{"automatic":true,"indexingMode":"consistent","includedPaths":[{"path":"/name/?"}],"excludedPaths":[{"path":"/*"}]}"#,
    ] {
        let unfit = policy(json);
        assert!(!indexes_due(Some(&unfit)), "{json}");
        let kept = unfit.included_paths.len();
        let mended = index(Some(unfit));
        assert!(indexes_due(Some(&mended)), "{json}");
        assert_eq!(mended.included_paths.len(), kept + 1, "what was indexed still is");
    }
}

#[test]
fn the_policy_of_the_javascript_and_python_sdks_is_fit() {
    let recorded = r#"{"indexingMode":"consistent","automatic":true,"includedPaths":[{"path":"/*"}],"excludedPaths":[{"path":"/\"_etag\"/?"}]}"#;
    assert!(indexes_due(Some(&policy(recorded))));
    assert!(indexes_due(None), "the service's own default is all");
}
