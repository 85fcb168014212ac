//! Invites.
use super::collection::{Collection, collection};
use super::schemas;
use super::space::{Space, space};
use crate::answer::links::Links;
use crate::request::Wire;
use crate::request::paging::List;
use domain::access::Role;
use domain::id::{CollectionId, OrganizationId, SpaceId};
use domain::invite::InviteGrant;
use domain::patch::Patch;
use domain::place::PlaceId;
use domain::text::{Email, Invalid};
use domain::usecases::invites::{InvitePatch, InvitePeople, InviteTarget, Invited as InvitedUsers, ShownInvite};
use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use std::fmt;
use utoipa::ToSchema;

/// An invite link to an organization, or to one space or collection of it. Anyone who has its id can accept it.
#[derive(Serialize, ToSchema)]
pub(crate) struct LinkInvite {
    #[schema(example = "invite")]
    object: &'static str,
    id: String,
    /// The role in the organization that the invite grants; `null` for guests, as which an invite to a space or a
    /// collection adds users who are not members.
    #[schema(value_type = Option<schemas::Role>, required)]
    role: Option<Role>,
    /// The role in the space or the collection that the invite grants.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<schemas::Role>)]
    level: Option<Role>,
    /// Whether the caller already has this access.
    redundant: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    space: Option<Box<Space>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    collection: Option<Box<Collection>>,
}

pub(crate) type LinkInviteList = List<LinkInvite>;

pub(crate) fn invite(shown: ShownInvite, links: &Links) -> LinkInvite {
    let ShownInvite { code: id, grant, target, redundant } = shown;
    let (role, level) = match grant {
        InviteGrant::Organization(role) => (role, None),
        InviteGrant::Place(_, level) => (None, Some(level)),
    };
    let (space, collection) = match target {
        InviteTarget::Organization(_) => (None, None),
        InviteTarget::Space(granted) => (Some(space(*granted, links).into()), None),
        InviteTarget::Collection(granted) => (None, Some(collection(*granted, links).into())),
    };
    LinkInvite { object: "invite", id, role, level, redundant, space, collection }
}

pub(crate) fn location(organization: &OrganizationId, invite: &LinkInvite, links: &Links) -> String {
    links.invite(organization, &invite.id)
}

/// An invite to create: either a `role` in the organization, or a `level` on one space or collection.
#[derive(Deserialize, ToSchema)]
pub(crate) struct CreateLinkInvite {
    /// The role in the organization; `null` for guests.
    #[serde(default)]
    #[schema(value_type = Option<schemas::Role>)]
    role: Patch<Role>,
    /// The role in the space or collection.
    #[serde(default, deserialize_with = "super::given")]
    #[schema(value_type = schemas::Role)]
    level: Option<Role>,
    #[serde(default, deserialize_with = "super::given")]
    #[schema(value_type = String)]
    space: Option<SpaceId>,
    #[serde(default, deserialize_with = "super::given")]
    #[schema(value_type = String)]
    collection: Option<CollectionId>,
}

impl Wire for CreateLinkInvite {
    type Command = InviteGrant;

    fn command(self) -> Result<InviteGrant, Invalid> {
        let level = |level: Option<Role>| level.ok_or_else(|| Invalid::new("level", "is required"));
        match (self.role, self.level, self.space, self.collection) {
            (Patch::Set(role), None, None, None) => Ok(InviteGrant::Organization(Some(role))),
            (Patch::Clear, None, None, None) => Ok(InviteGrant::Organization(None)),
            (Patch::Keep, None, None, None) => {
                Err(Invalid::new("role", "is required, unless level is sent with space or collection"))
            }
            (Patch::Keep, given, Some(space), None) => Ok(InviteGrant::Place(PlaceId::Space(space), level(given)?)),
            (Patch::Keep, given, None, Some(id)) => Ok(InviteGrant::Place(PlaceId::Collection(id), level(given)?)),
            (Patch::Keep, Some(_), None, None) => Err(Invalid::new("space", "is required, unless collection is sent")),
            (Patch::Keep, _, Some(_), Some(_)) => {
                Err(Invalid::new("collection", "must not be sent together with space"))
            }
            (Patch::Set(_) | Patch::Clear, ..) => {
                Err(Invalid::new("role", "must not be sent together with level, space or collection"))
            }
        }
    }
}

/// Changes to an invite.
#[derive(Default, Deserialize, ToSchema)]
pub(crate) struct UpdateLinkInvite {
    /// The role in the organization, for an invite to the organization; `null` for guests.
    #[serde(default)]
    #[schema(value_type = Option<schemas::Role>)]
    role: Patch<Role>,
    /// The role in the space or collection, for an invite to one.
    #[serde(default, deserialize_with = "super::given")]
    #[schema(value_type = schemas::Role)]
    level: Option<Role>,
}

impl Wire for UpdateLinkInvite {
    type Command = InvitePatch;

    fn command(self) -> Result<InvitePatch, Invalid> {
        Ok(InvitePatch { role: self.role, level: self.level })
    }
}

/// Users to add to an organization.
#[derive(Deserialize, ToSchema)]
pub(crate) struct InviteUsers {
    /// Email addresses, optionally each with a role. An address without an account gets one.
    #[schema(min_items = 1, max_items = 100)]
    emails: Vec<InvitedEmail>,
    /// The role of addresses without one of their own; `null` for guests. The organization's `defaultRole` if absent.
    #[serde(default)]
    #[schema(value_type = Option<schemas::Role>)]
    role: Patch<Role>,
    /// Whether the organization's identity provider knows the users. Stored with the members; it has no effect yet, as
    /// there is no sign-in by identity providers.
    #[serde(default)]
    sso: bool,
}

