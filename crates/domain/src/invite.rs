//! Invite links: anyone who has the link can accept it.
use crate::access::Role;
use crate::event::Audited;
use crate::id::{InviteId, OrganizationId, UserId};
use crate::place::PlaceId;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::{DateTime, Utc};
use serde_json::{Value, json};
use std::fmt;
use subtle::ConstantTimeEq;

/// The access that a user gets by accepting an invite.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InviteGrant {
    /// A role in the organization; `None` makes a guest.
    Organization(Option<Role>),
    /// A level on a space or a collection; a user who is not a member of the organization becomes a guest of it.
    Place(PlaceId, Role),
}

impl InviteGrant {
    /// The role in the organization, or the level on the place.
    pub fn role(&self) -> Option<Role> {
        match self {
            Self::Organization(role) => *role,
            Self::Place(_, level) => Some(*level),
        }
    }
}

/// An invite that anyone who has its code can accept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkInvite {
    /// The handle; it does not grant access by itself.
    pub id: InviteId,
    /// The organization that the user joins.
    pub organization: OrganizationId,
    /// The access that the invite grants.
    pub grant: InviteGrant,
    /// The user who created the invite, or last changed its grant; absent for the server's operator. The invite is
    /// valid only while this user may grant the same access.
    pub created_by: Option<UserId>,
    /// When the invite was created.
    pub created_at: DateTime<Utc>,
}

impl Audited for LinkInvite {
    fn settings(&self) -> Vec<(&'static str, Value)> {
        vec![("role", json!(self.grant.role()))]
    }
}

/// Bytes of proof in a code: 160 bits cannot be guessed.
const PROOF: usize = 20;
/// Length of the encoded proof in characters.
const PROOF_LENGTH: usize = 27;

/// Creates and verifies the codes of invites.
///
/// A code consists of a proof and the handle of the invite. Only the handle is stored. The proof is computed from the
/// handle with a key that is not in the database. So a code can be shown again, and a copy of the database grants no
/// access.
#[derive(Clone)]
pub struct InviteSigner {
    key: [u8; 32],
}

impl fmt::Debug for InviteSigner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("InviteSigner(..)")
    }
}

impl InviteSigner {
    /// Derives the key from the instance's secret.
    pub fn new(secret: &[u8; 32]) -> Self {
        Self { key: blake3::derive_key("octavo 2026 codes of invites", secret) }
    }

    fn proof(&self, id: &InviteId) -> [u8; PROOF] {
        let mut proof = [0; PROOF];
        proof.copy_from_slice(&blake3::keyed_hash(&self.key, id.as_str().as_bytes()).as_bytes()[..PROOF]);
        proof
    }

    /// The code of an invite: the API shows it as the invite's id.
    pub fn code(&self, id: &InviteId) -> String {
        format!("{}{id}", URL_SAFE_NO_PAD.encode(self.proof(id)))
    }

    /// The invite of a code; `None` if this instance did not create the code.
    pub fn verify(&self, code: &str) -> Option<InviteId> {
        let (proof, id) = code.split_at_checked(PROOF_LENGTH)?;
        let (proof, id) = (URL_SAFE_NO_PAD.decode(proof).ok()?, id.parse().ok()?);
        bool::from(self.proof(&id).as_slice().ct_eq(&proof)).then_some(id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::SpaceId;
    use proptest::prelude::*;

    const ID: &str = "0193a1f0-7c5e-7000-8000-000000000000";

    fn signer() -> InviteSigner {
        InviteSigner::new(&[7; 32])
    }

    #[test]
    fn a_code_is_as_plain_as_an_id_and_opens_its_invite_again() {
        let id: InviteId = ID.parse().unwrap();
        let code = signer().code(&id);
        assert!(code.parse::<SpaceId>().is_ok(), "it stands in a path like any id: {code}");
        assert_eq!(signer().code(&id), code, "it can be shown again");
        assert_eq!(signer().verify(&code), Some(id));
    }

    #[test]
    fn a_handle_without_its_proof_is_not_a_code() {
        let code = signer().code(&ID.parse().unwrap());
        assert_eq!(signer().verify(ID), None);
        assert_eq!(signer().verify(&code[PROOF_LENGTH..]), None);
        assert_eq!(InviteSigner::new(&[8; 32]).verify(&code), None, "another instance");
        assert_eq!(signer().verify(""), None);
        assert_eq!(signer().verify(&"é".repeat(40)), None);
    }

    #[test]
    fn debug_output_does_not_show_the_key() {
        assert_eq!(format!("{:?}", signer()), "InviteSigner(..)");
    }

    proptest! {
        #[test]
        fn a_changed_code_is_refused(at in 0usize..63, replacement in "[A-Za-z0-9_-]") {
            let code = signer().code(&ID.parse().unwrap());
            let mut changed = code.clone();
            changed.replace_range(at..=at, &replacement);
            prop_assume!(changed != code);
            prop_assert_eq!(signer().verify(&changed), None);
        }
    }
}
