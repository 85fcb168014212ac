//! Accounts.
use super::given;
use crate::answer::links::Links;
use crate::request::Wire;
use domain::access::Granted;
use domain::patch::Patch;
use domain::text::{DisplayName, Invalid};
use domain::user::{self, Person, UserPatch};
use domain::web_address::WebAddress;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A user account.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct User {
    #[schema(example = "user")]
    object: &'static str,
    id: String,
    /// The name shown to others.
    display_name: String,
    /// The email address; absent if the caller may not see the account.
    #[serde(skip_serializing_if = "Option::is_none")]
    email: Option<String>,
    /// The URL of the profile image.
    #[serde(rename = "photoURL", skip_serializing_if = "Option::is_none")]
    photo_url: Option<String>,
    urls: UserUrls,
}

/// URLs of an account.
#[derive(Serialize, ToSchema)]
pub(crate) struct UserUrls {
    location: String,
}

pub(crate) fn user(user: user::User, links: &Links) -> User {
    person(Person::of(user, true), links)
}

pub(crate) fn person(person: Person, links: &Links) -> User {
    User {
        object: "user",
        urls: UserUrls { location: links.user(&person.id) },
        id: person.id.into(),
        display_name: person.display_name.into(),
        email: person.email.map(String::from),
        photo_url: person.photo_url.map(String::from),
    }
}

pub(crate) fn granted_user(granted: Granted<user::User>, links: &Links) -> User {
    user(granted.into_parts().0, links)
}

/// Changes to an account: at least one field is required. Absent fields stay unchanged.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct UpdateUser {
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = String, min_length = 1, max_length = 64)]
    display_name: Option<DisplayName>,
    /// The URL of an image; `null` removes it.
    #[serde(default, rename = "photoURL")]
    #[schema(value_type = Option<String>, max_length = 2048)]
    photo_url: Patch<WebAddress>,
}

impl Wire for UpdateUser {
    type Command = UserPatch;

    fn command(self) -> Result<UserPatch, Invalid> {
        let patch = UserPatch { display_name: self.display_name, photo_url: self.photo_url };
        if patch == UserPatch::default() {
            return Err(Invalid::new("body", "must have at least one of displayName, photoURL"));
        }
        Ok(patch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::read_json;
    use rstest::rstest;

    fn patch(body: &str) -> Result<UserPatch, Invalid> {
        read_json::<UpdateUser>(body.as_bytes())?.command()
    }

    #[rstest]
    #[case("{}", "body")]
    #[case(r#"{"email":"eve@example.org"}"#, "body")]
    #[case(r#"{"displayName":""}"#, "displayName")]
    #[case(r#"{"displayName":null}"#, "displayName")]
    #[case(r#"{"photoURL":"javascript:x"}"#, "photoURL")]
    fn a_field_that_breaks_a_rule_is_named(#[case] body: &str, #[case] field: &str) {
        assert_eq!(patch(body).unwrap_err().field, field);
    }

    #[test]
    fn a_name_has_at_most_64_characters_and_a_picture_can_be_taken_away() {
        assert!(patch(&format!(r#"{{"displayName":"{}"}}"#, "é".repeat(64))).is_ok());
        assert!(patch(&format!(r#"{{"displayName":"{}"}}"#, "é".repeat(65))).is_err());
        assert_eq!(patch(r#"{"photoURL":null}"#).unwrap().photo_url, Patch::Clear);
    }
}
