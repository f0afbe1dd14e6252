//! Properties of containers and their indexing policies: `due` is searched for, and nothing else
//! is.

use azure_data_cosmos::models::{
    ContainerProperties, IndexingMode, IndexingPolicy, PropertyPath, TimeToLive,
};

/// Path of `due` in the indexing policy: all that recovery searches for.
pub(super) const DUE: &str = "/due/?";

/// Properties of a new container: partitioned by key, only `due` is indexed, items may have a time
/// to live.
pub(super) fn properties(name: &str) -> ContainerProperties {
    let mut properties = ContainerProperties::new(name.to_owned(), "/id".into());
    properties.default_ttl = TimeToLive::NoDefault;
    properties.with_indexing_policy(index(None))
}

/// Adds `due` to an indexing policy; without a policy, indexes nothing else.
pub(super) fn index(policy: Option<IndexingPolicy>) -> IndexingPolicy {
    let keeps = policy.filter(|policy| policy.indexing_mode != Some(IndexingMode::None));
    let is_new = keeps.is_none();
    let mut policy = keeps.unwrap_or_default();
    policy.excluded_paths.retain(|excluded| !names_due(excluded));
    if is_new {
        // All of it: `/document/*` is by far the largest part, and nobody searches in it.
        policy = policy.with_excluded_path("/*");
    }
    policy.automatic = true;
    policy.with_indexing_mode(IndexingMode::Consistent).with_included_path(DUE)
}

/// True if recovery finds what is due.
pub(super) fn indexes_due(policy: Option<&IndexingPolicy>) -> bool {
    let Some(policy) = policy else { return true };
    if !policy.automatic || policy.indexing_mode == Some(IndexingMode::None) {
        return false;
    }
    if policy.included_paths.iter().any(names_due) {
        return true;
    }
    !policy.excluded_paths.iter().any(names_due)
        && policy.included_paths.iter().any(|included| included.path == "/*")
}

fn names_due(path: &PropertyPath) -> bool {
    matches!(path.path.as_str(), DUE | "/due/*" | "/\"due\"/?" | "/\"due\"/*")
}

/// True if bodies are indexed: the largest part, and nobody searches in it.
pub(super) fn indexes_document(policy: Option<&IndexingPolicy>) -> bool {
    // Without a policy everything is.
    let Some(policy) = policy else { return true };
    if !policy.automatic || policy.indexing_mode == Some(IndexingMode::None) {
        return false;
    }
    let is_in = |path: &PropertyPath| {
        let path = path.path.replace('"', "");
        path.starts_with("/document/")
    };
    let is_whole =
        |path: &PropertyPath| matches!(path.path.as_str(), "/document/*" | "/\"document\"/*");
    policy.included_paths.iter().any(is_in)
        || (policy.included_paths.iter().any(|included| included.path == "/*")
            && !policy.excluded_paths.iter().any(is_whole))
}

#[cfg(test)]
mod tests;
