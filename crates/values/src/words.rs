//! Enums whose values are words of the API. The macro [`words!`](crate::words!) defines them, so that each word is in
//! one place.

/// An enum that [`words!`](crate::words!) defined.
pub trait Words: 'static {
    /// The word of every value, in the order of the API.
    const WORDS: &'static [&'static str];
}

/// Defines enums whose values are words of the API, in the order of the API:
///
/// ```
/// values::words! {
///     /// How a space is edited.
///     #[derive(Default)]
///     pub enum EditMode {
///         /// Directly, and through change requests.
///         #[default]
///         Live = "live",
///         Locked = "locked",
///     }
/// }
/// assert_eq!("locked".parse(), Ok(EditMode::Locked));
/// ```
///
/// The word is the form of a value in JSON, in [`Display`](std::fmt::Display) and in [`FromStr`](std::str::FromStr).
/// `ALL` has every value, and `as_str` returns the word of a value. The crate that uses the macro depends on `serde`.
#[macro_export]
macro_rules! words {
    ($($(#[$meta:meta])* $vis:vis enum $name:ident {
        $($(#[$about:meta])* $value:ident = $word:literal),+ $(,)?
    })+) => {$(
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, ::serde::Serialize, ::serde::Deserialize)]
        $vis enum $name {
            $($(#[$about])* #[doc = concat!("`", $word, "` in the API.")] #[serde(rename = $word)] $value),+
        }

        impl $name {
            /// Every value, in the order of the API.
            $vis const ALL: &'static [Self] = &[$(Self::$value),+];

            /// The word in the API.
            $vis const fn as_str(self) -> &'static str {
                match self { $(Self::$value => $word),+ }
            }
        }

        impl $crate::words::Words for $name {
            const WORDS: &'static [&'static str] = &[$($word),+];
        }

        impl ::std::fmt::Display for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl ::std::str::FromStr for $name {
            type Err = $crate::text::Rule;

            fn from_str(raw: &str) -> ::std::result::Result<Self, Self::Err> {
                match raw {
                    $($word => Ok(Self::$value),)+
                    _ => Err($crate::text::Rule::one_of(<Self as $crate::words::Words>::WORDS.iter().copied())),
                }
            }
        }
    )+};
}

#[cfg(test)]
mod tests {
    use super::Words as _;
    use crate::text::Rule;
    use serde_json::{from_value, json, to_value};

    crate::words! {
        /// A visibility.
        #[derive(Default, PartialOrd, Ord)]
        enum Visibility {
            /// Anyone.
            Public = "public",
            #[default]
            ShareLink = "share-link",
        }
    }

    #[test]
    fn a_word_is_the_same_in_json_in_texts_and_in_the_list() {
        assert_eq!(Visibility::WORDS, ["public", "share-link"]);
        for (value, word) in Visibility::ALL.iter().zip(Visibility::WORDS) {
            assert_eq!((value.as_str(), value.to_string().as_str()), (*word, *word));
            assert_eq!(word.parse(), Ok(*value));
            assert_eq!(to_value(value).unwrap(), *word);
            assert_eq!(from_value::<Visibility>(json!(word)).unwrap(), *value);
        }
    }

    #[test]
    fn an_unknown_word_is_refused_with_those_that_are_known() {
        assert_eq!("private".parse::<Visibility>(), Err(Rule("must be one of public, share-link".into())));
        assert!(from_value::<Visibility>(json!("Public")).is_err());
    }

    #[test]
    fn attributes_of_the_enum_and_its_values_are_kept() {
        assert_eq!(Visibility::default(), Visibility::ShareLink);
        assert!(Visibility::Public < Visibility::ShareLink);
    }
}
