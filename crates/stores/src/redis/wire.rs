//! Values on the wire: times as arguments of scripts, answers of the server.

use redis::{FromRedisValue, Value, from_redis_value};
use sayso_turn::{Key, clock::Timestamp, store::Error};

use super::failure::Failure;

/// A time as the scripts read it.
pub(super) fn millis(at: Option<Timestamp>) -> String {
    at.map_or_else(String::new, |at| at.as_millis().to_string())
}

pub(super) fn decode<T: FromRedisValue>(value: Value) -> Result<T, Failure> {
    from_redis_value(value).map_err(|_| Failure::Strange)
}

pub(super) fn damaged(key: &Key) -> Error {
    let reason = "it lacks the fields that this store writes".to_owned();
    Error::Corrupt { key: key.clone(), reason }
}
