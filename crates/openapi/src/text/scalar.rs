//! The core schema of YAML 1.2: the values of plain scalars.
use crate::tree::Value;

/// The value of a scalar without quotation marks. `.inf` and `.nan` are texts, because JSON has no such numbers.
pub(super) fn plain(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Value::Null,
        "true" | "True" | "TRUE" => return Value::Bool(true),
        "false" | "False" | "FALSE" => return Value::Bool(false),
        _ => {}
    }
    match number(text) {
        Some(digits) => Value::Number(digits.into()),
        None => Value::Text(text.into()),
    }
}

/// A number as in JSON. The digits stay, except for forms that JSON does not allow: a plus sign, leading zeros, a point
/// without digits on both sides, and other bases than ten.
pub(super) fn number(text: &str) -> Option<String> {
    let based = |digits: &str, base| {
        let valid = !digits.is_empty() && digits.chars().all(|char| char.is_digit(base));
        // Longer ones are more likely texts than numbers.
        valid.then(|| u128::from_str_radix(digits, base).ok()).flatten().map(|value| value.to_string())
    };
    if let Some(digits) = text.strip_prefix("0x") {
        return based(digits, 16);
    }
    if let Some(digits) = text.strip_prefix("0o") {
        return based(digits, 8);
    }
    let (sign, rest) = match text.as_bytes().first()? {
        b'-' => ("-", &text[1..]),
        b'+' => ("", &text[1..]),
        _ => ("", text),
    };
    let (mantissa, exponent) = match rest.find(['e', 'E']) {
        Some(at) => (&rest[..at], Some(&rest[at + 1..])),
        None => (rest, None),
    };
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (mantissa, None),
    };
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(whole) || !fraction.is_none_or(digits) || (whole.is_empty() && fraction.is_none_or(str::is_empty)) {
        return None;
    }
    if let Some(exponent) = exponent {
        let unsigned = exponent.strip_prefix(['-', '+']).unwrap_or(exponent);
        if unsigned.is_empty() || !digits(unsigned) {
            return None;
        }
    }
    let trimmed = whole.trim_start_matches('0');
    let mut out = format!("{sign}{}", if trimmed.is_empty() { "0" } else { trimmed });
    if let Some(fraction) = fraction {
        out.push('.');
        out.push_str(if fraction.is_empty() { "0" } else { fraction });
    }
    if let Some(exponent) = exponent {
        out.push('e');
        out.push_str(exponent);
    }
    Some(out)
}
