//! Azure Blob Storage.
