//! Secrets after their names: passwords, keys, and the values of headers.
use super::finders::{found, is_word};
use super::secrets::{LOOKAHEAD, is_of_token, run};
use super::{Found, Mask};

/// Names of secrets. A name with `true` also precedes harmless values, so it counts only before `=` or `:`.
const NAMES: [(&str, bool); 42] = [
    ("pw", false),
    ("pin", false),
    ("password", false),
    ("passwd", false),
    ("pwd", false),
    ("passphrase", false),
    ("passcode", false),
    ("passwort", false),
    ("kennwort", false),
    ("mot de passe", false),
    ("mdp", true),
    ("contraseña", false),
    ("contrasena", false),
    ("clave", true),
    ("senha", false),
    ("palavra-passe", false),
    ("parola d'ordine", false),
    ("wachtwoord", false),
    ("api key", false),
    ("api-key", false),
    ("api_key", false),
    ("apikey", false),
    ("api token", false),
    ("api_token", false),
    ("access key", false),
    ("access_key", false),
    ("access token", false),
    ("access_token", false),
    ("refresh_token", false),
    ("client_secret", false),
    ("client secret", false),
    ("secret key", false),
    ("secret_key", false),
    ("secret", true),
    ("token", true),
    ("auth", true),
    ("signature", true),
    ("sig", true),
    ("session", true),
    ("sessionid", true),
    ("x-amz-signature", true),
    ("key", true),
];
/// Words between the name of a secret and the secret.
const BETWEEN: [&str; 12] = ["is", "was", "ist", "lautet", "war", "est", "es", "é", "è", "e", "era", "to"];
/// Words after `the password is` that are no password.
const STATES: [&str; 109] = [
    "broken",
    "okay",
    "fine",
    "good",
    "different",
    "same",
    "here",
    "there",
    "hidden",
    "shown",
    "case-sensitive",
    "working",
    "public",
    "private",
    "unsafe",
    "available",
    "unavailable",
    "known",
    "mine",
    "default",
    "kaputt",
    "weg",
    "richtig",
    "gesperrt",
    "bloqueada",
    "correcta",
    "correta",
    "corretta",
    "juist",
    "geblokkeerd",
    "goed",
    "wrong",
    "incorrect",
    "invalid",
    "expired",
    "required",
    "missing",
    "empty",
    "unknown",
    "forgotten",
    "lost",
    "changed",
    "rejected",
    "refused",
    "accepted",
    "correct",
    "right",
    "valid",
    "case",
    "too",
    "not",
    "never",
    "always",
    "still",
    "no",
    "being",
    "sent",
    "stored",
    "saved",
    "reset",
    "needed",
    "optional",
    "blocked",
    "locked",
    "weak",
    "strong",
    "short",
    "long",
    "secure",
    "insecure",
    "protected",
    "encrypted",
    "hashed",
    "gone",
    "the",
    "a",
    "an",
    "my",
    "your",
    "this",
    "that",
    "what",
    "why",
    "how",
    "falsch",
    "nicht",
    "ungültig",
    "abgelaufen",
    "vergessen",
    "incorrecta",
    "incorreta",
    "incorrecte",
    "fausse",
    "faux",
    "expiré",
    "expirado",
    "expirada",
    "errada",
    "errata",
    "sbagliata",
    "scaduta",
    "verkeerd",
    "onjuist",
    "verlopen",
    "oublié",
    "perdu",
    "olvidada",
    "unchanged",
    "visible",
];

/// A secret after its name: `password: …`, `api_key=…`, `Authorization: Bearer …`.
pub(super) fn named(text: &str, at: usize) -> Option<Found> {
    if let Some(start) = after_scheme(text, at) {
        let end = run(text, start, |byte| is_of_token(byte) || matches!(byte, b':'));
        return if end - start >= 8 { found(start, end, Mask::Token) } else { None };
    }
    let rest = &text.as_bytes()[at..];
    let is = |name: &str| rest.len() > name.len() && rest[..name.len()].eq_ignore_ascii_case(name.as_bytes());
    let (name, only_signs) = NAMES.iter().filter(|(name, _)| is(name)).max_by_key(|(name, _)| name.len())?;
    let mut place = at + name.len();
    // `password"`, `password**`
    place = run(text, place, |byte| matches!(byte, b'"' | b'\'' | b'*' | b'`'));
    let blanks = run(text, place, |byte| byte == b' ');
    let sign = text.as_bytes().get(blanks).copied();
    let signed = matches!(sign, Some(b'=' | b':'));
    let start = if signed {
        run(text, blanks, |byte| matches!(byte, b'=' | b':' | b' ' | b'>'))
    } else if !only_signs && blanks > place {
        let end = run(text, blanks, is_word);
        BETWEEN.contains(&text.get(blanks..end)?.to_lowercase().as_str()).then(|| {
            let next = run(text, end, |byte| matches!(byte, b' ' | b':'));
            (next > end).then_some(next)
        })??
    } else {
        return None;
    };
    let found = secret_at(text, start, sign == Some(b'='), *only_signs)?;
    // A pin is a number.
    (*name != "pin" || text.as_bytes()[found.0.start..found.0.end].iter().any(u8::is_ascii_digit)).then_some(found)
}

