//! The suite on SeaweedFS: a real object store, which keeps objects in files.

use std::{sync::Arc, time::Duration};

use sayso_stores::S3Store;
use sayso_turn::store::Store;

use super::{config, url};

sayso_stores::conformance!(make(), cases: 64, operations: 40);

async fn make() -> (Arc<dyn Store>, ()) {
    // It lets writers of one object wait for each other, and 32 of them wait long on a busy
    // machine.
    let config = config(&url("SAYSO_TEST_S3_SEAWEEDFS", "s3-seaweedfs"));
    let config = config.with_timeout(Duration::from_secs(60));
    (Arc::new(S3Store::open(config).await.unwrap()), ())
}
