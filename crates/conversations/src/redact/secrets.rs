//! Finds secrets by their form: keys, tokens, and e-mail addresses.
use super::finders::{found, is_word};
use super::{Found, Mask};

/// The maximum number of bytes that decide whether something is a token. A token is masked as a whole.
pub(super) const LOOKAHEAD: usize = 160;
/// The most bytes of the local part of an e-mail address.
const LONGEST_LOCAL: usize = 64;
/// The minimum length of a token without a known prefix, in characters.
const SHORTEST: usize = 24;

/// Prefixes of tokens of well-known services. At least ten characters follow.
const PREFIXES: [&str; 66] = [
    "sk-",
    "sk_live_",
    "sk_test_",
    "pk_live_",
    "pk_test_",
    "rk_live_",
    "rk_test_",
    "whsec_",
    "ghp_",
    "gho_",
    "ghu_",
    "ghs_",
    "ghr_",
    "github_pat_",
    "glpat-",
    "gldt-",
    "glrt-",
    "glsa_",
    "xoxb-",
    "xoxp-",
    "xoxa-",
    "xoxr-",
    "xoxs-",
    "xoxe-",
    "xapp-",
    "AKIA",
    "ASIA",
    "AIza",
    "ya29.",
    "GOCSPX-",
    "npm_",
    "pypi-",
    "rubygems_",
    "dop_v1_",
    "doo_v1_",
    "SG.",
    "hf_",
    "shpat_",
    "shpss_",
    "shpca_",
    "shppa_",
    "sq0atp-",
    "sq0csp-",
    "lin_api_",
    "ntn_",
    "secret_",
    "figd_",
    "dckr_pat_",
    "xkeysib-",
    "key-",
    "tskey-",
    "atlasv1.",
    "hvs.",
    "hvb.",
    "patk",
    "EAAC",
    "EAAB",
    "NRAK-",
    "pul-",
    "sntrys_",
    "PMAK-",
    "CFPAT-",
    "ATATT3",
    "AGE-SECRET-KEY-",
    "sbp_",
    "oct_",
];

/// Whether a byte can be part of a token.
pub(super) fn is_of_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'+' | b'/' | b'=' | b'.' | b'~')
}

/// The end of the run of bytes that fulfil a condition.
pub(super) fn run(text: &str, at: usize, is: impl Fn(u8) -> bool) -> usize {
    at + text.as_bytes()[at..].iter().take_while(|byte| is(**byte)).count()
}

/// A private key in PEM or PGP armour, up to its end line; without one, up to the end of the text.
pub(super) fn private_key(text: &str, at: usize) -> Option<Found> {
    let rest = &text[at..];
    let head = rest.strip_prefix("-----BEGIN ")?;
    let line = head.bytes().take(60).position(|byte| byte == b'-')?;
    if !head.get(..line)?.contains("PRIVATE KEY") {
        return None;
    }
    let end = rest.find("-----END ").map_or(text.len(), |end| {
        let tail = &rest[end + 9..];
        let dashes = tail.bytes().take(80).position(|byte| byte == b'-').unwrap_or(0);
        let after = &tail[dashes..];
        at + end + 9 + dashes + after.len() - after.trim_start_matches('-').len()
    });
    found(at, end, Mask::Key)
}

/// The user and password of an address, such as `ada:secret@` in `https://ada:secret@example.org`.
pub(super) fn address(text: &str, at: usize) -> Option<Found> {
    let bytes = text.as_bytes();
    let scheme = bytes[at..].iter().take(20).take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'+').count();
    let rest = text[at + scheme..].strip_prefix("://")?;
    let start = at + scheme + 3;
    let host = rest.bytes().take(512).position(|byte| matches!(byte, b'/' | b'?' | b'#') || byte.is_ascii_whitespace());
    let authority = &rest.as_bytes()[..host.unwrap_or(rest.len().min(512))];
    let user = authority.iter().rposition(|byte| *byte == b'@').filter(|user| *user > 0)?;
    found(start, start + user, Mask::Password).filter(|_| text.is_char_boundary(start + user))
}

/// An e-mail address.
pub(super) fn email(text: &str, at: usize) -> Option<Found> {
    let bytes = text.as_bytes();
    let of_local = |byte: u8| is_word(byte) || matches!(byte, b'.' | b'_' | b'%' | b'+' | b'-' | b'\'' | b'!' | b'&');
    let length = bytes[at..].iter().take(LONGEST_LOCAL + 1).take_while(|byte| of_local(**byte)).count();
    if length > LONGEST_LOCAL {
        return None;
    }
    // In an address, the sign may be percent-encoded.
    let encoded = || bytes[at..at + length].windows(3).position(|part| part == b"%40").map(|sign| at + sign);
    let (sign, domain) = match bytes.get(at + length) {
        Some(b'@') => (at + length, at + length + 1),
        _ => encoded().map(|sign| (sign, sign + 3))?,
    };
    if sign == at {
        return None;
    }
    let end = domain
        + bytes[domain..].iter().take(254).take_while(|byte| is_word(**byte) || matches!(byte, b'.' | b'-')).count();
    let host = text.get(domain..end)?.trim_end_matches(['.', '-']);
    let (name, top) = host.rsplit_once('.')?;
    const FILES: [&str; 9] = ["png", "jpg", "jpeg", "gif", "svg", "webp", "css", "js", "pdf"];
    let is_top = top.chars().count() >= 2 && top.chars().all(char::is_alphabetic) && !FILES.contains(&top);
    // `git@host:path` is an address of a program.
    let program = &text[at..sign] == "git";
    (is_top && !name.is_empty() && !program).then(|| found(at, domain + host.len(), Mask::Email))?
}

