//! Tokens that must be refused: attacks that are known from other verifiers, and tokens that are only odd.
use super::TokenFault::{self, *};
use super::{LEEWAY, MAX_TOKEN};
use crate::site::publishing_auth::{PublishingAuth, VisitorKey, VisitorKeyDeriver};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::{DateTime, Utc};
use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Value, json};
use sha2::{Digest, Sha256, Sha384, Sha512};

/// A token and why it is refused.
pub(super) struct Sample {
    pub(super) name: &'static str,
    pub(super) token: String,
    pub(super) fault: TokenFault,
}

const HEADER: &str = r#"{"alg":"HS256","typ":"JWT"}"#;

pub(super) fn now() -> DateTime<Utc> {
    DateTime::from_timestamp(1_700_000_000, 0).expect("a time")
}

fn auth(site: &str) -> PublishingAuth {
    PublishingAuth::new(site.parse().expect("an id"))
}

/// The key of the site.
pub(super) fn key() -> VisitorKey {
    VisitorKeyDeriver::new(&[7; 32]).key(&auth("docs"))
}

fn encoded(bytes: impl AsRef<[u8]>) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

/// HMAC-SHA256.
fn mac(key: &[u8], text: &str) -> Vec<u8> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("any length");
    mac.update(text.as_bytes());
    mac.finalize().into_bytes().to_vec()
}

/// A token of these bytes, signed with this key.
fn signed(key: &[u8], header: impl AsRef<[u8]>, payload: impl AsRef<[u8]>) -> String {
    let text = format!("{}.{}", encoded(header), encoded(payload));
    let signature = mac(key, &text);
    format!("{text}.{}", encoded(signature))
}

/// A token signed with the key of a site.
pub(in crate::site) fn signed_by(key: &VisitorKey, header: &str, payload: &str) -> String {
    signed(key.reveal().as_bytes(), header, payload)
}

/// Claims whose times, in seconds, are relative to [`now`].
pub(super) fn payload(claims: &Value) -> Value {
    let mut claims = claims.clone();
    for name in ["exp", "nbf", "iat"] {
        if let Some(time) = claims.get_mut(name) {
            *time = match (time.as_i64(), time.as_f64()) {
                (Some(seconds), _) => json!(now().timestamp() + seconds),
                (None, Some(seconds)) => json!(now().timestamp() as f64 + seconds),
                _ => time.clone(),
            };
        }
    }
    claims
}

/// The claims of a good token.
fn good() -> String {
    payload(&json!({"iat": -60, "exp": 3600, "sub": "ada"})).to_string()
}

/// A good token.
fn token() -> String {
    signed_by(&key(), HEADER, &good())
}

/// The three parts of a good token.
fn parts() -> [String; 3] {
    let token = token();
    let parts: Vec<String> = token.split('.').map(str::to_owned).collect();
    parts.try_into().expect("three parts")
}

fn with_header(name: &'static str, fault: TokenFault, header: impl AsRef<[u8]>) -> Sample {
    Sample { name, fault, token: signed(key().reveal().as_bytes(), header, good()) }
}

fn with_payload(name: &'static str, fault: TokenFault, payload: impl AsRef<[u8]>) -> Sample {
    Sample { name, fault, token: signed(key().reveal().as_bytes(), HEADER, payload) }
}

/// A token whose times are relative to [`now`].
fn with_claims(name: &'static str, fault: TokenFault, claims: Value) -> Sample {
    with_payload(name, fault, payload(&claims).to_string())
}

fn with_key(name: &'static str, key: impl AsRef<[u8]>) -> Sample {
    Sample { name, fault: Signature, token: signed(key.as_ref(), HEADER, good()) }
}

