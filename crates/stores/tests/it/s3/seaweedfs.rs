//! The suite on SeaweedFS: a real object store, which keeps objects in files.

use std::sync::Arc;

use sayso_turn::store::Store;

use super::{open, url};

sayso_stores::conformance!(make(), cases: 64, operations: 40);

async fn make() -> (Arc<dyn Store>, ()) {
    (Arc::new(open(&url("SAYSO_TEST_S3_SEAWEEDFS", "s3-seaweedfs")).await), ())
}
