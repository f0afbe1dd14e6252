//! Validity of a certificate: from when to when, and how that is said.

use std::{
    fmt,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use rustls_pki_types::CertificateDer;
use x509_cert::{Certificate, der::Decode as _};

/// A day, as operators count.
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// Time left below which a certificate is [about to expire](Validity::is_short).
const SHORT: Duration = Duration::from_secs(14 * 24 * 60 * 60);

/// Time in which a certificate is valid.
///
/// # Example
/// ```
/// use sayso::config::Validity;
/// use std::time::{Duration, SystemTime};
///
/// let day = Duration::from_secs(24 * 60 * 60);
/// let now = SystemTime::now();
/// let validity = Validity { from: now - day, until: now + 10 * day };
/// assert!(validity.is_valid(now) && validity.is_short(now));
/// assert_eq!(validity.at(now).to_string(), "it expires in 10 days");
/// assert!(!validity.is_valid(now + 11 * day));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Validity {
    /// The first moment of it.
    pub from: SystemTime,
    /// The last moment of it.
    pub until: SystemTime,
}

impl Validity {
    /// The validity that a certificate names.
    pub(super) fn of(certificate: &CertificateDer<'_>) -> Option<Self> {
        let certificate = Certificate::from_der(certificate).ok()?;
        let named = certificate.tbs_certificate.validity;
        let time = |since| UNIX_EPOCH.checked_add(since);
        let from = time(named.not_before.to_unix_duration())?;
        Some(Self { from, until: time(named.not_after.to_unix_duration())? })
    }

    /// Reports whether it is valid at that time.
    #[must_use]
    pub fn is_valid(&self, now: SystemTime) -> bool {
        (self.from..=self.until).contains(&now)
    }

    /// Reports whether less than two weeks are left.
    #[must_use]
    pub fn is_short(&self, now: SystemTime) -> bool {
        self.until < now + SHORT
    }

    /// Says in half a sentence how it stands at that time, for people.
    #[must_use]
    pub fn at(&self, now: SystemTime) -> impl fmt::Display + use<> {
        let days = |span: Duration| match span.as_secs() / DAY.as_secs() {
            1 => "1 day".to_owned(),
            days => format!("{days} days"),
        };
        match (self.from.duration_since(now), self.until.duration_since(now)) {
            (Ok(wait), _) if !wait.is_zero() => format!("it is valid only in {}", days(wait)),
            (_, Ok(left)) => format!("it expires in {}", days(left)),
            (_, Err(over)) => format!("it expired {} ago", days(over.duration())),
        }
    }
}
