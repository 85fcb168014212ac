//! The secret of a webhook, and the signature of a request.
use super::Webhook;
use crate::id::DeliveryId;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::{DateTime, Utc};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use std::fmt::{self, Write};

/// The prefix of a secret, so that scanners for leaked secrets recognize it.
const PREFIX: &str = "octavo_webhook_";
/// The version of the signature.
const VERSION: &str = "v1";

/// Computes the secrets of webhooks.
///
/// A secret is computed from a random value of the webhook and a key outside the database. So the server does not store
/// secrets, and a copy of the database reveals none.
#[derive(Clone)]
pub struct WebhookSecretDeriver {
    key: [u8; 32],
}

impl fmt::Debug for WebhookSecretDeriver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WebhookSecretDeriver(..)")
    }
}

impl WebhookSecretDeriver {
    /// Derives the key from the instance's secret.
    pub fn new(secret: &[u8; 32]) -> Self {
        Self { key: blake3::derive_key("octavo 2026 secrets of webhooks", secret) }
    }

    /// The secret of a webhook.
    pub fn secret(&self, webhook: &Webhook) -> WebhookSecret {
        let mut hasher = blake3::Hasher::new_keyed(&self.key);
        hasher.update(&webhook.salt).update(webhook.id.as_str().as_bytes());
        WebhookSecret(format!("{PREFIX}{}", URL_SAFE_NO_PAD.encode(hasher.finalize().as_bytes())))
    }
}

/// The secret that the server and the receiver share. Its `Debug` output does not show it.
#[derive(Clone, PartialEq, Eq)]
pub struct WebhookSecret(String);

impl fmt::Debug for WebhookSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WebhookSecret(..)")
    }
}

impl WebhookSecret {
    /// The secret as text. The API returns it only once.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// The signature of a request: `v1=` and the HMAC-SHA256 of `{id}.{timestamp}.{body}` in hexadecimal. The time is
    /// in seconds since 1970.
    pub fn sign(&self, id: &DeliveryId, at: DateTime<Utc>, body: &[u8]) -> String {
        let mut mac = Hmac::<Sha256>::new_from_slice(self.0.as_bytes()).expect("a key can have any length");
        mac.update(format!("{id}.{}.", at.timestamp()).as_bytes());
        mac.update(body);
        mac.finalize().into_bytes().iter().fold(format!("{VERSION}="), |mut text, byte| {
            let _infallible = write!(text, "{byte:02x}");
            text
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_webhook_and_each_random_value_has_its_own_secret() {
        let deriver = WebhookSecretDeriver::new(&[7; 32]);
        let secret = deriver.secret(&Webhook::sample("a", 1));
        assert_eq!(deriver.secret(&Webhook::sample("a", 1)), secret);
        assert!(secret.reveal().starts_with("octavo_webhook_") && secret.reveal().len() == 58);
        for other in [deriver.secret(&Webhook::sample("b", 1)), deriver.secret(&Webhook::sample("a", 2))] {
            assert_ne!(other, secret);
        }
        assert_ne!(WebhookSecretDeriver::new(&[8; 32]).secret(&Webhook::sample("a", 1)), secret, "another instance");
    }

    /// The expected value is from another program: `printf 'd.1700000000.{}' | openssl dgst -sha256 -hmac secret`.
    #[test]
    fn a_signature_can_be_verified_with_any_tool() {
        let at = DateTime::from_timestamp(1_700_000_000, 999_000_000).unwrap();
        let signature = WebhookSecret("secret".to_owned()).sign(&"d".parse().unwrap(), at, b"{}");
        assert_eq!(signature, "v1=ece328292c5e1dc20f27169db7ba374422873035509a9b36686ff089c1949774");
    }

    #[test]
    fn debug_output_does_not_show_secrets() {
        let deriver = WebhookSecretDeriver::new(&[7; 32]);
        let secret = deriver.secret(&Webhook::sample("a", 1));
        assert_eq!(format!("{deriver:?} {secret:?}"), "WebhookSecretDeriver(..) WebhookSecret(..)");
    }
}
