//! The order of siblings: a fractional index, so that putting an item between two others changes no other key.
use serde::{Deserialize, Serialize};
use smol_str::SmolStr;
use std::fmt;

/// The digits, in their order as bytes.
const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const BASE: u8 = 62;
const LAST: u8 = BASE - 1;

/// A position among siblings: the digits of a fraction between 0 and 1 in base 62, so that keys compare as bytes.
///
/// A key never ends in the digit 0. So two different keys are never the same fraction, and there is always a key
/// between two others, before the first and after the last. Keys that are added at either end stay short (about twice
/// the logarithm of the number of keys added there). Keys that are added again and again between the same two grow by
/// one digit for every five or six.
///
/// Short keys are stored in place, without an allocation: thousands of pages in memory have one each.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct OrderKey(SmolStr);

/// Why a text is not an [`OrderKey`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an order key is one or more of 0-9, A-Z and a-z, and does not end in 0")]
pub struct InvalidOrderKey;

/// There is no key between a key and one that does not come after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the order keys to go between are not in ascending order")]
pub struct NotAscending;

impl OrderKey {
    /// The key of an item without siblings.
    pub fn first() -> Self {
        Self::from_digits(vec![BASE / 2])
    }

    /// A key strictly between two others; `None` means that end of the siblings.
    ///
    /// # Errors
    /// [`NotAscending`] when `after` does not come before `before`.
    pub fn between(after: Option<&Self>, before: Option<&Self>) -> Result<Self, NotAscending> {
        let digits = match (after, before) {
            (None, None) => return Ok(Self::first()),
            (Some(after), None) => increased(after.digits()),
            (None, Some(before)) => decreased(before.digits()),
            (Some(after), Some(before)) if after < before => middle(after.digits(), before.digits()),
            _ => return Err(NotAscending),
        };
        Ok(Self::from_digits(digits))
    }

    /// Keys for `count` siblings at once, in order: evenly spread, and as short as possible.
    pub fn sequence(count: usize) -> Vec<Self> {
        let parts = count as u128 + 1;
        let mut width = 1;
        let mut places = u128::from(BASE);
        while places < parts {
            width += 1;
            places *= u128::from(BASE);
        }
        (1..parts)
            .map(|part| {
                let mut place = part * places / parts;
                let mut digits = vec![0; width];
                for digit in digits.iter_mut().rev() {
                    *digit = (place % u128::from(BASE)) as u8;
                    place /= u128::from(BASE);
                }
                Self::from_digits(digits)
            })
            .collect()
    }

    /// The key as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    fn digits(&self) -> Vec<u8> {
        self.0.bytes().filter_map(digit).collect()
    }

    fn from_digits(mut digits: Vec<u8>) -> Self {
        while digits.last() == Some(&0) {
            digits.pop();
        }
        Self(digits.into_iter().map(|digit| char::from(DIGITS[usize::from(digit)])).collect())
    }
}

fn digit(byte: u8) -> Option<u8> {
    match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'A'..=b'Z' => Some(byte - b'A' + 10),
        b'a'..=b'z' => Some(byte - b'a' + 36),
        _ => None,
    }
}

/// The number of digits that are counted up or down, for a key that begins with this many digits of an end.
///
/// The further towards an end, the finer the steps: this keeps a long series at one end short, as 62 steps of one digit
/// are followed by 62² of two more, and so on.
fn width(leading: usize) -> usize {
    2 * leading + 1
}

/// The next step up: the number cut to its width, plus one in the last place. The first digit that is not the last of
/// all takes the carry at the latest.
fn increased(mut digits: Vec<u8>) -> Vec<u8> {
    let leading = digits.iter().take_while(|digit| **digit == LAST).count();
    digits.resize(width(leading), 0);
    for digit in digits.iter_mut().rev() {
        if *digit < LAST {
            *digit += 1;
            break;
        }
        *digit = 0;
    }
    digits
}

/// The next step down: the number cut to its width, and if that changed nothing, minus one in the last place.
fn decreased(mut digits: Vec<u8>) -> Vec<u8> {
    let leading = digits.iter().take_while(|digit| **digit == 0).count();
    let width_here = width(leading);
    if digits.len() > width_here {
        digits.truncate(width_here);
        return digits;
    }
    digits.resize(width_here, 0);
    for digit in digits.iter_mut().rev() {
        if *digit > 0 {
            *digit -= 1;
            break;
        }
        *digit = LAST;
    }
    if digits[leading] == 0 {
        digits.resize(width(leading + 1), LAST);
    }
    digits
}

