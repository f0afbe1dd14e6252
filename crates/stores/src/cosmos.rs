//! Azure Cosmos DB, the NoSQL API.
