//! Decimal numbers, computed without rounding.
use std::borrow::Cow;
use std::fmt;

/// The largest exponent that is read, and the negative of the smallest one.
const MAX_EXPONENT: i32 = 100_000;
/// The largest exponent that is written with zeros, and the negative of the smallest one.
const MAX_ZEROS: i32 = 20;
/// The maximum length of a text that is a whole number in one form only, if it has no point and no exponent.
const MAX_PLAIN: usize = 20;
/// The maximum length of a number that is read. All floats of 64 bits are shorter. One number can be compared with many
/// others, and is read each time.
const MAX_LENGTH: usize = 400;

/// A number: the coefficient, times ten to the power of the exponent. The coefficient has no zero at its end, so equal
/// numbers have equal fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Decimal {
    is_negative: bool,
    coefficient: u128,
    exponent: i32,
}

impl Decimal {
    /// One.
    pub(crate) const ONE: Self = Self { is_negative: false, coefficient: 1, exponent: 0 };

    /// The number of a valid JSON number; `None` if it has more than 38 significant digits, a huge exponent, or more
    /// than 400 characters.
    pub(crate) fn of(digits: &str) -> Option<Self> {
        if digits.len() > MAX_LENGTH {
            return None;
        }
        let (is_negative, digits) = match digits.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, digits),
        };
        let (mantissa, exponent) = match digits.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, exponent.parse::<i64>().ok()?),
            None => (digits, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let fraction = fraction.trim_end_matches('0');
        let shown = if fraction.is_empty() { whole.trim_end_matches('0') } else { whole };
        let zeros = i64::try_from(whole.len() - shown.len()).ok()?;
        let places = i64::try_from(fraction.len()).ok()?;
        let mut coefficient = 0_u128;
        for digit in shown.bytes().chain(fraction.bytes()) {
            let digit = digit.is_ascii_digit().then(|| u128::from(digit - b'0'))?;
            coefficient = coefficient.checked_mul(10)?.checked_add(digit)?;
        }
        if coefficient == 0 {
            return Some(Self { is_negative: false, coefficient, exponent: 0 });
        }
        let exponent = i32::try_from(exponent.checked_add(zeros)?.checked_sub(places)?).ok()?;
        (-MAX_EXPONENT..=MAX_EXPONENT).contains(&exponent).then_some(Self { is_negative, coefficient, exponent })
    }

    fn normal(is_negative: bool, coefficient: u128, exponent: i32) -> Self {
        let (mut coefficient, mut exponent) = (coefficient, exponent);
        if coefficient == 0 {
            return Self { is_negative: false, coefficient, exponent: 0 };
        }
        while coefficient.is_multiple_of(10) {
            coefficient /= 10;
            exponent += 1;
        }
        Self { is_negative, coefficient, exponent }
    }

    /// Whether it is above zero.
    pub(crate) fn is_positive(self) -> bool {
        !self.is_negative && self.coefficient > 0
    }

    /// The number, rounded.
    pub(crate) fn rounded(self) -> Option<f64> {
        self.to_string().parse().ok()
    }

    /// The product with a whole number; `None` if it has too many digits.
    pub(crate) fn times(self, factor: i64) -> Option<Self> {
        let coefficient = self.coefficient.checked_mul(u128::from(factor.unsigned_abs()))?;
        Some(Self::normal(self.is_negative != factor.is_negative(), coefficient, self.exponent))
    }

    /// Whether it is a whole multiple of a positive number; `None` if that number has too many digits.
    pub(crate) fn is_multiple_of(self, of: Self) -> Option<bool> {
        if self.coefficient == 0 {
            return Some(true);
        }
        // A multiple of a number with fewer decimal places would have a zero at the end.
        let Ok(zeros) = u32::try_from(self.exponent.checked_sub(of.exponent)?) else { return Some(false) };
        if let Some(coefficient) = 10_u128.checked_pow(zeros).and_then(|ten| self.coefficient.checked_mul(ten)) {
            return Some(coefficient.is_multiple_of(of.coefficient));
        }
        let modulus = u64::try_from(of.coefficient).ok().filter(|modulus| *modulus > 0)?;
        let rest = self.coefficient % u128::from(modulus) * power_of_ten(zeros, modulus);
        Some(rest.is_multiple_of(u128::from(modulus)))
    }

    /// The least common multiple of two positive numbers; `None` if it has too many digits.
    pub(crate) fn common_multiple(self, other: Self) -> Option<Self> {
        let exponent = self.exponent.min(other.exponent);
        let (a, b) = (self.coefficient_at(exponent)?, other.coefficient_at(exponent)?);
        let coefficient = a.checked_div(greatest_common_divisor(a, b))?.checked_mul(b)?;
        Some(Self::normal(false, coefficient, exponent))
    }

    /// The coefficient for a smaller exponent.
    fn coefficient_at(self, exponent: i32) -> Option<u128> {
        let zeros = u32::try_from(self.exponent.checked_sub(exponent)?).ok()?;
        self.coefficient.checked_mul(10_u128.checked_pow(zeros)?)
    }
}

