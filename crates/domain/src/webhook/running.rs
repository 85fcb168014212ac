//! How many requests to webhooks a server sends at the same time. An address that does not respond holds a request until
//! its deadline, so each webhook and each organization has a part of the requests only. The part of an organization is
//! half of what the others leave. So three organizations whose webhooks do not respond leave requests to others.
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

    /// Who gets as many requests as allowed.
    pub fn full(&self) -> Full {
        let to_webhook = |one: &&Recipient| self.0.iter().filter(|other| other.webhook == one.webhook).count();
        let to_organization =
            |one: &&Recipient| self.0.iter().filter(|other| other.organization == one.organization).count();
        let webhooks = self.0.iter().filter(|one| to_webhook(one) >= TO_WEBHOOK);
        let organizations = self.0.iter().filter(|one| {
            let own = to_organization(one);
            own >= part(self.0.len() - own)
        });
        Full {
            webhooks: webhooks.map(|one| one.webhook.clone()).collect(),
            organizations: organizations.map(|one| one.organization.clone()).collect(),
        }
    }
}

/// The most requests to the webhooks of an organization while there are `others` to those of other organizations.
fn part(others: usize) -> usize {
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
    fn a_webhook_has_a_part_of_its_organizations_requests_which_are_a_part_of_all() {
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
    fn three_organizations_cannot_hold_all_requests_together() {
        let mut running = Running::default();
        // Each begins as many requests as it may, to webhooks of which none is full; and again, after some have ended.
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