/// The shortest number between two, and of those the one nearest to the middle. `low` is less than `high`.
fn middle(low: Vec<u8>, high: Vec<u8>) -> Vec<u8> {
    let low_at = |at: usize| low.get(at).copied().unwrap_or(0);
    // `high` is greater and does not end in 0, so that they differ within its length.
    let split = high.iter().enumerate().take_while(|(at, digit)| low_at(*at) == **digit).count();
    let mut digits = high[..=split].to_vec();
    let (below, above) = (low_at(split), high[split]);
    if above - below > 1 {
        digits[split] = below + (above - below) / 2;
        return digits;
    }
    if high.len() > split + 1 {
        return digits;
    }
    digits[split] = below;
    let mut at = split + 1;
    while low_at(at) == LAST {
        digits.push(LAST);
        at += 1;
    }
    digits.push(low_at(at) + (BASE - low_at(at)).div_ceil(2));
    digits
}

impl std::str::FromStr for OrderKey {
    type Err = InvalidOrderKey;

    fn from_str(raw: &str) -> Result<Self, InvalidOrderKey> {
        raw.to_owned().try_into()
    }
}

impl TryFrom<String> for OrderKey {
    type Error = InvalidOrderKey;

    fn try_from(raw: String) -> Result<Self, InvalidOrderKey> {
        let fits = raw.bytes().all(|byte| digit(byte).is_some()) && !raw.is_empty() && !raw.ends_with('0');
        if fits { Ok(Self(raw.into())) } else { Err(InvalidOrderKey) }
    }
}

impl From<OrderKey> for String {
    fn from(key: OrderKey) -> Self {
        key.0.into()
    }
}