impl fmt::Display for Decimal {
    /// A JSON number: the same for equal numbers.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { is_negative, coefficient, exponent } = *self;
        let sign = if is_negative { "-" } else { "" };
        let digits = coefficient.to_string();
        // At most MAX_ZEROS.
        let zeros = exponent.unsigned_abs() as usize;
        if !(-MAX_ZEROS..=MAX_ZEROS).contains(&exponent) {
            return write!(f, "{sign}{digits}e{exponent}");
        }
        if exponent >= 0 {
            return write!(f, "{sign}{digits}{}", "0".repeat(zeros));
        }
        let padded = format!("{digits:0>width$}", width = zeros + 1);
        let (whole, fraction) = padded.split_at(padded.len() - zeros);
        write!(f, "{sign}{whole}.{fraction}")
    }
}

/// Ten to this power, modulo a number.
fn power_of_ten(power: u32, modulus: u64) -> u128 {
    let modulus = u128::from(modulus);
    let (mut result, mut base, mut power) = (1 % modulus, 10 % modulus, power);
    while power > 0 {
        if power % 2 == 1 {
            result = result * base % modulus;
        }
        base = base * base % modulus;
        power /= 2;
    }
    result
}

fn greatest_common_divisor(a: u128, b: u128) -> u128 {
    let (mut a, mut b) = (a, b);
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// The digits of a number, the same for `1`, `1.0` and `1e0`. A number that [`Decimal::of`] does not read keeps its own.
pub(crate) fn same_digits(digits: &str) -> Cow<'_, str> {
    if digits.len() <= MAX_PLAIN && !digits.contains(['.', 'e', 'E']) && digits != "-0" {
        return Cow::Borrowed(digits);
    }
    Decimal::of(digits).map_or(Cow::Borrowed(digits), |number| Cow::Owned(number.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case::a_whole_number("120", "120")]
    #[case::a_fraction_with_zeros("1.50", "1.5")]
    #[case::a_fraction_of_zero("7.000", "7")]
    #[case::a_small_number("0.0001", "0.0001")]
    #[case::a_negative_number("-0.10", "-0.1")]
    #[case::negative_zero("-0.0", "0")]
    #[case::an_exponent("12e-3", "0.012")]
    #[case::an_exponent_with_a_sign("1.5E+3", "1500")]
    #[case::more_digits_than_a_float_has("9007199254740993.0", "9007199254740993")]
    #[case::many_zeros("1000000000000000000000000000000", "1e30")]
    #[case::a_large_exponent("10e29", "1e30")]
    #[case::a_tiny_number("0.1e-29", "1e-30")]
    #[case::too_many_digits("9234567890123456789012345678901234567891.0", "9234567890123456789012345678901234567891.0")]
    #[case::a_huge_exponent("1e99999999999", "1e99999999999")]
    #[case::the_smallest_exponent("1e-2147483648", "1e-2147483648")]
    fn equal_numbers_have_the_same_digits(#[case] digits: &str, #[case] expected: &str) {
        assert_eq!(same_digits(digits), expected);
    }

    #[test]
    fn a_very_long_number_is_not_read() {
        for digits in ["0".repeat(MAX_LENGTH - 2) + ".0", "1e".to_owned() + &"0".repeat(MAX_LENGTH - 2)] {
            assert!(Decimal::of(&digits).is_some(), "{digits}");
            let longer = digits + "0";
            assert!(Decimal::of(&longer).is_none(), "{longer}");
            assert_eq!(same_digits(&longer), longer);
        }
    }

    #[rstest]
    #[case::whole_numbers("4", "6", Some("12"))]
    #[case::a_multiple_of_the_other("2", "6", Some("6"))]
    #[case::decimals("0.1", "0.25", Some("0.5"))]
    #[case::a_decimal_and_a_whole_number("0.3", "1", Some("3"))]
    #[case::large_and_small("1e6", "0.03", Some("3000000"))]
    #[case::too_many_digits("1e30", "1.1e-20", None)]
    fn the_least_common_multiple_is(#[case] a: &str, #[case] b: &str, #[case] expected: Option<&str>) {
        let [a, b] = [a, b].map(|digits| Decimal::of(digits).expect("a number"));
        for (a, b) in [(a, b), (b, a)] {
            assert_eq!(a.common_multiple(b).map(|found| found.to_string()).as_deref(), expected);
        }
    }
}
