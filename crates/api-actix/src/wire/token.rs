//! API tokens.
use super::{given, moment, schemas};
use crate::answer::links::Links;
use crate::request::Wire;
use crate::request::paging::List;
use chrono::{DateTime, Utc};
use domain::scope::{Scope, ScopeSet, Scopes};
use domain::text::{Invalid, TokenLabel};
use domain::token;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// An API token, without its secret.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Token {
    #[schema(example = "api-token")]
    object: &'static str,
    id: String,
    /// The label given by its owner.
    #[schema(max_length = 50)]
    label: String,
    /// The scopes of the token; absent if it has all the rights of its owner.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Vec<schemas::Scope>>)]
    scopes: Option<ScopeSet>,
    created_at: DateTime<Utc>,
    /// When the token expires.
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_at: Option<DateTime<Utc>>,
    /// When the token was last used, accurate to a few minutes; absent if never.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_used_at: Option<DateTime<Utc>>,
    urls: TokenUrls,
}

/// URLs of a token.
#[derive(Serialize, ToSchema)]
pub(crate) struct TokenUrls {
    location: String,
}

/// A new token, with its secret.
#[derive(Serialize, ToSchema)]
pub(crate) struct NewToken {
    #[serde(flatten)]
    made: Token,
    /// The token itself. It is shown only once.
    #[schema(example = "octavo_…")]
    token: String,
}

pub(crate) type TokenList = List<Token>;

pub(crate) fn token(token: token::Token, links: &Links) -> Token {
    Token {
        object: "api-token",
        urls: TokenUrls { location: links.token(&token.id) },
        id: token.id.into(),
        label: token.label.into(),
        scopes: token.scopes.limit(),
        created_at: token.created_at,
        expires_at: token.expires_at,
        last_used_at: token.last_used_at,
    }
}

pub(crate) fn new_token(made: token::Token, secret: &token::Secret, links: &Links) -> NewToken {
    NewToken { made: token(made, links), token: secret.reveal().to_owned() }
}

/// A token to create.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CreateToken {
    /// A label for the token.
    #[schema(value_type = String, max_length = 50)]
    label: TokenLabel,
    /// The scopes to limit the token to, at least one. If absent, the token has all the rights of its owner.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Vec<schemas::Scope>, min_items = 1)]
    scopes: Option<Vec<Scope>>,
    /// When the token expires, in the future; never if absent.
    #[schema(value_type = Option<DateTime<Utc>>)]
    expires_at: Option<String>,
}

impl Wire for CreateToken {
    type Command = token::NewToken;

    fn command(self) -> Result<token::NewToken, Invalid> {
        let limit = self.scopes.map(ScopeSet::new).transpose().map_err(|rule| rule.of("scopes"))?;
        let expires_at = self.expires_at.map(|raw| moment("expiresAt", &raw)).transpose()?;
        Ok(token::NewToken { label: self.label, scopes: Scopes::from(limit), expires_at })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::read_json;
    use rstest::rstest;

    fn new(body: &str) -> Result<token::NewToken, Invalid> {
        read_json::<CreateToken>(body.as_bytes())?.command()
    }

    #[rstest]
    #[case("{}", "label")]
    #[case(r#"{"label":null}"#, "label")]
    #[case(r#"{"label":"x","scopes":[]}"#, "scopes")]
    #[case(r#"{"label":"x","scopes":null}"#, "scopes")]
    #[case(r#"{"label":"x","scopes":["space:read","space:delete"]}"#, "scopes[1]")]
    #[case(r#"{"label":"x","expiresAt":"tomorrow"}"#, "expiresAt")]
    fn a_field_that_breaks_a_rule_is_named(#[case] body: &str, #[case] field: &str) {
        assert_eq!(new(body).unwrap_err().field, field);
    }

    #[test]
    fn a_label_has_at_most_50_characters() {
        assert!(new(&format!(r#"{{"label":"{}"}}"#, "é".repeat(50))).is_ok());
        assert_eq!(new(&format!(r#"{{"label":"{}"}}"#, "é".repeat(51))).unwrap_err().field, "label");
    }

    #[test]
    fn a_token_without_scopes_has_no_limit_and_an_unknown_scope_error_lists_the_known_ones() {
        assert_eq!(new(r#"{"label":"x"}"#).unwrap().scopes, Scopes::All);
        let rule = new(r#"{"label":"x","scopes":["space:delete"]}"#).unwrap_err().rule;
        assert!(rule.contains("`space:read`") && rule.contains("`openapi:write`"), "{rule}");
        let twice = new(r#"{"label":"x","scopes":["site:ask","site:ask"]}"#).unwrap().scopes.limit().unwrap();
        assert_eq!(twice.iter().collect::<Vec<_>>(), [Scope::SiteAsk]);
    }
}
