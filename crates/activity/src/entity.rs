//! Entities: structured data beside the text of a message, such as mentions and places.
//!
//! They are kept as JSON and deserialised on request, because every channel has types of its own.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::json::wire_struct::wire_struct;
use crate::{Account, Activity, Raw};

/// A type of entity, by the value of its member `type`.
///
/// # Example
///
/// A type of your own:
/// ```
/// use sayso_activity::{Activity, Entity};
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Serialize, Deserialize)]
/// struct ClientInfo { locale: String }
///
/// impl Entity for ClientInfo {
///     const TYPE: &'static str = "clientInfo";
/// }
///
/// let text = br#"{"type":"message","entities":[{"type":"clientInfo","locale":"it-IT"},{"type":"x"}]}"#;
/// let activity = Activity::from_json(text)?;
/// assert_eq!(activity.entities_of::<ClientInfo>()[0].locale, "it-IT");
/// # Ok::<(), sayso_activity::ParseError>(())
/// ```
pub trait Entity: Serialize + DeserializeOwned {
    /// The value of the member `type`.
    const TYPE: &'static str;
}

wire_struct! {
    /// A mention of an account. See [`Activity::with_mention`].
    pub struct Mention, "mention";
    required {}
    optional {
        /// The type of entity: `mention`.
        kind: String = "type",
        /// The account that is mentioned.
        mentioned: Account = "mentioned",
        /// The spelling of the mention in the text, such as `<at>Ann</at>`.
        text: String = "text",
    }
}

wire_struct! {
    /// A place with an address or coordinates.
    pub struct Place, "place";
    required {}
    optional {
        /// The type of entity: `Place`.
        kind: String = "type",
        /// The name.
        name: String = "name",
        /// The address: a text or a `PostalAddress`.
        address: Raw = "address",
        /// The coordinates: [`GeoCoordinates`], or a shape.
        geo: Raw = "geo",
        /// A map: an address or a `Map`.
        has_map: Raw = "hasMap",
    }
}

wire_struct! {
    /// A point on the earth. Numbers are kept with all their digits; see [`GeoCoordinates::point`].
    pub struct GeoCoordinates, "geo";
    required {}
    optional {
        /// The type of entity: `GeoCoordinates`.
        kind: String = "type",
        /// The name.
        name: String = "name",
        /// Metres above the sea.
        elevation: Raw = "elevation",
        /// Degrees north.
        latitude: Raw = "latitude",
        /// Degrees east.
        longitude: Raw = "longitude",
    }
}

wire_struct! {
    /// A thing that has no better type.
    pub struct Thing, "thing";
    required {}
    optional {
        /// The type of entity: `Thing`.
        kind: String = "type",
        /// The name.
        name: String = "name",
    }
}

impl Entity for Mention {
    const TYPE: &'static str = "mention";
}

impl Entity for Place {
    const TYPE: &'static str = "Place";
}

impl Entity for GeoCoordinates {
    const TYPE: &'static str = "GeoCoordinates";
}

impl Entity for Thing {
    const TYPE: &'static str = "Thing";
}

impl GeoCoordinates {
    /// A point by its degrees north and east.
    ///
    /// # Example
    ///
    /// ```
    /// use sayso_activity::GeoCoordinates;
    ///
    /// let rome = GeoCoordinates::at(41.9, 12.5);
    /// assert_eq!(rome.point(), Some((41.9, 12.5)));
    /// ```
    #[must_use]
    pub fn at(latitude: f64, longitude: f64) -> Self {
        let number = |degrees: f64| Some(Raw::from(serde_json::Value::from(degrees)));
        let kind = Some(Self::TYPE.to_owned());
        let (latitude, longitude) = (number(latitude), number(longitude));
        Self { kind, latitude, longitude, ..Self::default() }
    }

    /// The degrees north and east, when both are numbers.
    #[must_use]
    pub fn point(&self) -> Option<(f64, f64)> {
        Some((self.latitude.as_ref()?.get().ok()?, self.longitude.as_ref()?.get().ok()?))
    }
}

impl Activity {
    /// The entities of one type, in order. The type is compared without regard to case; an entity
    /// of that type that cannot be deserialised is left out.
    #[must_use]
    pub fn entities_of<T: Entity>(&self) -> Vec<T> {
        #[derive(serde::Deserialize)]
        struct Sort {
            #[serde(rename = "type")]
            kind: String,
        }
        let is_of = |raw: &&Raw| {
            raw.get::<Sort>().is_ok_and(|sort| sort.kind.eq_ignore_ascii_case(T::TYPE))
        };
        let entities = self.entities.as_deref().unwrap_or_default();
        entities.iter().filter(is_of).filter_map(|raw| raw.get().ok()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{GeoCoordinates, Place};
    use crate::{Activity, Raw};

    #[test]
    fn an_entity_of_another_shape_or_sort_is_left_out() {
        let activity = Activity::from_json(
            br#"{"type":"message","entities":[null, 7, {"type":"place","name":"Rome","geo":1},
                {"type":"Place","name":["not a name"]}, {"name":"no sort"}, {"type":9}]}"#,
        );
        let places = activity.unwrap().entities_of::<Place>();
        assert_eq!(places.len(), 1);
        assert_eq!(places[0].name.as_deref(), Some("Rome"));
        assert!(Activity::message("hi").entities_of::<Place>().is_empty());
    }

    #[test]
    fn a_point_needs_two_numbers() {
        let mut point = GeoCoordinates::at(1.5, -2.0);
        assert_eq!(point.point(), Some((1.5, -2.0)));
        point.latitude = Some(Raw::null());
        assert_eq!(point.point(), None);
        assert_eq!(GeoCoordinates::default().point(), None);
    }
}