/// A token: with a known prefix, a JWT, or a random-looking run.
pub(super) fn token(text: &str, at: usize) -> Option<Found> {
    let bytes = text.as_bytes();
    // A token begins where its run begins: the part after a slash or dash was examined with the run.
    let rest = &text[at..];
    let shown = &bytes[at..bytes.len().min(at + LOOKAHEAD)];
    let length = shown.iter().take_while(|byte| is_of_token(**byte)).count();
    let whole = || run(text, at, is_of_token);
    let trimmed = |end: usize| text[at..end].trim_end_matches(['.', '-', '/']).len() + at;
    if PREFIXES
        .iter()
        .any(|prefix| rest.starts_with(prefix) && is_value(&shown[prefix.len()..length.max(prefix.len())]))
    {
        return found(at, trimmed(whole()), Mask::Token);
    }
    let dots = shown[..length].iter().filter(|byte| **byte == b'.').count();
    if rest.starts_with("eyJ") && length > 20 && (dots >= 1 || length == LOOKAHEAD) {
        return found(at, trimmed(whole()), Mask::Token);
    }
    if length < SHORTEST {
        return None;
    }
    // Dots join names and parts of addresses.
    let of_run = |byte: u8| is_of_token(byte) && byte != b'.';
    let length = shown.iter().take_while(|byte| of_run(**byte)).count();
    let run_shown = &shown[..length];
    if length >= SHORTEST && looks_random(run_shown) && !is_digest(text, at, run_shown) {
        return found(at + plain_start(run_shown), run(text, at, of_run), Mask::Token);
    }
    None
}

/// Whether the bytes after a known prefix can be the rest of a token.
fn is_value(rest: &[u8]) -> bool {
    rest.len() >= 10
        && (rest.iter().any(u8::is_ascii_digit) || rest.iter().filter(|byte| byte.is_ascii_uppercase()).count() > 2)
}

/// The length of the names at the start of a run, as in `services/…` or `code=…`. Names are words in lower case.
fn plain_start(run: &[u8]) -> usize {
    let mut start = 0;
    while let Some(length) = run[start..].iter().position(|byte| matches!(byte, b'/' | b'=')) {
        let name = &run[start..start + length];
        if !name.iter().all(|byte| byte.is_ascii_lowercase() || matches!(byte, b'-' | b'_'))
            || start + length + 1 == run.len()
        {
            break;
        }
        start += length + 1;
    }
    start
}

/// Whether characters are as mixed as random ones: kinds of characters change often, and no few of them dominate.
fn looks_random(run: &[u8]) -> bool {
    let kind = |byte: u8| match byte {
        b'a'..=b'z' => 0,
        b'A'..=b'Z' => 1,
        b'0'..=b'9' => 2,
        _ => 3,
    };
    let mut counts = [0_usize; 4];
    run.iter().for_each(|byte| counts[kind(*byte)] += 1);
    let [lower, upper, digits, signs] = counts;
    if lower + upper < 3 || signs * 4 > run.len() {
        return false;
    }
    let pairs = run.windows(2).filter(|pair| kind(pair[0]) != 3 && kind(pair[1]) != 3);
    let (mut all, mut changes) = (0.0_f32, 0.0_f32);
    for pair in pairs {
        all += 1.0;
        changes += f32::from(u8::from(kind(pair[0]) != kind(pair[1])));
    }
    let rate = changes / all.max(1.0);
    let mut seen = [0_usize; 256];
    run.iter().for_each(|byte| seen[usize::from(*byte)] += 1);
    let length = run.len() as f32;
    let entropy: f32 = seen
        .iter()
        .filter(|count| **count > 0)
        .map(|count| {
            let share = *count as f32 / length;
            -share * share.log2()
        })
        .sum();
    let least = if digits >= 3 {
        0.25
    } else if digits >= 1 {
        0.33
    } else {
        0.40
    };
    rate >= least && entropy >= 3.2
}

/// Whether it is the id or the digest of something: in a UUID, or hexadecimal after a word for a digest.
fn is_digest(text: &str, at: usize, run: &[u8]) -> bool {
    const NAMES: [&str; 12] = [
        "sha",
        "sha1",
        "sha256",
        "sha512",
        "md5",
        "commit",
        "digest",
        "checksum",
        "hash",
        "revision",
        "etag",
        "fingerprint",
    ];
    // A part of a UUID begins after its start, or after one of its dashes.
    let uuid = [0, 9, 14, 19, 24].iter().filter_map(|back| at.checked_sub(*back)).any(|start| is_uuid(text, start));
    let start = (at.saturating_sub(20)..=at).find(|start| text.is_char_boundary(*start)).unwrap_or(at);
    let before = text[start..at].to_lowercase();
    let words = before.split(|char: char| !char.is_alphanumeric()).filter(|word| !word.is_empty()).rev();
    uuid || run.iter().all(u8::is_ascii_hexdigit) && words.take(2).any(|word| NAMES.contains(&word))
}

fn is_uuid(text: &str, at: usize) -> bool {
    let Some(id) = text.as_bytes().get(at..at + 36) else { return false };
    let parts = || id.split(|byte| *byte == b'-');
    parts().map(<[u8]>::len).eq([8, 4, 4, 4, 12]) && parts().all(|part| part.iter().all(u8::is_ascii_hexdigit))
}
