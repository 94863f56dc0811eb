//! Readers of single values: each refuses what cannot be used, and `serde_path_to_error` adds the key.

use std::{fmt, marker::PhantomData, path::PathBuf, str::FromStr, time::Duration};

use schemars::{JsonSchema, Schema, json_schema};
use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{Error, IntoDeserializer, Unexpected, Visitor},
};

/// Reads a type from one word with its `FromStr`; `$expected` is what the word should be.
macro_rules! word_type {
    ($type:ty, $expected:expr) => {
        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                $crate::config::values::word(from, $expected)
            }
        }
    };
}
pub(crate) use word_type;

/// Reads a word, number or boolean, and parses it.
pub(crate) fn word<'de, T, D>(from: D, expected: &'static str) -> Result<T, D::Error>
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

        fn visit_bool<E: Error>(self, value: bool) -> Result<T, E> {
            self.visit_str(&value.to_string())
        }
    }

    from.deserialize_any(Word(expected, PhantomData))
}

/// A whole number between two bounds, for `with` of serde and of schemars; `u64::MAX` is no bound.
#[derive(JsonSchema)]
#[schemars(inline)]
pub(super) struct Bounded<const LEAST: u64, const MOST: u64>(
    #[schemars(with = "u64", range(min = LEAST, max = MOST))] (),
);

impl<const LEAST: u64, const MOST: u64> Bounded<LEAST, MOST> {
    pub(super) fn serialize<T: Serialize, S: Serializer>(number: &T, to: S) -> Result<S::Ok, S::Error> {
        number.serialize(to)
    }

    pub(super) fn deserialize<'de, T: TryFrom<u64>, D: Deserializer<'de>>(from: D) -> Result<T, D::Error> {
        let number = from.deserialize_any(Self(()))?;
        T::try_from(number).map_err(|_| D::Error::custom(format_args!("{number} is too large")))
    }

    /// A number within the bounds, or `null`.
    pub(super) fn or_null<'de, D: Deserializer<'de>>(from: D) -> Result<Option<usize>, D::Error> {
        let number = Option::<u64>::deserialize(from)?;
        number.map(|number| Self::deserialize(number.into_deserializer())).transpose()
    }
}

impl<const LEAST: u64, const MOST: u64> Visitor<'_> for Bounded<LEAST, MOST> {
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

/// Seconds, at most a day: longer is a typing error.
#[derive(JsonSchema)]
#[schemars(inline)]
pub(super) struct Seconds(#[schemars(with = "Bounded<1, 86_400>")] ());

impl Seconds {
    pub(super) fn serialize<S: Serializer>(value: &Duration, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_u64(value.as_secs())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
        Bounded::<1, 86_400>::deserialize(from).map(Duration::from_secs)
    }
}

/// `on` or `off`: words in YAML 1.2 and booleans in YAML 1.1, so all four spellings are accepted.
#[derive(JsonSchema)]
#[schemars(transform = all_spellings)]
pub(super) struct OnOff(bool);

fn all_spellings(schema: &mut Schema) {
    *schema = json_schema!({ "enum": ["off", "on", true, false] });
}

impl FromStr for OnOff {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        match word {
            "on" | "true" => Ok(Self(true)),
            "off" | "false" => Ok(Self(false)),
            _ => Err(format!("{word:?} is neither on nor off")),
        }
    }
}

impl OnOff {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
    pub(super) fn serialize<S: Serializer>(on: &bool, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(if *on { "on" } else { "off" })
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<bool, D::Error> {
        word::<Self, _>(from, "`on`, `off`, `true` or `false`").map(|Self(on)| on)
    }
}

/// Reads a path that may be left out.
pub(super) fn path_or_null<'de, D: Deserializer<'de>>(from: D) -> Result<Option<PathBuf>, D::Error> {
    match Option::<String>::deserialize(from)? {
        Some(path) if path.is_empty() => Err(D::Error::custom("the path is empty; expected a path, or `null`")),
        path => Ok(path.map(PathBuf::from)),
    }
}