/// An email address, with or without a role.
#[derive(ToSchema)]
#[serde(untagged)]
pub(crate) enum InvitedEmail {
    Plain(String),
    WithRole(EmailWithRole),
}

/// An error in an object names its field, which serde's own untagged enums do not.
impl<'de> Deserialize<'de> for InvitedEmail {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct PlainOrWithRole;
        impl<'de> Visitor<'de> for PlainOrWithRole {
            type Value = InvitedEmail;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an email address, or an object with email and role")
            }

            fn visit_str<E: Error>(self, email: &str) -> Result<InvitedEmail, E> {
                Ok(InvitedEmail::Plain(email.to_owned()))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<InvitedEmail, A::Error> {
                EmailWithRole::deserialize(MapAccessDeserializer::new(map)).map(InvitedEmail::WithRole)
            }
        }
        deserializer.deserialize_any(PlainOrWithRole)
    }
}

/// An email address with a role.
#[derive(Deserialize, ToSchema)]
pub(crate) struct EmailWithRole {
    email: String,
    /// `null` for guests.
    #[serde(default)]
    #[schema(value_type = Option<schemas::Role>)]
    role: Patch<Role>,
}

impl Wire for InviteUsers {
    type Command = InvitePeople;

    fn command(self) -> Result<InvitePeople, Invalid> {
        let address = |field: String, raw: String| raw.parse::<Email>().map_err(|rule| rule.of(field));
        let one = |(at, one)| match one {
            InvitedEmail::Plain(raw) => Ok((address(format!("emails[{at}]"), raw)?, Patch::Keep)),
            InvitedEmail::WithRole(EmailWithRole { email, role }) => {
                Ok((address(format!("emails[{at}].email"), email)?, role))
            }
        };
        let people = self.emails.into_iter().enumerate().map(one).collect::<Result<_, Invalid>>()?;
        Ok(InvitePeople { people, role: self.role, sso: self.sso })
    }
}

/// The result of adding users.
#[derive(Serialize, ToSchema)]
pub(crate) struct Invited {
    /// The ids of their accounts.
    users: Vec<String>,
    /// The number of users who were not members before.
    invited: usize,
}

pub(crate) fn invited(invited: InvitedUsers) -> Invited {
    Invited { users: invited.users.into_iter().map(String::from).collect(), invited: invited.invited }
}

/// An accepted invite. It has no fields.
#[derive(Serialize, ToSchema)]
pub(crate) struct Accepted {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::read_json;
    use rstest::rstest;

    fn grant(body: &str) -> Result<InviteGrant, Invalid> {
        read_json::<CreateLinkInvite>(body.as_bytes()).and_then(Wire::command)
    }

    #[rstest]
    #[case(r#"{"role":"edit"}"#, InviteGrant::Organization(Some(Role::Edit)))]
    #[case(r#"{"role":null}"#, InviteGrant::Organization(None))]
    #[case(r#"{"level":"read","space":"s"}"#, InviteGrant::Place(PlaceId::Space("s".parse().unwrap()), Role::Read))]
    #[case(r#"{"level":"edit","collection":"c"}"#, InviteGrant::Place(PlaceId::Collection("c".parse().unwrap()), Role::Edit))]
    fn an_invite_gives_one_thing(#[case] body: &str, #[case] expected: InviteGrant) {
        assert_eq!(grant(body), Ok(expected));
    }

    #[rstest]
    #[case("{}", "role")]
    #[case(r#"{"role":"king"}"#, "role")]
    #[case(r#"{"level":"read"}"#, "space")]
    #[case(r#"{"space":"s"}"#, "level")]
    #[case(r#"{"level":"read","space":"s","collection":"c"}"#, "collection")]
    #[case(r#"{"role":"read","level":"read","space":"s"}"#, "role")]
    fn an_invite_to_nothing_or_to_two_things_is_refused(#[case] body: &str, #[case] field: &str) {
        assert_eq!(grant(body).unwrap_err().field, field);
    }

    #[rstest]
    #[case(r#"{"emails":["ada"]}"#, "emails[0]")]
    #[case(r#"{"emails":["a@b.org",{"email":"ada"}]}"#, "emails[1].email")]
    #[case(r#"{"emails":["a@b.org",{"role":"edit"}]}"#, "emails[1].email")]
    #[case(r#"{"emails":[{"email":"a@b.org","role":"king"}]}"#, "emails[0].role")]
    #[case(r#"{"emails":[["a@b.org","edit"]]}"#, "emails[0]")]
    #[case(r#"{"emails":[7]}"#, "emails[0]")]
    #[case(r#"{}"#, "emails")]
    fn an_address_that_is_none_is_named(#[case] body: &str, #[case] field: &str) {
        let error = read_json::<InviteUsers>(body.as_bytes()).and_then(Wire::command).unwrap_err();
        assert_eq!(error.field, field);
    }

    #[test]
    fn people_have_the_common_role_or_their_own() {
        let body = r#"{"emails":["a@b.org",{"email":"c@d.org","role":null}],"role":"edit","sso":true}"#;
        let read = read_json::<InviteUsers>(body.as_bytes()).and_then(Wire::command).unwrap();
        assert_eq!((&read.people[0].1, &read.people[1].1), (&Patch::Keep, &Patch::Clear));
        assert_eq!((read.role, read.sso), (Patch::Set(Role::Edit), true));
    }
}
