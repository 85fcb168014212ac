//! Decodes HTML entities: some programs hide e-mail addresses in them.

/// The most bytes between `&` and `;`.
const LONGEST: usize = 10;
/// Named entities of characters in addresses.
const NAMED: [(&str, char); 4] = [("commat", '@'), ("period", '.'), ("lowbar", '_'), ("plus", '+')];

/// Replaces the entities of letters, digits and characters of addresses; `None` if the text has no such entity.
pub(super) fn plain(text: &str) -> Option<String> {
    let mut plain = String::new();
    let mut kept = 0;
    for (at, _) in text.match_indices('&') {
        if let Some((sign, length)) = entity(&text[at + 1..]) {
            plain.push_str(&text[kept..at]);
            plain.push(sign);
            kept = at + 1 + length;
        }
    }
    (kept > 0).then(|| plain + &text[kept..])
}

/// The character of an entity, and the entity's length without `&`. `rest` begins after the `&`.
fn entity(rest: &str) -> Option<(char, usize)> {
    let end = rest.bytes().take(LONGEST + 1).position(|byte| byte == b';')?;
    let name = &rest[..end];
    let sign = match name.strip_prefix('#') {
        Some(number) => {
            let code = match number.strip_prefix(['x', 'X']) {
                Some(hexadecimal) => u32::from_str_radix(hexadecimal, 16).ok()?,
                None => number.parse::<u32>().ok()?,
            };
            char::from_u32(code)?
        }
        None => NAMED.iter().find(|(known, _)| *known == name).map(|(_, sign)| *sign)?,
    };
    (sign.is_ascii_alphanumeric() || matches!(sign, '@' | '.' | '-' | '_' | '+')).then_some((sign, end + 1))
}
