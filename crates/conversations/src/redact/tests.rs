//! Planted secrets and harmless look-alikes. Tokens are made here, so that no scanner takes this file for a leak.
use super::*;
use proptest::prelude::*;
use rstest::rstest;
use std::collections::BTreeMap;

/// Numbers that look random, the same in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % sides
    }

    fn word(&mut self, of: &str, length: usize) -> String {
        let of: Vec<char> = of.chars().collect();
        (0..length).map(|_| of[self.roll(of.len())]).collect()
    }

    fn pick<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.roll(of.len())]
    }
}

const DIGITS: &str = "0123456789";
const HEX: &str = "0123456789abcdef";
const MIXED: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/// The number with its check digit.
fn card(digits: &str) -> String {
    (0..10).map(|check| format!("{digits}{check}")).find(|card| luhn(card)).unwrap()
}

fn luhn(card: &str) -> bool {
    let digits = card.chars().rev().filter_map(|char| char.to_digit(10)).enumerate();
    digits.map(|(at, digit)| if at % 2 == 0 { digit } else { digit * 2 / 10 + digit * 2 % 10 }).sum::<u32>() % 10 == 0
}

fn spaced(text: &str, size: usize, gap: &str) -> String {
    text.as_bytes().chunks(size).map(|part| std::str::from_utf8(part).unwrap()).collect::<Vec<_>>().join(gap)
}

const EMAILS: [&str; 22] = [
    "ada@example.org",
    "Ada.Lovelace@example.co.uk",
    "ada+news@mail.example.com",
    "a_b-c@sub.example.io",
    "x@y.de",
    "ada.l@exämple.de",
    "o'neil@example.ie",
    "info@firma.museum",
    "USER@EXAMPLE.COM",
    "first.last.third@a.b.c.example",
    "1234567@qq.com",
    "ada%40example.org",
    "jürgen@example.de",
    "sales-team@my-shop.store",
    "n@t.co",
    "ada@example.org.",
    "\"ada@example.org\"",
    "<ada@example.org>",
    "(ada@example.org)",
    "mailto:ada@example.org",
    "ada@example.org,",
    "ada@example.org/x",
];
const PHONES: [&str; 34] = [
    "+49 151 12345678",
    "+49 (0)30 1234567",
    "+4915112345678",
    "+1 555 123 4567",
    "+1-555-123-4567",
    "(555) 123-4567",
    "555-123-4567",
    "555.123.4567",
    "555 123 4567",
    "1-800-555-0199",
    "+44 20 7946 0958",
    "020 7946 0958",
    "07700 900123",
    "+33 6 12 34 56 78",
    "06 12 34 56 78",
    "06.12.34.56.78",
    "06-12-34-56-78",
    "+34 612 345 678",
    "612 345 678",
    "+39 347 1234567",
    "+31 6 12345678",
    "06-12345678",
    "+55 11 91234-5678",
    "(11) 91234-5678",
    "+351 912 345 678",
    "0049 30 1234567",
    "030/1234567",
    "0151-12345678",
    "01512345678",
    "+91 98765 43210",
    "98765 43210",
    "+86 138 0013 8000",
    "+48 601 234 567",
    "+41 44 668 18 00",
];
/// From the examples of the standard and of banks; none is an account.
const IBANS: [&str; 16] = [
    "DE89 3704 0044 0532 0130 00",
    "DE89370400440532013000",
    "GB29 NWBK 6016 1331 9268 19",
    "GB29NWBK60161331926819",
    "FR14 2004 1010 0505 0001 3M02 606",
    "FR1420041010050500013M02606",
    "ES91 2100 0418 4502 0005 1332",
    "ES9121000418450200051332",
    "IT60 X054 2811 1010 0000 0123 456",
    "NL91 ABNA 0417 1643 00",
    "NL91ABNA0417164300",
    "CH93 0076 2011 6238 5295 7",
    "AT61 1904 3002 3457 3201",
    "BE68 5390 0754 7034",
    "PT50 0002 0123 1234 5678 9015 4",
    "nl91abna0417164300",
];
const PASSWORDS: [&str; 40] = [
    "my password is «hunter2»",
    "Password: «S3cret!»",
    "password=«letmein»",
    "the password is «sunshine».",
    "pwd: «abc123»",
    "passwd=«qwerty»",
    "Password is: «Tr0ub4dor&3»",
    "Mein Passwort ist «Geheim1!»",
    "Passwort: «geheim99»",
    "Kennwort lautet «Sommer2024»",
    "mon mot de passe est «Soleil42»",
    "mot de passe : «azerty1»",
    "mi contraseña es «Verano2024»",
    "contraseña: «perro12»",
    "minha senha é «Praia2023»",
    "senha: «senha123»",
    "la password è «Estate24»",
    "mijn wachtwoord is «Fiets2024»",
    "wachtwoord: «welkom01»",
    "passcode is «482913»",
    "passphrase: «correct-horse-9»",
    "\"password\": \"«hunter2»\"",
    "'password': '«pass word»'",
    "password «»= «x9y8z7»",
    "{\"client_secret\": \"«8f3a9c1e7b2d»\"}",
    "client_secret=«8f3a9c1e7b2d4455»",
    "api_key=«9f8e7d6c5b4a»",
    "api key: «9f8e7d6c5b4a3f2e»",
    "apikey=«9f8e7d6c5b4a»",
    "access_token=«1a2b3c4d5e6f»",
    "refresh_token=«1a2b3c4d5e6f»",
    "https://«ada:pa55»@example.org/x",
    "postgres://«octavo:octavo»@db:5432/app",
    "redis://«:secret1»@cache:6379",
    "https://example.org/login?token=«abc123def456»&next=/",
    "https://example.org/?sig=«abc123def456xyz»",
    "https://example.org/f?X-Amz-Signature=«0a1b2c3d4e5f60718293»",
    "Authorization: Bearer «abcdefgh12345678»",
    "Authorization: Basic «dXNlcjpwYXNz»",
    "curl -H 'X-Api-Key: «abcd1234efgh»'",
];

