//! How many requests to webhooks a server sends at the same time. A request to an address that does not respond runs
//! until its deadline, so each webhook and each organization has a limit. An organization may use half of the requests
//! that other organizations leave. So three organizations whose webhooks do not respond cannot use all requests.
use super::Delivery;
use crate::id::{OrganizationId, WebhookId};
use std::collections::BTreeSet;

/// The most requests of a server at the same time.
pub const REQUESTS: usize = 8;
/// The most of them to one webhook.
const TO_WEBHOOK: usize = 2;

/// The webhook that gets a request, and its organization.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "see the type")]
pub struct Recipient {
    pub webhook: WebhookId,
    pub organization: OrganizationId,
}

impl From<Delivery> for Recipient {
    fn from(delivery: Delivery) -> Self {
        Self { webhook: delivery.webhook, organization: delivery.organization }
    }
}

/// The requests that a server sends now.
#[derive(Debug, Default)]
pub struct Running(Vec<Recipient>);

/// Webhooks and organizations to which a server sends no further request at present.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "see the type")]
pub struct Full {
    pub webhooks: BTreeSet<WebhookId>,
    pub organizations: BTreeSet<OrganizationId>,
}

impl Running {
    /// A request begins.
    pub fn begin(&mut self, recipient: Recipient) {
        self.0.push(recipient);
    }

    /// A request has ended.
    pub fn end(&mut self, recipient: &Recipient) {
        if let Some(at) = self.0.iter().position(|one| one == recipient) {
            self.0.swap_remove(at);
        }
    }

    /// The webhooks and organizations that have reached their limit.
    pub fn full(&self) -> Full {
        let to_webhook = |one: &&Recipient| self.0.iter().filter(|other| other.webhook == one.webhook).count();
        let to_organization =
            |one: &&Recipient| self.0.iter().filter(|other| other.organization == one.organization).count();
        let webhooks = self.0.iter().filter(|one| to_webhook(one) >= TO_WEBHOOK);
        let organizations = self.0.iter().filter(|one| {
            let own = to_organization(one);
            own >= organization_limit(self.0.len() - own)
        });
        Full {
            webhooks: webhooks.map(|one| one.webhook.clone()).collect(),
            organizations: organizations.map(|one| one.organization.clone()).collect(),
        }
    }
}

/// The most concurrent requests for an organization, while `others` requests run for other organizations.
fn organization_limit(others: usize) -> usize {
    (REQUESTS.saturating_sub(others) / 2).max(1)
}

impl Full {
    /// Whether every webhook may get a request.
    pub fn is_empty(&self) -> bool {
        self.webhooks.is_empty() && self.organizations.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recipient(webhook: &str, organization: &str) -> Recipient {
        Recipient { webhook: webhook.parse().unwrap(), organization: organization.parse().unwrap() }
    }

    #[test]
    fn webhooks_and_organizations_have_limits() {
        let mut running = Running::default();
        assert!(running.full().is_empty());
        for webhook in ["a", "a", "b"] {
            running.begin(recipient(webhook, "o"));
        }
        let full = running.full();
        assert_eq!((full.webhooks.len(), full.organizations.len()), (1, 0), "{full:?}");
        assert!(full.webhooks.contains(&"a".parse().unwrap()));
        running.begin(recipient("c", "o"));
        assert!(running.full().organizations.contains(&"o".parse().unwrap()));
        running.end(&recipient("a", "o"));
        assert!(running.full().is_empty());
    }

    #[test]
    fn three_organizations_cannot_use_all_requests() {
        let mut running = Running::default();
        // Each organization begins as many requests as it may, each to a webhook below its limit; and again after some
        // have ended.
        for (turn, organization) in ["a", "b", "c", "a", "b", "c"].into_iter().enumerate() {
            for number in 0..REQUESTS {
                if !running.full().organizations.contains(&organization.parse().unwrap()) {
                    running.begin(recipient(&format!("{organization}{turn}-{number}"), organization));
                }
                assert!(running.0.len() < REQUESTS, "{running:?}");
            }
            if turn == 0 {
                assert_eq!(running.0.len(), REQUESTS / 2, "an organization has half of the requests");
            }
            if turn == 2 {
                running.end(&recipient("a0-0", "a"));
                running.end(&recipient("b1-0", "b"));
            }
        }
    }
}
