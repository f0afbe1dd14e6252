//! Versioned state: schema versions, upcasters from older versions, and a fence against newer ones.
//!
//! During a rolling deployment two builds share one store. The new one reads the old one's state
//! and upcasts it, step by step. The old one cannot read the new one's state, so it refuses the
//! turn with a retryable error, until the message reaches an instance of the new build.

mod fence;
mod fixed_name;
pub mod golden;
mod read;
mod ttl;
mod write;

pub use fence::{Newer, Unreadable, read};
pub(crate) use fixed_name::fixed_name;
pub(crate) use ttl::declared;

use std::time::Duration;

use serde::{Deserializer, Serialize, Serializer, de::DeserializeOwned};
use serde_json::Value;

use crate::BotError;

/// Name of the member that holds the version of a stored value.
pub const VERSION_MEMBER: &str = "$version";

/// Name of the member that holds a value that is not an object of fields.
pub const VALUE_MEMBER: &str = "value";

/// State with a schema version. Derive it, instead of `Serialize` and `Deserialize`.
///
/// # What is stored
/// For a struct with named fields: the object of the fields, with one member more,
/// `{"$version":3,"toppings":[]}`. For everything else (an enum, a tuple struct, a transparent one)
/// the value in a wrapper: `{"$version":3,"value":"Start"}`. What has no `$version` is version 1: a
/// plain struct or enum with serde's derives can become a `BotState` later.
///
/// # Attributes
/// * `#[state(version = 3, upcast(1 = from_v1, 2 = from_v2))]`: the current version, and for each
///   older one a `fn(serde_json::Value) -> Result<serde_json::Value, E>` that makes the next
///   version of it. It gets the value without `$version`. `E` is anything that becomes a
///   [`BotError`]. Where nothing is to be done (a variant was added, a field that may be missing),
///   give [`as_is`].
/// * `#[state(name = "order", version = 1)]`: the name of the property that it is kept as. Without
///   one that is the name of the type without its path (`Order` for `pizza::Order`), so that to
///   rename the type is to lose what is stored; with one the type can be renamed and moved.
/// * `#[state(ttl = "30d")]`: the time to live of documents with this state after their last turn,
///   a whole number of `s`, `m`, `h`, `d` or `w`, at least a minute. A document goes as a whole: it
///   lives as long as the property in it that lives longest, and a property of a type without a
///   TTL lives as long as [`Ttl`](crate::Ttl) says for the kind of document. It counts where the
///   type itself is the property, not where it is a part of one.
/// * `#[serde(...)]` works as ever on fields, variants and the type. Only `from`, `try_from`,
///   `into`, `remote` and `crate` on the type itself do not.
///
/// # Guarantees
/// A value of a newer version than [`VERSION`](Self::VERSION) is never read, so it is never
/// overwritten: the turn that meets it is refused with a retryable error, is not recorded, and
/// `on_error` does not run. What is read and not changed stays stored as it was, in its old
/// version; what changes is written in the current one.
///
/// # Limits
/// The fence is built by the build that knows it: deploy a type as `BotState` (version 1) before
/// you deploy its version 2. An older version, and one whose `$version` does not come first, is
/// read through [`serde_json::Value`], which holds whole numbers of 64 bits.
///
/// # Example
/// ```
/// use sayso_turn::{BotError, BotState};
/// use serde_json::{Value, json};
///
/// #[derive(Default, BotState)]
/// #[state(version = 2, upcast(1 = from_v1))]
/// struct Order {
///     toppings: Vec<String>,
///     #[serde(default)]
///     size: Option<String>,
/// }
///
/// /// Version 1 knew one topping.
/// fn from_v1(mut order: Value) -> Result<Value, BotError> {
///     let topping = order["topping"].take();
///     Ok(json!({ "toppings": [topping] }))
/// }
///
/// let order: Order = serde_json::from_str(r#"{"topping":"olives"}"#)?;
/// assert_eq!(order.toppings, ["olives"]);
/// assert_eq!(
///     serde_json::to_string(&order)?,
///     r#"{"$version":2,"toppings":["olives"],"size":null}"#
/// );
///
/// let newer = serde_json::from_str::<Order>(r#"{"$version":3,"toppings":7}"#).err().unwrap();
/// assert!(newer.to_string().starts_with(
///     "Order is stored as version 3 and this build understands up to 2: finish the deployment"
/// ));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no version",
    note = "derive `BotState` for it, instead of `Serialize` and `Deserialize`"
)]
pub trait BotState: Serialize + DeserializeOwned {
    /// Name of the type in errors and golden files.
    const NAME: &'static str;

    /// Name of the property that it is kept as, if that is not the name of the type.
    const FIXED_NAME: Option<&'static str> = None;

    /// Version that this build writes, and the newest that it reads.
    const VERSION: u32;

    /// TTL that the type declares.
    const TTL: Option<Duration> = None;

    /// True if the value is stored inside a wrapper rather than beside its version.
    #[doc(hidden)]
    const IS_WRAPPED: bool;

    /// Upcasts a value by one version.
    ///
    /// # Errors
    /// Those of the upcaster, or that there is none for this version.
    fn upcast(from: u32, value: Value) -> Result<Value, BotError>;

    /// Writes the value without its version.
    #[doc(hidden)]
    fn write_fields<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error>;

    /// Reads a value of the current version, without its version.
    #[doc(hidden)]
    fn read_fields<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error>;
}

/// Identity upcaster, for a version whose values are valid in the next one.
///
/// # Errors
/// None.
///
/// # Example
/// ```
/// use sayso_turn::{BotState, versioned::as_is};
///
/// #[derive(Default, BotState)]
/// #[state(version = 2, upcast(1 = as_is))]
/// enum Step { #[default] Size, Toppings, /* new: */ Address }
///
/// assert!(matches!(serde_json::from_str(r#""Toppings""#)?, Step::Toppings));
/// assert_eq!(serde_json::to_string(&Step::Address)?, r#"{"$version":2,"value":"Address"}"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
pub fn as_is(value: Value) -> Result<Value, BotError> {
    Ok(value)
}

/// Support for the derive macro. Not public API.
#[doc(hidden)]
pub mod private {
    pub use serde;
    pub use serde_json::Value;

    pub use super::{read::read, write::write};
    pub use crate::BotError;

    use super::BotState;

    /// Calls an upcaster.
    pub fn step<E: Into<BotError>>(
        upcaster: fn(Value) -> Result<Value, E>,
        value: Value,
    ) -> Result<Value, BotError> {
        upcaster(value).map_err(Into::into)
    }

    /// Error of a missing upcaster.
    pub fn no_step<T: BotState>(from: u32, _value: Value) -> Result<Value, BotError> {
        Err(format!("{} has no upcaster from version {from}", T::NAME).into())
    }
}
