//! Delivery mode of an activity: its `deliveryMode` member.

use serde::de::Error;

use crate::json::open_enum::open_enum;
use crate::json::read::{Place, ReadJson};

open_enum! {
    /// The way in which an activity should be delivered, or the replies to it.
    ///
    /// Make one from a name with [`DeliveryMode::from`], which never puts a known name in
    /// [`DeliveryMode::Other`]. Names are compared letter by letter. An activity without a mode is
    /// delivered normally.
    ///
    /// # Example
    ///
    /// ```
    /// use sayso_activity::{Activity, DeliveryMode};
    ///
    /// let text = br#"{"type":"message","deliveryMode":"expectReplies"}"#;
    /// let activity = Activity::from_json(text)?;
    /// assert_eq!(activity.delivery_mode, Some(DeliveryMode::ExpectReplies));
    /// assert!(activity.expects_replies());
    ///
    /// assert_eq!(DeliveryMode::from("byPigeon").to_string(), "byPigeon");
    /// # Ok::<(), sayso_activity::ParseError>(())
    /// ```
    pub enum DeliveryMode {
        /// The usual way of the channel.
        #[default]
        Normal = "normal",
        /// A notification, if the channel has such.
        Notification = "notification",
        /// The sender gets the replies in the answer to its request.
        ExpectReplies = "expectReplies",
        /// Shown to its recipient only, and not kept.
        Ephemeral = "ephemeral",
        /// The sender gets the replies in the answer to its request, each as soon as it is there.
        Stream = "stream",
    }
}

impl<'de> ReadJson<'de> for DeliveryMode {
    const EXPECTED: &'static str = "a string";

    fn read_str<E: Error>(place: Place<'_, Self>, name: &str) -> Result<(), E> {
        *place.value = Some(Self::from(name));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::DeliveryMode;
    use crate::Activity;

    #[test]
    fn each_name_leads_back_to_its_mode() {
        assert_eq!(DeliveryMode::KNOWN.len(), 5);
        for mode in DeliveryMode::KNOWN {
            assert_eq!(DeliveryMode::from(mode.as_str()), *mode);
        }
    }

    #[test]
    fn a_mode_is_written_as_it_came() {
        for (mode, expects_replies) in [
            (r#""normal""#, false),
            (r#""notification""#, false),
            (r#""expectReplies""#, true),
            (r#""ephemeral""#, false),
            (r#""stream""#, true),
            (r#""ExpectReplies""#, false),
            (r#""by pigeon""#, false),
            (r#""""#, false),
            ("null", false),
        ] {
            let text = format!(r#"{{"type":"message","deliveryMode":{mode}}}"#);
            let activity = Activity::from_json(text.as_bytes()).unwrap();
            assert_eq!(activity.to_text(), text);
            assert_eq!(serde_json::to_string(&activity).unwrap(), text);
            assert_eq!(activity.expects_replies(), expects_replies, "{mode}");
        }
    }

    #[test]
    fn a_mode_of_another_type_is_refused() {
        let error = Activity::from_json(br#"{"type":"x","deliveryMode":7}"#).unwrap_err();
        let error = error.to_string();
        assert!(error.starts_with("activity.deliveryMode: expected a string"), "{error}");
    }
}
