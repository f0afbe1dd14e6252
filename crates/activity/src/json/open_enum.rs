//! Macro that defines an enum of known names which keeps unknown ones, as text.
//!
//! Channels add values at will. One that this crate does not know must be written again as it came,
//! so it is a variant of its own. Names are compared letter by letter, as every Bot Framework
//! runtime does: `Message` with a capital is another value than `message`.

/// Defines an enum with one variant for each known name, and `Other` for all further ones.
macro_rules! open_enum {
    (
        $(#[$meta:meta])*
        pub enum $Enum:ident {
            $( $(#[$known_meta:meta])* $Known:ident = $name:literal, )*
        }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum $Enum {
            $( $(#[$known_meta])* $Known, )*
            /// A value that this crate has no name for, as it came.
            Other(Box<str>),
        }

        impl $Enum {
            /// The known values.
            #[cfg(test)]
            pub(crate) const KNOWN: &[Self] = &[$( Self::$Known, )*];

            /// The name on the wire.
            #[must_use]
            pub fn as_str(&self) -> &str {
                match self {
                    $( Self::$Known => $name, )*
                    Self::Other(name) => name,
                }
            }
        }

        impl From<&str> for $Enum {
            fn from(name: &str) -> Self {
                match name {
                    $( $name => Self::$Known, )*
                    other => Self::Other(other.into()),
                }
            }
        }

        impl std::fmt::Display for $Enum {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl serde::Serialize for $Enum {
            fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                to.serialize_str(self.as_str())
            }
        }

        impl $crate::json::write::WriteJson for $Enum {
            fn write(&self, to: &mut String) {
                $crate::json::write_string(to, self.as_str());
            }
        }
    };
}

pub(crate) use open_enum;
