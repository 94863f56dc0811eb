//! How single values are read: each reader refuses what it cannot use, so the reader's path says which key it was.

use std::{borrow::Cow, fmt, marker::PhantomData, path::PathBuf, str::FromStr, time::Duration};

use schemars::{Schema, SchemaGenerator, json_schema};
use serde::{
    Deserialize, Deserializer, Serializer,
    de::{Error, IntoDeserializer, Unexpected, Visitor},
};

/// A type that is written as one word; `$expected` is what a person should write. With `read` it is only read.
macro_rules! word_type {
    (read $type:ty, $expected:expr) => {
        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                $crate::config::values::word(from, $expected)
            }
        }
    };
    ($type:ty, $expected:expr) => {
        word_type!(read $type, $expected);

        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                to.collect_str(self)
            }
        }
    };
}
pub(super) use word_type;

/// Reads one word or number, and parses it.
pub(super) fn word<'de, T, D>(from: D, expected: &'static str) -> Result<T, D::Error>
where
    T: FromStr<Err: fmt::Display>,
    D: Deserializer<'de>,
{
    struct Word<T>(&'static str, PhantomData<T>);

    impl<T: FromStr<Err: fmt::Display>> Visitor<'_> for Word<T> {
        type Value = T;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str(self.0)
        }

        fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
            text.parse().map_err(|problem| E::custom(format_args!("{problem}; expected {}", self.0)))
        }

        fn visit_u64<E: Error>(self, number: u64) -> Result<T, E> {
            self.visit_str(&number.to_string())
        }
    }

    from.deserialize_any(Word(expected, PhantomData))
}

/// Reads a whole number between two bounds; `u64::MAX` is no bound.
pub(super) fn in_range<'de, const LEAST: u64, const MOST: u64, T, D>(from: D) -> Result<T, D::Error>
where
    T: TryFrom<u64>,
    D: Deserializer<'de>,
{
    struct Number<const LEAST: u64, const MOST: u64>;

    impl<const LEAST: u64, const MOST: u64> Visitor<'_> for Number<LEAST, MOST> {
        type Value = u64;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            match MOST {
                u64::MAX => write!(f, "a whole number, {LEAST} or more"),
                _ => write!(f, "a whole number, {LEAST} to {MOST}"),
            }
        }

        fn visit_u64<E: Error>(self, number: u64) -> Result<u64, E> {
            if (LEAST..=MOST).contains(&number) {
                Ok(number)
            } else {
                Err(E::invalid_value(Unexpected::Unsigned(number), &self))
            }
        }
    }

    let number = from.deserialize_any(Number::<LEAST, MOST>)?;
    T::try_from(number).map_err(|_| D::Error::custom(format_args!("{number} is too large")))
}

/// The same, or nothing.
pub(super) fn in_range_or_null<'de, const LEAST: u64, const MOST: u64, D>(from: D) -> Result<Option<usize>, D::Error>
where
    D: Deserializer<'de>,
{
    let number = Option::<u64>::deserialize(from)?;
    let bounded = number.map(|number| in_range::<LEAST, MOST, _, _>(number.into_deserializer()));
    bounded.transpose()
}

/// Seconds, at most a day: longer is a typing error.
pub(super) mod seconds {
    use super::{Deserializer, Duration, Serializer, in_range};

    pub(in super::super) fn serialize<S: Serializer>(value: &Duration, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_u64(value.as_secs())
    }

    pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
        in_range::<1, 86_400, _, _>(from).map(Duration::from_secs)
    }
}

/// `on` or `off`: words in YAML 1.2 and booleans in YAML 1.1, and people write all four.
pub(super) mod on_off {
    use super::{Cow, Deserializer, Error, Schema, SchemaGenerator, Serializer, Unexpected, Visitor};
    use super::{fmt, json_schema};

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
    pub(in super::super) fn serialize<S: Serializer>(on: &bool, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(if *on { "on" } else { "off" })
    }

    pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<bool, D::Error> {
        from.deserialize_any(OnOff)
    }

    pub(in super::super) struct OnOff;

    impl Visitor<'_> for OnOff {
        type Value = bool;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("`on`, `off`, `true` or `false`")
        }

        fn visit_bool<E>(self, on: bool) -> Result<bool, E> {
            Ok(on)
        }

        fn visit_str<E: Error>(self, word: &str) -> Result<bool, E> {
            match word {
                "on" => Ok(true),
                "off" => Ok(false),
                _ => Err(E::invalid_value(Unexpected::Str(word), &self)),
            }
        }
    }

    impl schemars::JsonSchema for OnOff {
        fn schema_name() -> Cow<'static, str> {
            "OnOff".into()
        }

        fn json_schema(_: &mut SchemaGenerator) -> Schema {
            json_schema!({ "enum": ["off", "on", true, false] })
        }
    }
}

/// Reads a path that may be left out; a number is a mistake, not a name.
pub(super) fn path_or_null<'de, D: Deserializer<'de>>(from: D) -> Result<Option<PathBuf>, D::Error> {
    struct PathOrNull;

    impl Visitor<'_> for PathOrNull {
        type Value = Option<PathBuf>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a path (in quotes if it is a number) or `null`")
        }

        fn visit_str<E: Error>(self, path: &str) -> Result<Self::Value, E> {
            if path.is_empty() {
                return Err(E::invalid_value(Unexpected::Str(path), &self));
            }
            Ok(Some(PathBuf::from(path)))
        }

        fn visit_unit<E>(self) -> Result<Self::Value, E> {
            Ok(None)
        }
    }

    from.deserialize_any(PathOrNull)
}
