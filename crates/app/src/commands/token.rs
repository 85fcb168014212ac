//! `octavo token`: API tokens.
use super::choose;
use crate::config::Expiry;
use crate::failure::Failure;
use crate::output::Output;
use anyhow::Result;
use chrono::{DateTime, SecondsFormat, Utc};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand};
use domain::actor::Actor;
use domain::id::{TokenId, UserId};
use domain::scope::{Scope, ScopeSet, Scopes};
use domain::text::TokenLabel;
use domain::token::{NewToken, Token};
use domain::usecases::Error;
use domain::usecases::UseCases;
use serde_json::{Value, json};
use std::collections::HashMap;

#[derive(Debug, Subcommand)]
pub(crate) enum TokenCommand {
    /// Create a token. It has all rights of its account, or those of some scopes, and is shown only once.
    ///
    /// The standard output is only the token, so a script can store it.
    #[command(after_long_help = "\
Examples:
  octavo token create --label laptop
  octavo token create --user ada@example.org --label ci --expires 90d
  octavo token create --label reader --scope space:read,organization:read
  TOKEN=$(octavo token create --label backup)")]
    Create(Create),

    /// List tokens, without their secrets, which are not stored.
    List(List),

    /// Revoke a token: it is invalid for all later requests.
    Revoke(Revoke),
}

#[derive(Args, Debug)]
pub(crate) struct Create {
    /// The account: an e-mail address or an id [default: the only account].
    #[arg(long, value_name = "EMAIL")]
    user: Option<String>,
    /// The purpose of the token, at most 50 characters.
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    label: TokenLabel,
    /// When it expires: a span such as 12h, 30d or 52w, or a date such as 2030-01-31 [default: never].
    #[arg(long, value_name = "WHEN")]
    expires: Option<Expiry>,
    /// Limit the token to the operations of these scopes, separated by commas [default: no limit].
    #[arg(long = "scope", value_name = "SCOPE", value_delimiter = ',', value_parser = scope())]
    scopes: Vec<Scope>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Args, Debug)]
pub(crate) struct List {
    /// Only tokens of one account: an e-mail address or an id.
    #[arg(long, value_name = "EMAIL")]
    user: Option<String>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Args, Debug)]
pub(crate) struct Revoke {
    /// The token's id; see `octavo token list`.
    #[arg(value_name = "ID")]
    id: TokenId,
}

fn scope() -> impl TypedValueParser<Value = Scope> {
    let known = Scope::ALL.iter().map(|scope| scope.as_str());
    PossibleValuesParser::new(known).try_map(|word| word.parse::<Scope>())
}

impl TokenCommand {
    /// Runs the command.
    pub(crate) async fn run(self, use_cases: &UseCases) -> Result<()> {
        match self {
            Self::Create(command) => command.run(use_cases).await,
            Self::List(command) => command.run(use_cases).await,
            Self::Revoke(command) => command.run(use_cases).await,
        }
    }
}

impl Create {
    async fn run(self, use_cases: &UseCases) -> Result<()> {
        let now = use_cases.clock.now();
        let expires_at = self.expires.map(|expiry| expiry.moment(now));
        if expires_at.is_some_and(|end| end <= now) {
            return Err(Failure::usage("--expires: must be in the future")
                .advise("use a span such as 30d, or a later date")
                .into());
        }
        let user = choose::user(use_cases, self.user.as_deref()).await?;
        // None at all is no limit.
        let scopes = Scopes::from(ScopeSet::new(self.scopes).ok());
        let new = NewToken { label: self.label, scopes, expires_at };
        let (token, secret) = use_cases.accounts.create_token(&Actor::Operator, &user.id, new.into()).await?;
        let output = Output::new(self.json);
        if output.is_json() {
            let mut shown = described(&token, user.email.as_str(), now);
            shown["token"] = json!(secret.reveal());
            output.json(&shown);
        } else {
            let end = expires_at.map_or("never expires".to_owned(), |end| format!("expires {}", written(end)));
            let limit = token.scopes.limit().map_or_else(String::new, |_| format!(", for {}", scopes_of(&token)));
            output.note(format!(
                "Token for {}, id {}{limit}, {end}. It is shown only once; save it now.",
                user.email, token.id
            ));
            output.line(secret.reveal());
        }
        Ok(())
    }
}

impl List {
    async fn run(self, use_cases: &UseCases) -> Result<()> {
        let user = match self.user {
            Some(name) => Some(choose::user(use_cases, Some(&name)).await?.id),
            None => None,
        };
        let accounts = &use_cases.accounts;
        let tokens = choose::all(async |page| accounts.tokens(&Actor::Operator, user.as_ref(), &page).await).await?;
        let users = choose::users(use_cases).await?;
        let emails: HashMap<&UserId, &str> = users.iter().map(|user| (&user.id, user.email.as_str())).collect();
        let email = |token: &Token| emails.get(&token.user).copied().unwrap_or_default().to_owned();
        let (now, output) = (use_cases.clock.now(), Output::new(self.json));
        if output.is_json() {
            output.json(&tokens.iter().map(|token| described(token, &email(token), now)).collect());
            return Ok(());
        }
        let row = |token: &Token| {
            let (id, label) = (token.id.to_string(), token.label.to_string());
            let (state, used) = (state(token, now).to_owned(), token.last_used_at.map_or("never".to_owned(), written));
            [id, email(token), label, state, written(token.created_at), used, end(token), scopes_of(token)]
        };
        let header = ["id", "account", "label", "state", "created", "last used", "expires", "scopes"];
        output.table(header, tokens.iter().map(row).collect(), "There are no tokens.");
        Ok(())
    }
}

impl Revoke {
    async fn run(self, use_cases: &UseCases) -> Result<()> {
        let output = Output::people();
        match use_cases.accounts.revoke_token(&Actor::Operator, &self.id).await {
            Ok(true) => output.note(format!("Token {} is revoked.", self.id)),
            Ok(false) => output.note(format!("Token {} was already revoked.", self.id)),
            Err(Error::NotFound(_)) => {
                let failure = Failure::new(format!("there is no token {}", self.id));
                return Err(failure.advise("list the tokens with `octavo token list`").into());
            }
            Err(error) => return Err(error.into()),
        }
        Ok(())
    }
}

fn written(moment: DateTime<Utc>) -> String {
    moment.to_rfc3339_opts(SecondsFormat::Secs, true)
}

fn scopes_of(token: &Token) -> String {
    let words = |limit: ScopeSet| limit.iter().map(Scope::as_str).collect::<Vec<_>>().join(",");
    token.scopes.limit().map_or_else(|| "all".to_owned(), words)
}

fn end(token: &Token) -> String {
    token.revoked_at.or(token.expires_at).map_or_else(|| "never".to_owned(), written)
}

fn state(token: &Token, now: DateTime<Utc>) -> &'static str {
    match (token.revoked_at, token.is_valid(now)) {
        (Some(_), _) => "revoked",
        (None, false) => "expired",
        (None, true) => "valid",
    }
}

fn described(token: &Token, email: &str, now: DateTime<Utc>) -> Value {
    json!({
        "id": token.id,
        "user": token.user,
        "email": email,
        "label": token.label,
        "scopes": token.scopes.limit(),
        "state": state(token, now),
        "createdAt": written(token.created_at),
        "expiresAt": token.expires_at.map(written),
        "revokedAt": token.revoked_at.map(written),
        "lastUsedAt": token.last_used_at.map(written),
    })
}