impl fmt::Display for OrderKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rstest::rstest;

    fn key(raw: &str) -> OrderKey {
        raw.parse().unwrap()
    }

    #[test]
    fn digits_ascend_as_bytes() {
        assert!(DIGITS.is_sorted());
        let back: Vec<_> = DIGITS.iter().map(|byte| digit(*byte)).collect();
        assert_eq!(back, (0..BASE).map(Some).collect::<Vec<_>>());
    }

    #[rstest]
    #[case(None, None, "V")]
    #[case(Some("V"), None, "W")]
    #[case(Some("Vk3"), None, "W")]
    #[case(Some("y"), None, "z")]
    #[case(Some("z"), None, "z01")]
    #[case(Some("z0z"), None, "z1")]
    #[case(Some("zyz"), None, "zz")]
    #[case(Some("zz"), None, "zz001")]
    #[case(None, Some("V"), "U")]
    #[case(None, Some("V5"), "V")]
    #[case(None, Some("1"), "0zz")]
    #[case(None, Some("0zz"), "0zy")]
    #[case(None, Some("0z"), "0yz")]
    #[case(None, Some("001"), "000zzzz")]
    #[case(None, Some("01"), "00zzz")]
    #[case(Some("A"), Some("C"), "B")]
    #[case(Some("A"), Some("B"), "AV")]
    #[case(Some("A"), Some("B5"), "B")]
    #[case(Some("A"), Some("A1"), "A0V")]
    #[case(Some("A"), Some("A0001"), "A0000V")]
    #[case(Some("Azz"), Some("B"), "AzzV")]
    #[case(Some("Ay"), Some("B"), "Az")]
    #[case(Some("AV"), Some("AW"), "AVV")]
    fn there_is_a_key_between(#[case] after: Option<&str>, #[case] before: Option<&str>, #[case] expected: &str) {
        let (after, before) = (after.map(key), before.map(key));
        assert_eq!(OrderKey::between(after.as_ref(), before.as_ref()), Ok(key(expected)));
    }

    #[rstest]
    #[case("A", "A")]
    #[case("B", "A")]
    #[case("AV", "A")]
    fn there_is_no_key_between_keys_that_do_not_ascend(#[case] after: &str, #[case] before: &str) {
        assert_eq!(OrderKey::between(Some(&key(after)), Some(&key(before))), Err(NotAscending));
    }

    #[rstest]
    #[case("")]
    #[case("0")]
    #[case("A0")]
    #[case("A-")]
    #[case("é")]
    fn other_texts_are_refused(#[case] raw: &str) {
        assert_eq!(raw.parse::<OrderKey>(), Err(InvalidOrderKey));
        assert!(serde_json::from_value::<OrderKey>(raw.into()).is_err());
    }

    #[test]
    fn a_key_is_stored_as_its_text() {
        assert_eq!(serde_json::to_string(&key("V1")).unwrap(), "\"V1\"");
        assert_eq!(serde_json::from_str::<OrderKey>("\"V1\"").unwrap(), key("V1"));
    }

    #[rstest]
    #[case(0, 0)]
    #[case(1, 1)]
    #[case(61, 1)]
    #[case(62, 2)]
    #[case(3843, 2)]
    #[case(3844, 3)]
    #[case(100_000, 3)]
    fn a_sequence_is_short(#[case] count: usize, #[case] longest: usize) {
        let keys = OrderKey::sequence(count);
        assert_eq!(keys.len(), count);
        assert!(keys.is_sorted_by(|a, b| a < b));
        assert_eq!(keys.iter().map(|key| key.as_str().len()).max().unwrap_or(0), longest);
    }

    #[test]
    fn a_sequence_is_evenly_spread() {
        let keys: Vec<_> = OrderKey::sequence(3).into_iter().map(String::from).collect();
        assert_eq!(keys, ["F", "V", "k"]);
    }

    #[test]
    fn ten_thousand_at_either_end_stay_short() {
        let (mut first, mut last) = (key("V"), key("V"));
        for _ in 0..10_000 {
            let (lower, higher) = (OrderKey::between(None, Some(&first)), OrderKey::between(Some(&last), None));
            let (lower, higher) = (lower.unwrap(), higher.unwrap());
            assert!(lower < first && higher > last);
            (first, last) = (lower, higher);
        }
        assert!(first.as_str().len() <= 5, "{first}");
        assert!(last.as_str().len() <= 5, "{last}");
    }

    #[rstest]
    #[case(true)]
    #[case(false)]
    fn a_thousand_at_one_place_stay_reasonable(#[case] ascending: bool) {
        let (mut low, mut high) = (key("A"), key("B"));
        for _ in 0..1_000 {
            let new = OrderKey::between(Some(&low), Some(&high)).unwrap();
            *(if ascending { &mut low } else { &mut high }) = new;
        }
        assert!(low.as_str().len() <= 210 && high.as_str().len() <= 210, "{low} {high}");
    }

    fn any_key() -> impl Strategy<Value = OrderKey> {
        prop_oneof!["[0-9A-Za-z]{0,6}[1-9A-Za-z]", "[01yz]{0,8}[1yz]"].prop_map(|raw| key(&raw))
    }

    proptest! {
        #[test]
        fn there_is_always_room(a in any_key(), b in any_key()) {
            let last = OrderKey::between(Some(&a), None).unwrap();
            let first = OrderKey::between(None, Some(&a)).unwrap();
            prop_assert!(first < a && a < last);
            prop_assert_eq!(last.as_str().parse::<OrderKey>(), Ok(last.clone()));
            prop_assert_eq!(first.as_str().parse::<OrderKey>(), Ok(first.clone()));
            if a != b {
                let (low, high) = if a < b { (&a, &b) } else { (&b, &a) };
                let new = OrderKey::between(Some(low), Some(high)).unwrap();
                prop_assert!(*low < new && new < *high);
                prop_assert_eq!(new.as_str().parse::<OrderKey>(), Ok(new.clone()));
            }
        }

        #[test]
        fn siblings_put_anywhere_stay_in_order(places in prop::collection::vec(any::<prop::sample::Index>(), 1..200)) {
            let mut siblings: Vec<OrderKey> = Vec::new();
            for place in places {
                let at = place.index(siblings.len() + 1);
                let before = at.checked_sub(1).map(|at| &siblings[at]);
                let new = OrderKey::between(before, siblings.get(at)).unwrap();
                siblings.insert(at, new);
            }
            prop_assert!(siblings.is_sorted_by(|a, b| a < b));
        }

        #[test]
        fn a_sequence_of_any_length_ascends(count in 0_usize..5_000) {
            let keys = OrderKey::sequence(count);
            prop_assert_eq!(keys.len(), count);
            prop_assert!(keys.is_sorted_by(|a, b| a < b));
            prop_assert!(keys.iter().all(|key| key.as_str().parse::<OrderKey>().is_ok()));
        }
    }
}