/// Texts with one secret each: the text, and the secret that must be masked.
fn planted() -> Vec<(String, String)> {
    let mut dice = Dice(41);
    let frames = ["Please use {} for it.", "{}", "My details: {}", "I wrote ({}) yesterday", "See {}, thanks"];
    let mut secrets: Vec<String> = Vec::new();
    secrets.extend(EMAILS.iter().chain(&PHONES).chain(&IBANS).map(|text| (*text).to_owned()));
    for kind in ["4", "51", "55", "2221", "6011", "34", "37", "36", "35", "65"] {
        let length = if kind.starts_with("34") || kind.starts_with("37") {
            14
        } else if kind == "36" {
            13
        } else {
            15
        };
        let number = card(&format!("{kind}{}", dice.word(DIGITS, length - kind.len())));
        secrets.push(number.clone());
        if number.len() == 16 {
            secrets.extend([spaced(&number, 4, " "), spaced(&number, 4, "-")]);
        }
    }
    for prefix in [
        "sk-",
        "sk_live_",
        "rk_test_",
        "whsec_",
        "ghp_",
        "gho_",
        "ghs_",
        "github_pat_",
        "glpat-",
        "xoxb-",
        "xoxp-",
        "AKIA",
        "ASIA",
        "AIza",
        "ya29.",
        "npm_",
        "pypi-",
        "dop_v1_",
        "SG.",
        "hf_",
        "shpat_",
        "lin_api_",
        "dckr_pat_",
        "hvs.",
        "NRAK-",
        "sntrys_",
    ] {
        secrets.push(format!("{prefix}{}7", dice.word(MIXED, 31)));
    }
    for _ in 0..12 {
        let parts: Vec<String> = [30, 60, 43].iter().map(|length| dice.word(MIXED, *length)).collect();
        secrets.push(format!("eyJ{}.eyJ{}.{}", parts[0], parts[1], parts[2]));
    }
    for length in [24, 28, 32, 36, 40, 48, 64, 88] {
        secrets.extend((0..2).map(|_| dice.word(MIXED, length)));
        secrets.push(format!("{}==", dice.word(MIXED, length)));
    }
    secrets.extend((0..8).map(|at| dice.word(HEX, if at % 2 == 0 { 32 } else { 40 })));
    let mut all: Vec<(String, String)> = secrets
        .into_iter()
        .map(|secret| {
            (
                dice.pick(&frames).replace("{}", &secret),
                secret.trim_matches(['"', '<', '>', '(', ')', ',', '.']).to_owned(),
            )
        })
        .collect();
    for kind in ["RSA PRIVATE KEY", "PRIVATE KEY", "EC PRIVATE KEY", "OPENSSH PRIVATE KEY", "PGP PRIVATE KEY BLOCK"] {
        let body = spaced(&dice.word(MIXED, 200), 64, "\n");
        all.push((format!("Key:\n-----BEGIN {kind}-----\n{body}\n-----END {kind}-----\nThat is all."), body));
    }
    for text in PASSWORDS {
        let secret = text
            .split('«')
            .filter_map(|part| part.split_once('»'))
            .map(|(secret, _)| secret)
            .find(|secret| !secret.is_empty());
        all.push((text.replace(['«', '»'], ""), secret.unwrap().to_owned()));
    }
    all
}