/// A token that names another key in its header and is signed with it.
fn with_named_key(name: &'static str, member: &str, key: &[u8]) -> Sample {
    let header = format!(r#"{{"alg":"HS256","typ":"JWT",{member}}}"#);
    Sample { name, fault: Signature, token: signed(key, header, good()) }
}

fn with_signature(name: &'static str, fault: TokenFault, signature: &str) -> Sample {
    let [header, payload, _] = parts();
    Sample { name, fault, token: format!("{header}.{payload}.{signature}") }
}

pub(super) fn hostile() -> Vec<Sample> {
    [form(), algorithms(), headers(), keys(), signatures(), payloads(), times()].into_iter().flatten().collect()
}

fn form() -> Vec<Sample> {
    let [h, p, s] = parts();
    let token = token();
    let long = |length: usize| {
        with_payload("", TooLong, json!({"exp": 1_800_000_000, "pad": "x".repeat(length)}).to_string()).token
    };
    let too_long = (6000..6200).map(long).find(|token| token.len() == MAX_TOKEN + 1).expect("a length that fits");
    let odd = |name, fault, token: String| Sample { name, fault, token };
    // A signature with characters that the alphabets of base64 do not share.
    let dashed = (0..100).map(|n| with_claims("", Encoding, json!({"exp": 60, "n": n})).token);
    let dashed =
        dashed.map(|token| token.rsplit_once('.').map(|(text, signature)| (text.to_owned(), signature.to_owned())));
    let (text, signature) = dashed.flatten().find(|(_, s)| s.contains(['-', '_'])).expect("one of a hundred");
    vec![
        odd("nothing", NotCompact, String::new()),
        odd("a dot", NotCompact, ".".into()),
        odd("two dots", NotCompact, "..".into()),
        odd("a word", NotCompact, "token".into()),
        odd("a header alone", NotCompact, h.clone()),
        odd("no signature", NotCompact, format!("{h}.{p}")),
        odd("an empty signature", NotCompact, format!("{h}.{p}.")),
        odd("an empty header", NotCompact, format!(".{p}.{s}")),
        odd("empty claims", NotCompact, format!("{h}..{s}")),
        odd("four parts", NotCompact, format!("{token}.{s}")),
        odd("five parts, as of an encrypted token", NotCompact, format!("{h}.{p}.{p}.{p}.{s}")),
        odd("an empty first part", NotCompact, format!(".{token}")),
        odd("the flattened JSON form", NotCompact, json!({"protected": h, "payload": p, "signature": s}).to_string()),
        odd(
            "the general JSON form",
            NotCompact,
            json!({"payload": p, "signatures": [{"protected": h, "signature": s}]}).to_string(),
        ),
        odd("dots in percent encoding", NotCompact, token.replace('.', "%2E")),
        odd("full-width dots", NotCompact, token.replace('.', "．")),
        odd("a space before it", Encoding, format!(" {token}")),
        odd("a space after it", Encoding, format!("{token} ")),
        odd("a line feed after it", Encoding, format!("{token}\n")),
        odd("a null character after it", Encoding, format!("{token}\0")),
        odd("a line feed in the claims", Encoding, format!("{h}.{}\n{}.{s}", &p[..8], &p[8..])).resigned(),
        odd("the name of the scheme before it", Encoding, format!("Bearer {token}")),
        odd("quotes around it", Encoding, format!("\"{token}\"")),
        odd("a byte order mark before it", Encoding, format!("\u{feff}{token}")),
        odd("two tokens in a list", NotCompact, format!("{token},{token}")),
        odd("a padded header", Encoding, format!("{h}=.{p}.{s}")),
        odd("padded claims", Encoding, format!("{h}.{p}==.{s}")).resigned(),
        odd("a padded signature", Encoding, format!("{token}=")),
        odd("the other alphabet", Encoding, format!("{text}.{}", signature.replace('-', "+").replace('_', "/"))),
        odd("letters that are not ASCII", Encoding, format!("{h}.{p}é.{s}")).resigned(),
        odd("a byte too long", TooLong, too_long),
        odd("a megabyte", TooLong, long(1024 * 1024)),
    ]
}

impl Sample {
    /// The same token with a signature that is right.
    fn resigned(mut self) -> Self {
        let (text, _) = self.token.rsplit_once('.').expect("a part");
        self.token = format!("{text}.{}", encoded(mac(key().reveal().as_bytes(), text)));
        self
    }
}

fn algorithms() -> Vec<Sample> {
    let key = key();
    let named = |algorithm: &str| {
        format!("{}.{}", encoded(json!({"alg": algorithm, "typ": "JWT"}).to_string()), encoded(good()))
    };
    let sample = |name, algorithm: &str, signature: &[u8]| Sample {
        name,
        fault: Algorithm,
        token: format!("{}.{}", named(algorithm), encoded(signature)),
    };
    let mut long = Hmac::<Sha384>::new_from_slice(key.reveal().as_bytes()).expect("any length");
    long.update(named("HS384").as_bytes());
    let mut longer = Hmac::<Sha512>::new_from_slice(key.reveal().as_bytes()).expect("any length");
    longer.update(named("HS512").as_bytes());
    vec![
        Sample { name: "none, unsigned", fault: NotCompact, token: format!("{}.", named("none")) },
        with_header("none, signed", Algorithm, r#"{"alg":"none"}"#),
        with_header("None", Algorithm, r#"{"alg":"None"}"#),
        with_header("NONE", Algorithm, r#"{"alg":"NONE"}"#),
        with_header("nOnE", Algorithm, r#"{"alg":"nOnE"}"#),
        with_header("an empty algorithm", Algorithm, r#"{"alg":""}"#),
        with_header("no algorithm", Algorithm, r#"{"typ":"JWT"}"#),
        with_header("an algorithm of null", Algorithm, r#"{"alg":null}"#),
        with_header("an algorithm of a number", Algorithm, r#"{"alg":256}"#),
        with_header("a list of algorithms", Algorithm, r#"{"alg":["HS256"]}"#),
        with_header("the algorithm in lower case", Algorithm, r#"{"alg":"hs256"}"#),
        with_header("a space after the algorithm", Algorithm, r#"{"alg":"HS256 "}"#),
        with_header("a null character after the algorithm", Algorithm, r#"{"alg":"HS256\u0000"}"#),
        with_header("the name in upper case", Algorithm, r#"{"ALG":"HS256"}"#),
        sample("HS384, signed with it", "HS384", &long.finalize().into_bytes()),
        sample("HS512, signed with it", "HS512", &longer.finalize().into_bytes()),
        with_header("RS256, signed with HS256", Algorithm, r#"{"alg":"RS256"}"#),
        sample("RS256, with a signature of its length", "RS256", &[1; 256]),
        sample("PS256", "PS256", &[1; 256]),
        sample("ES256, with a signature of zeros", "ES256", &[0; 64]),
        sample("EdDSA", "EdDSA", &[1; 64]),
        with_header("an algorithm of encryption", Algorithm, r#"{"alg":"dir","enc":"A256GCM"}"#),
        with_header("HS256, then none", Repeated, r#"{"alg":"HS256","alg":"none"}"#),
        with_header("none, then HS256", Repeated, r#"{"alg":"none","alg":"HS256"}"#),
        with_header("the algorithm again, with an escape", Repeated, r#"{"alg":"HS256","\u0061lg":"HS256"}"#),
    ]
}

fn headers() -> Vec<Sample> {
    let utf16: Vec<u8> = HEADER.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let deep = format!(r#"{{"alg":"HS256","x":{}{}}}"#, "[".repeat(1000), "]".repeat(1000));
    vec![
        with_header("a header that is no JSON", NotAnObject, "alg=HS256"),
        with_header("a list as header", NotAnObject, r#"["HS256"]"#),
        with_header("a string as header", NotAnObject, r#""HS256""#),
        with_header("a header with more after it", NotAnObject, format!("{HEADER}{HEADER}")),
        with_header("a header with a comment", NotAnObject, r#"{"alg":"HS256"/**/}"#),
        with_header("a header with a comma at its end", NotAnObject, r#"{"alg":"HS256",}"#),
        with_header("a header in UTF-16", NotAnObject, utf16),
        with_header("a header with a byte that is no UTF-8", NotAnObject, b"{\"alg\":\"HS256\",\"kid\":\"\xff\"}"),
        with_header("a deep header", NotAnObject, deep),
        with_header("the id of a key twice", Repeated, r#"{"alg":"HS256","kid":"a","kid":"b"}"#),
        with_header("an encrypted token", Type, r#"{"alg":"HS256","typ":"JWE"}"#),
        with_header("an access token", Type, r#"{"alg":"HS256","typ":"at+jwt"}"#),
        with_header("a type that is no string", Type, r#"{"alg":"HS256","typ":1}"#),
        with_header("a token in a token", Type, r#"{"alg":"HS256","cty":"JWT"}"#),
        with_header("an unknown critical extension", Critical, r#"{"alg":"HS256","crit":["x"],"x":1}"#),
        with_header("a known critical claim", Critical, r#"{"alg":"HS256","crit":["exp"],"exp":1}"#),
        with_header("no critical extensions", Critical, r#"{"alg":"HS256","crit":[]}"#),
        with_header("critical extensions of null", Critical, r#"{"alg":"HS256","crit":null}"#),
        with_header("claims that are not encoded", Critical, r#"{"alg":"HS256","b64":false,"crit":["b64"]}"#),
    ]
}

fn keys() -> Vec<Sample> {
    let key = key();
    let key = key.reveal();
    let mut regenerated = auth("docs");
    regenerated.regenerate();
    let deriver = VisitorKeyDeriver::new(&[7; 32]);
    let jwk = format!(r#""jwk":{{"kty":"oct","k":"{}"}}"#, encoded("chosen"));
    vec![
        with_key("the key of another site", deriver.key(&auth("blog")).reveal()),
        with_key("another key of the site", deriver.key(&regenerated).reveal()),
        with_key("the key of another instance", VisitorKeyDeriver::new(&[8; 32]).key(&auth("docs")).reveal()),
        with_key("an empty key", ""),
        with_key("the key with a line feed", format!("{key}\n")),
        with_key("the key without its prefix", key.trim_start_matches("octavo_visitor_")),
        with_key("the key in lower case", key.to_lowercase()),
        with_key("the hash of the key", Sha256::digest(key)),
        with_key("the id of the site", "docs"),
        with_key("a weak key", "secret"),
        with_named_key("a file as key", r#""kid":"../../../dev/null""#, b""),
        with_named_key("a query as key", r#""kid":"x' UNION SELECT 'chosen'--""#, b"chosen"),
        with_named_key("a key in the header", &jwk, b"chosen"),
        with_named_key("the address of keys in the header", r#""jku":"https://evil.example/keys.json""#, b"chosen"),
        with_named_key("a certificate in the header", r#""x5c":["Y2hvc2Vu"]"#, b"chosen"),
    ]
}

fn signatures() -> Vec<Sample> {
    let [h, p, s] = parts();
    let text = format!("{h}.{p}");
    let right = mac(key().reveal().as_bytes(), &text);
    let flipped = |index: usize, bit: u8| {
        let mut wrong = right.clone();
        wrong[index] ^= bit;
        encoded(wrong)
    };
    let other = with_claims("", Signature, json!({"exp": 60})).token;
    let other = other.rsplit('.').next().expect("a part").to_owned();
    // The last character has two bits that no byte has.
    let last = s.chars().last().expect("a character") as u8;
    let loose = format!("{}{}", &s[..s.len() - 1], char::from(last + 1));
    let over_json = mac(key().reveal().as_bytes(), &format!("{HEADER}.{}", good()));
    vec![
        with_signature("the signature of other claims", Signature, &other),
        with_signature("the first bit changed", Signature, &flipped(0, 0x80)),
        with_signature("the last bit changed", Signature, &flipped(31, 1)),
        with_signature("half a signature", Signature, &encoded(&right[..16])),
        with_signature("a signature with a byte more", Signature, &encoded([&right[..], &[0]].concat())),
        with_signature("a signature of zeros", Signature, &encoded([0; 32])),
        with_signature("a signature of the claims alone", Signature, &encoded(mac(key().reveal().as_bytes(), &p))),
        with_signature("a hash without a key", Signature, &encoded(Sha256::digest(&text))),
        with_signature("a signature of the JSON", Signature, &encoded(over_json)),
        with_signature("a signature with loose bits", Encoding, &loose),
    ]
}

fn payloads() -> Vec<Sample> {
    let deep = format!(r#"{{"exp":1800000000,"x":{}{}}}"#, "[".repeat(1000), "]".repeat(1000));
    vec![
        with_payload("claims that are no JSON", NotAnObject, "sub=ada&exp=1800000000"),
        with_payload("a list as claims", NotAnObject, r#"[{"exp":1800000000}]"#),
        with_payload("claims of null", NotAnObject, "null"),
        with_payload("claims with more after them", NotAnObject, r#"{"exp":1800000000}{}"#),
        with_payload("claims with half a character", NotAnObject, r#"{"exp":1800000000,"sub":"\ud800"}"#),
        with_payload("deep claims", NotAnObject, deep),
        with_payload("an expiry twice", Repeated, r#"{"exp":1,"exp":1800000000}"#),
        with_payload("an expiry again, with an escape", Repeated, r#"{"exp":1800000000,"\u0065xp":1800000000}"#),
        with_payload("a claim twice in an object", Repeated, r#"{"exp":1800000000,"a":{"plan":"free","plan":"pro"}}"#),
    ]
}

fn times() -> Vec<Sample> {
    let later = LEEWAY.num_seconds() + 1;
    vec![
        with_claims("no expiry", NoExpiry, json!({"sub": "ada"})),
        with_claims("an expiry of null", NotATime, json!({"exp": null})),
        with_claims("an expiry of a string", NotATime, json!({"exp": "1800000000"})),
        with_claims("an expiry in milliseconds", NotATime, json!({"exp": 1_800_000_000_000_i64})),
        with_claims("an expiry now", Expired, json!({"exp": 0})),
        with_claims("an expiry an hour ago", Expired, json!({"exp": -3600})),
        with_claims("a start in the future", NotYetValid, json!({"nbf": later, "exp": 3600})),
        with_claims("a start of a string", NotATime, json!({"nbf": "0", "exp": 3600})),
        with_claims("issued in the future", IssuedLater, json!({"iat": later, "exp": 3600})),
        with_claims("issued at a string", NotATime, json!({"iat": "now", "exp": 3600})),
        with_claims("issued at true", NotATime, json!({"iat": true, "exp": 3600})),
        with_claims("an end before the start", NeverValid, json!({"nbf": 50, "exp": 40})),
    ]
}