/// The secret at a place after a name, if it looks like one.
fn secret_at(text: &str, at: usize, equals: bool, weak: bool) -> Option<Found> {
    let bytes = text.as_bytes();
    let quote = bytes.get(at).copied().filter(|byte| matches!(byte, b'"' | b'\'' | b'`' | b'*'));
    let start = at + usize::from(quote.is_some());
    let blank = |byte: u8| if quote.is_some() { byte == b'\n' } else { byte.is_ascii_whitespace() };
    let ends = |byte: u8| blank(byte) || Some(byte) == quote || matches!(byte, b'&' | b'<' | b'"');
    let shown = bytes[start..].iter().take(LOOKAHEAD).take_while(|byte| !ends(**byte)).count();
    let end = (start + shown..).find(|end| text.is_char_boundary(*end))?;
    let value = text.get(start..end)?;
    let value = if quote.is_some() { value } else { value.trim_end_matches(['.', ',', ';', ')', '!', '?']) };
    if value.is_empty()
        || value.starts_with(['[', '<', '{', '$'])
        || value.starts_with("%5B")
        || value.starts_with("**")
    {
        return None;
    }
    let (mut lower, mut upper, mut digits, mut signs) = (0, 0, 0, 0);
    value.bytes().for_each(|byte| match byte {
        b'a'..=b'z' => lower += 1,
        b'A'..=b'Z' => upper += 1,
        b'0'..=b'9' => digits += 1,
        _ => signs += 1,
    });
    let mixed = digits > 0 || lower > 0 && upper > 1 || value.bytes().any(|byte| b"!$%^*+=~?@#".contains(&byte));
    let length = value.chars().count();
    let fits = if weak {
        // The name also precedes harmless values, so the value must look random or be a parameter of an address.
        length >= 12 && digits > 0 && lower + upper > 0 && (signs * 4 < length || equals)
    } else if equals || quote.is_some() {
        length >= 4 && !STATES.contains(&value.to_lowercase().as_str()) && (mixed || quote.is_none() || length >= 6)
    } else if mixed {
        length >= 4
    } else {
        // A plain word is a password if nothing follows it and it does not describe a password.
        let rest = text[start + value.len()..].trim_start_matches(['.', ',', ')', '!', ' ']);
        let last = rest.is_empty() || rest.starts_with('\n') || rest.starts_with(char::is_uppercase);
        let lower = value.to_lowercase();
        last && length >= 5 && signs == 0 && !STATES.contains(&lower.as_str()) && !lower.ends_with("ed")
    };
    if !fits {
        return None;
    }
    let end = if shown == LOOKAHEAD { run(text, start, |byte| !ends(byte)) } else { start + value.len() };
    found(start, end, Mask::Password)
}

/// Whether the value ends with the padding of Base64.
fn ends_encoded(text: &str, at: usize) -> bool {
    let shown = text.as_bytes()[at..].iter().take(LOOKAHEAD);
    shown.take_while(|byte| is_of_token(**byte)).last() == Some(&b'=')
}

/// The place after `Authorization: SCHEME` or `Bearer`.
fn after_scheme(text: &str, at: usize) -> Option<usize> {
    let starts =
        |at: usize, word: &str| text.get(at..at + word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word));
    let skip = |at: usize| run(text, at, |byte| matches!(byte, b' ' | b':' | b'=' | b'"' | b'\''));
    let mut place = at;
    let mut header = false;
    for name in ["authorization", "proxy-authorization", "x-api-key", "x-auth-token"] {
        if starts(at, name) {
            place = skip(at + name.len());
            header = place > at + name.len();
        }
    }
    for scheme in ["bearer", "basic", "digest", "token", "apikey"] {
        if starts(place, scheme) {
            let after = run(text, place + scheme.len(), |byte| byte == b' ');
            let looks = text.get(after..).is_some_and(|rest| {
                let end = rest.bytes().take(LOOKAHEAD).take_while(|byte| is_of_token(*byte)).count();
                end >= 8 && (header || rest.as_bytes()[..end].iter().any(u8::is_ascii_digit) && end >= 16)
            });
            let encoded = scheme == "basic" && looks && ends_encoded(text, after);
            if after > place + scheme.len() && looks && (header || scheme == "bearer" || encoded) {
                return Some(after);
            }
        }
    }
    (header && text.as_bytes().get(place).is_some_and(|byte| is_of_token(*byte))).then_some(place)
}
