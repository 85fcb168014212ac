//! Selects the organization or account of a command: the named one, or the only one.
use crate::failure::Failure;
use anyhow::Result;
use domain::actor::Actor;
use domain::id::{OrganizationId, SpaceId};
use domain::organization::Organization;
use domain::paging::{MAX_LIMIT, Page, PageRequest};
use domain::text::Email;
use domain::usecases::Error;
use domain::usecases::UseCases;
use domain::user::User;

/// Reads all pages of a list.
pub(super) async fn all<T>(mut part: impl AsyncFnMut(PageRequest) -> Result<Page<T>, Error>) -> Result<Vec<T>, Error> {
    let mut request = PageRequest { limit: MAX_LIMIT, ..PageRequest::default() };
    let mut items = Vec::new();
    loop {
        let page = part(request.clone()).await?;
        items.extend(page.items);
        match page.next {
            Some(next) => request.after = Some(next),
            None => return Ok(items),
        }
    }
}

/// The organization with the id, or without an id the only one.
///
/// # Errors
/// If there is none, or there are several; the error lists them.
pub(super) async fn organization(use_cases: &UseCases, id: Option<&OrganizationId>) -> Result<OrganizationId> {
    let usecase = &use_cases.organizations;
    let found = all(async |page| usecase.list(&Actor::Operator, page.into()).await).await?;
    let known: Vec<&Organization> = found.iter().map(|organization| &**organization).collect();
    let wanted: Vec<_> = known.iter().filter(|organization| id.is_none_or(|id| organization.id == *id)).collect();
    let list = |organization: &&Organization| format!("\n  {}  {}", organization.id, organization.title);
    let list: String = known.iter().map(list).collect();
    match (wanted.as_slice(), id) {
        ([one], _) => Ok(one.id.clone()),
        (_, Some(id)) => {
            Err(Failure::new(format!("there is no organization {id}")).advise(format!("use one of:{list}")).into())
        }
        ([], None) => {
            Err(Failure::new("there is no organization yet").advise("start the server once with `octavo serve`").into())
        }
        (_, None) => Err(Failure::new("there are several organizations")
            .advise(format!("add --organization with one of:{list}"))
            .into()),
    }
}

/// The failure of a command whose space does not exist.
pub(super) fn no_space(space: &SpaceId) -> Failure {
    Failure::new(format!("there is no space {space}"))
        .advise("find the id in the output of `octavo import`, or in the API: GET /v1/orgs/ID/spaces")
}

pub(super) async fn users(use_cases: &UseCases) -> Result<Vec<User>, Error> {
    let accounts = &use_cases.accounts;
    all(async |page| accounts.users(&Actor::Operator, &page).await).await
}

/// The account with the e-mail address or id, or without a name the only one.
///
/// # Errors
/// If there is none, or there are several; the error lists them.
pub(super) async fn user(use_cases: &UseCases, name: Option<&str>) -> Result<User> {
    let known = users(use_cases).await?;
    let is_meant =
        |user: &User| name.is_none_or(|name| user.id.as_str() == name || user.email.as_str() == name.to_lowercase());
    let mut meant = known.iter().filter(|user| is_meant(user));
    let (first, second) = (meant.next(), meant.next());
    let list: String = known.iter().take(20).map(|user| format!("\n  {}  {}", user.id, user.email)).collect();
    match (first, second, name) {
        (Some(one), None, _) => Ok(one.clone()),
        (None, _, Some(name)) => {
            // An id is not a name for a new account.
            let create = name.parse::<Email>().map(|email| format!("create it with `octavo user create {email}`, or "));
            let advice = format!("{}use one of:{list}", create.unwrap_or_default());
            Err(Failure::new(format!("there is no account {name}")).advise(advice).into())
        }
        (None, _, None) => {
            Err(Failure::new("there is no account yet").advise("start the server once with `octavo serve`").into())
        }
        (Some(_), Some(_), _) => {
            Err(Failure::new("there are several accounts").advise(format!("add --user with one of:{list}")).into())
        }
    }
}