#[test]
fn every_planted_secret_is_masked() {
    let planted = planted();
    assert!(planted.len() >= 200, "{}", planted.len());
    let left: Vec<_> = planted.iter().filter(|(text, secret)| redact(text).contains(secret.as_str())).collect();
    println!("{} planted secrets, {} left", planted.len(), left.len());
    assert!(left.is_empty(), "{left:#?}");
}

#[test]
fn harmless_look_alikes_stay() {
    let harmless: Vec<&str> = include_str!("harmless.txt").lines().collect();
    assert!(harmless.len() >= 200, "{}", harmless.len());
    let masked: BTreeMap<&str, String> = harmless
        .iter()
        .filter_map(|text| match redact(text) {
            Cow::Borrowed(_) => None,
            Cow::Owned(masked) => Some((*text, masked)),
        })
        .collect();
    println!("{} look-alikes, {} masked", harmless.len(), masked.len());
    assert!(masked.len() * 50 <= harmless.len(), "{masked:#?}");
}

#[rstest]
#[case("Write to ada@example.org or call +49 151 12345678.", "Write to [email] or call [phone].")]
#[case("Card 4111 1111 1111 1111, exp 12/27", "Card [card], exp 12/27")]
#[case("IBAN DE89 3704 0044 0532 0130 00 at my bank", "IBAN [iban] at my bank")]
#[case("password: hunter2 does not work", "password: [password] does not work")]
#[case("my password is not accepted", "my password is not accepted")]
#[case("I forgot my password", "I forgot my password")]
#[case("Authorization: Bearer abcdefgh12345678\nAccept: */*", "Authorization: Bearer [token]\nAccept: */*")]
#[case("-----BEGIN PRIVATE KEY-----\nabc", "[key]")]
#[case(
    "https://hooks.example.com/services/T0A1B2C3D4/B5E6F7G8H9/x1Y2z3A4",
    "https://hooks.example.com/services/[token]"
)]
#[case("my pin is 4821, call me at 5551234567", "my pin is [password], call me at [phone]")]
#[case("Basic dXNlcjpwYXNzd29yZA==", "Basic [token]")]
#[case("grüße an jürgen@example.de", "grüße an [email]")]
#[case("[email] and [phone]", "[email] and [phone]")]
#[case("Write to grace&#64;example&#46;org.", "Write to [email].")]
#[case("&#x67;race&commat;example&period;org", "[email]")]
#[case("Tom &amp; Ann &#8212; 5 &lt; 7 &#64; noon &", "Tom &amp; Ann &#8212; 5 &lt; 7 &#64; noon &")]
fn a_mask_replaces_a_secret(#[case] text: &str, #[case] expected: &str) {
    assert_eq!(redact(text), expected);
}

#[rstest]
#[case(
    "https://ada:secret@example.org/?token=abc123def456",
    "https://%5Bpassword%5D@example.org/?token=%5Bpassword%5D"
)]
#[case("https://example.org/users/ada@example.org", "https://example.org/users/%5Bemail%5D")]
#[case("https://example.org/tickets/12345", "https://example.org/tickets/12345")]
fn an_address_stays_an_address(#[case] address: &str, #[case] expected: &str) {
    assert_eq!(redact_address(address), expected);
}

#[rstest]
#[case("a@")]
#[case("a.")]
#[case("a/")]
#[case("-----BEGIN PRIVATE KEY----- ")]
#[case("-----BEGIN ")]
#[case("http://")]
#[case("password is ")]
#[case("token=")]
#[case("1 ")]
#[case("12-")]
#[case("+1")]
#[case("(")]
#[case("DE89 ")]
#[case("eyJ.")]
#[case("é")]
#[case("日")]
#[case("bearer ")]
#[case("aA1")]
#[case("&#6")]
#[case("&#64;")]
fn a_long_text_takes_linear_time(#[case] part: &str) {
    let time = |length: usize| {
        let text = part.repeat(length / part.len());
        let start = std::time::Instant::now();
        let _ = redact(&text);
        start.elapsed()
    };
    // 100,000 characters; far below what quadratic time would take.
    let long = time(100_000);
    assert!(long < std::time::Duration::from_secs(3), "{part:?}: {long:?}");
}

proptest! {
    #[test]
    fn a_masked_text_stays_as_it_is(text in "\\PC{0,200}|([a-z0-9@.:=+/ -]|password is |token=|eyJ|https://){0,60}") {
        let once = redact(&text).into_owned();
        prop_assert_eq!(redact(&once).into_owned(), once);
    }
}
