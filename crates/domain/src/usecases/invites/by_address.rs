//! Inviting users by email address: they become members immediately.
use super::Invites;
use crate::access::Role;
use crate::actor::Actor;
use crate::event::Change;
use crate::id::{OrganizationId, UserId};
use crate::member::Member;
use crate::patch::Patch;
use crate::text::{DisplayName, Email, Invalid};
use crate::usecases::accounts::taken;
use crate::usecases::members::enter;
use crate::usecases::{Error, Input};
use crate::user::User;
use std::collections::{BTreeMap, BTreeSet};

/// The maximum number of addresses in one request (Octavo's own limit).
pub const MAX_INVITED: usize = 100;

/// Users to add as members.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InvitePeople {
    /// Their email addresses, each with a change to the common role; cleared, it makes a guest.
    pub people: Vec<(Email, Patch<Role>)>,
    /// The common role, as a change to the default role of the organization; cleared, it makes guests.
    pub role: Patch<Role>,
    /// Whether they are known to the organization's own identity provider.
    pub sso: bool,
}

/// The result of inviting users.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Invited {
    /// Their accounts, in the order of the request, without duplicates.
    pub users: Vec<UserId>,
    /// How many of them are new members.
    pub invited: usize,
}

impl Invites {
    /// Adds users as members. An address without an account gets one, which is not verified and has no token. Existing
    /// members keep their role.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Forbidden`] for callers other than administrators; [`Error::Invalid`];
    /// [`Error::Conflict`] if an account for one of the addresses is created at the same time.
    pub async fn by_address(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        invite: Input<InvitePeople>,
    ) -> Result<Invited, Error> {
        let mut work = self.units.write(actor).await?;
        work.lock(&[organization.into()]).await?;
        let home = work.organization(organization, |may| may.admin).await?;
        let InvitePeople { people, role: common, sso } = invite.read()?;
        if !(1..=MAX_INVITED).contains(&people.len()) {
            return Err(Invalid::new("emails", format!("must have 1 to {MAX_INVITED} addresses")).into());
        }
        let mut role = home.default_role;
        common.apply(&mut role);
        let emails: Vec<Email> = people.iter().map(|(email, _)| email.clone()).collect();
        let known = work.users().find_many_by_email(&emails).await?.into_iter();
        let mut accounts: BTreeMap<Email, UserId> = known.map(|user| (user.email, user.id)).collect();
        let ids: Vec<UserId> = accounts.values().cloned().collect();
        let members = work.members().named(organization, &ids, &[]).await?;
        let mut members: BTreeSet<UserId> = members.into_iter().map(|(id, _)| id).collect();
        let now = work.now();
        // In the order of addresses, so that two requests that create the same accounts do not deadlock.
        let new: BTreeSet<Email> = emails.into_iter().filter(|email| !accounts.contains_key(email)).collect();
        for email in new {
            let user = User {
                id: work.ids.make(),
                display_name: DisplayName::fitted(email.local(), "user"),
                email: email.clone(),
                email_verified: false,
                photo_url: None,
                created_at: now,
            };
            work.users()
                .save(&user)
                .await
                .map_err(taken("an account for one of the addresses was created at the same time: try again"))?;
            let change = Change::UserCreated { user: user.id.clone() };
            // For the operator only: the inviting user must not learn which addresses already had an account.
            work.record_for_operator(change).await?;
            accounts.insert(email, user.id);
        }
        let mut invited = Invited::default();
        for (email, own) in people {
            let Some(user) = accounts.get(&email).cloned() else { continue };
            if members.insert(user.clone()) {
                let mut role = role;
                own.apply(&mut role);
                let new = Member::new(organization.clone(), user.clone(), role, now);
                enter(&mut work, &Member { sso, ..new }).await?;
                invited.invited += 1;
            }
            if !invited.users.contains(&user) {
                invited.users.push(user);
            }
        }
        work.commit().await?;
        Ok(invited)
    }
}
