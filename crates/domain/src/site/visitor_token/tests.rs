use super::corpus::{Sample, hostile, key, now, payload, signed_by};
use super::*;
use proptest::prelude::*;
use rstest::rstest;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};

fn verify(token: &str) -> Result<SignedClaims, TokenFault> {
    SignedClaims::verify(token, &key(), now())
}

#[test]
fn all_122_hostile_and_odd_tokens_are_refused_each_for_its_own_reason() {
    let corpus = hostile();
    let names: BTreeSet<&str> = corpus.iter().map(|sample| sample.name).collect();
    let tokens: BTreeMap<&str, &str> = corpus.iter().map(|sample| (sample.token.as_str(), sample.name)).collect();
    assert_eq!((corpus.len(), names.len(), tokens.len()), (122, 122, 122), "a name or a token is repeated");
    let wrong: Vec<String> = corpus
        .iter()
        .filter(|Sample { token, fault, .. }| verify(token) != Err(*fault))
        .map(|sample| format!("{}: {:?}, not {:?}", sample.name, verify(&sample.token), sample.fault))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_fault_has_a_token() {
    let found: BTreeSet<String> = hostile().iter().map(|sample| format!("{:?}", sample.fault)).collect();
    assert_eq!(found.len(), 15, "{found:?}");
}

const HEADER: &str = r#"{"alg":"HS256","typ":"JWT"}"#;

/// A token of exactly [`MAX_TOKEN`] bytes.
fn longest() -> String {
    let long = |length: usize| {
        signed_by(&key(), HEADER, &json!({"exp": now().timestamp() + 60, "pad": "x".repeat(length)}).to_string())
    };
    (6000..6200).map(long).find(|token| token.len() == MAX_TOKEN).expect("a length that fits")
}

#[rstest]
#[case::as_libraries_make_them(HEADER, json!({"iat": -60, "exp": 3600, "sub": "ada"}))]
#[case::without_a_type(r#"{"alg":"HS256"}"#, json!({"exp": 3600}))]
#[case::with_its_type_in_lower_case(r#"{"typ":"jwt","alg":"HS256"}"#, json!({"exp": 3600}))]
#[case::with_the_id_of_a_key(r#"{"alg":"HS256","kid":"2026-11"}"#, json!({"exp": 3600}))]
#[case::with_a_fraction_of_a_second(HEADER, json!({"iat": -0.5, "exp": 0.5}))]
#[case::valid_in_a_minute(HEADER, json!({"nbf": 60, "exp": 3600}))]
#[case::issued_in_a_minute(HEADER, json!({"iat": 60, "exp": 3600}))]
#[case::with_claims_of_all_types(HEADER, json!({"exp": 3600, "a": {"b": [null, true, -1.5, "é日"]}, "c": {"b": 1}}))]
fn a_good_token_is_accepted_with_its_claims(#[case] header: &str, #[case] times: serde_json::Value) {
    let claims = payload(&times);
    let token = signed_by(&key(), header, &claims.to_string());
    let accepted = verify(&token).unwrap();
    assert_eq!(Value::from(accepted.claims().clone()), claims);
    let until = accepted.expires_at() - TimeDelta::milliseconds(1);
    assert!(SignedClaims::verify(&token, &key(), until).is_ok(), "it is valid until it expires");
    assert_eq!(SignedClaims::verify(&token, &key(), accepted.expires_at()), Err(TokenFault::Expired));
}

#[test]
fn the_longest_token_is_accepted() {
    assert!(verify(&longest()).is_ok());
}

/// The signature is from another program: `printf HEADER.CLAIMS | openssl dgst -sha256 -hmac secret -binary | basenc
/// --base64url`.
#[test]
fn a_token_of_another_program_is_accepted() {
    let text = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiJhZGEiLCJleHAiOjE3OTk5OTk5OTl9";
    let token = format!("{text}.gU734CnNSqg1mcNQeO3Y8V91PAtmelyXJFOg0cZao5Y");
    let accepted = SignedClaims::verify(&token, &VisitorKey::chosen("secret"), now()).unwrap();
    assert_eq!(accepted.claims()["sub"], "ada");
}

proptest! {
    #[test]
    fn a_token_with_a_changed_character_is_refused(at in any::<prop::sample::Index>(), replacement in "[A-Za-z0-9_.=-]") {
        let token = signed_by(&key(), HEADER, &payload(&json!({"exp": 3600})).to_string());
        let at = at.index(token.len());
        let mut changed = token.clone();
        changed.replace_range(at..=at, &replacement);
        prop_assume!(changed != token);
        prop_assert!(verify(&changed).is_err());
    }

    #[test]
    fn no_text_is_a_token(text in "[A-Za-z0-9_.-]{0,200}|\\PC{0,60}") {
        prop_assert!(verify(&text).is_err());
    }
}
