//! The sample of `octavo demo`: an organization with one space, created from the pages in `crates/app/demo`, two change
//! requests and two threads of comments for it, and a published site that shows it.
mod discussions;
mod proposals;

use crate::config::Place;
use crate::output::Output;
use anyhow::{Context, Result};
use bytes::Bytes;
use domain::actor::Actor;
use domain::content::import::InMemory;
use domain::id::{OrganizationId, SpaceId};
use domain::organization::Organization;
use domain::paging::{MAX_LIMIT, PageRequest};
use domain::site::NewSite;
use domain::site::structure::SiteTitle;
use domain::space::Space;
use domain::text::{DisplayName, Email, OrganizationTitle, SpaceTitle, TokenLabel};
use domain::token::{NewToken, Secret};
use domain::usecases::Error;
use domain::usecases::UseCases;
use domain::usecases::accounts::NewUser;
use domain::usecases::content::Destination;
use domain::usecases::organizations::NewOrganization;
use domain::user::User;
use url::Url;

const EMAIL: &str = "demo@localhost";
const ORGANIZATION: &str = "Octavo demo";
const SPACE: &str = "Octavo guide";

/// The file with the token, which stays the same in later runs of the demo.
const TOKEN_FILE: &str = "demo-token";

macro_rules! files {
    ($($path:literal),+ $(,)?) => {
        /// The paths and contents of the sample files.
        const FILES: &[(&str, &[u8])] = &[$(($path, include_bytes!(concat!("../demo/", $path)))),+];
    };
}
files! {
    ".gitbook.yaml",
    ".gitbook/includes/token.md",
    "README.md",
    "SUMMARY.md",
    "assets/kestrel.svg",
    "assets/overview.svg",
    "assets/revisions.svg",
    "kestrel/calibrate.md",
    "kestrel/connect.md",
    "kestrel/http.md",
    "kestrel/overview.md",
    "kestrel/readings.md",
    "kestrel/releases.md",
    "kestrel/setup.md",
    "kestrel/troubleshooting.md",
    "octavo/api.md",
    "octavo/backup.md",
    "octavo/blocks.md",
    "octavo/changes.md",
    "octavo/content.md",
    "octavo/import.md",
    "octavo/layout.md",
    "octavo/search.md",
    "octavo/server.md",
    "octavo/settings.md",
    "octavo/tokens.md",
    "tour.md",
}

/// The sample as the source of an import.
fn sample() -> InMemory {
    InMemory::new(SPACE, FILES.iter().map(|(path, bytes)| (*path, Bytes::from_static(bytes))))
}

/// The stored sample.
pub(crate) struct Demo {
    organization: OrganizationId,
    space: SpaceId,
    /// The number of a change request with a conflict.
    conflict: Option<u32>,
    secret: Secret,
}

/// Stores the sample, or finds the sample of an earlier run.
///
/// # Errors
/// Errors of the database and of the data folder.
pub(crate) async fn set_up(use_cases: &UseCases, place: &Place) -> Result<Demo> {
    let user = user(use_cases, place).await.context("cannot create the demo's account")?;
    let (actor, secret) = token(use_cases, place, &user).await.context("cannot create the demo's token")?;
    let organization = organization(use_cases, &actor).await.context("cannot create the demo's organization")?;
    let space = space(use_cases, &actor, &organization).await.context("cannot import the sample content")?;
    let conflict =
        proposals::undecided(use_cases, &actor, &space).await.context("cannot find the sample's conflict")?;
    Ok(Demo { organization, space, conflict, secret })
}

/// The demo's account. On a server without accounts, it becomes the first administrator.
async fn user(use_cases: &UseCases, place: &Place) -> Result<User> {
    let email: Email = EMAIL.parse().map_err(|rule: domain::text::Rule| rule.of("email"))?;
    let accounts = &use_cases.accounts;
    let title = OrganizationTitle::fitted(ORGANIZATION, ORGANIZATION);
    if let Some(made) = accounts.bootstrap(email.clone(), title, None).await? {
        place.remember(TOKEN_FILE, made.secret.reveal())?;
        return Ok(made.user);
    }
    match accounts.user_by_email(&Actor::Operator, &email).await {
        Err(Error::NotFound(_)) => {
            let new = NewUser { email, display_name: DisplayName::fitted("Demo", "Demo"), email_verified: true };
            Ok(accounts.create_user(&Actor::Server, new, None).await?)
        }
        found => Ok(found?),
    }
}

/// The token of the last run if it is still valid; otherwise a new one.
async fn token(use_cases: &UseCases, place: &Place, user: &User) -> Result<(Actor, Secret)> {
    let accounts = &use_cases.accounts;
    if let Some(kept) = place.recall(TOKEN_FILE)?.and_then(|line| Secret::chosen(line).ok())
        && let Ok(session) = accounts.authenticate(kept.reveal()).await
        && session.actor.user() == Some(&user.id)
    {
        return Ok((session.actor, kept));
    }
    let new = NewToken::unlimited(TokenLabel::fitted("octavo demo", ""));
    let (token, secret) = accounts.create_token(&Actor::Server, &user.id, new.into()).await?;
    place.remember(TOKEN_FILE, secret.reveal())?;
    Ok((Actor::of(user.id.clone(), token.id), secret))
}

async fn organization(use_cases: &UseCases, actor: &Actor) -> Result<OrganizationId, Error> {
    let organizations = &use_cases.organizations;
    let known = organizations.list(actor, everything().into()).await?.items;
    let is_ours = |organization: &&Organization| organization.title.as_str() == ORGANIZATION;
    if let Some(found) = known.iter().map(|organization| &**organization).find(is_ours) {
        return Ok(found.id.clone());
    }
    let title = OrganizationTitle::fitted(ORGANIZATION, ORGANIZATION);
    let new = NewOrganization { title, email_domains: Vec::new() };
    Ok(organizations.create(actor, new.into()).await?.id.clone())
}

async fn space(use_cases: &UseCases, actor: &Actor, organization: &OrganizationId) -> Result<SpaceId, Error> {
    let known = use_cases.spaces.list(actor, organization, (false, everything()).into()).await?.items;
    let is_ours = |space: &&Space| space.title.as_str() == SPACE;
    if let Some(found) = known.iter().map(|shown| &*shown.space).find(is_ours) {
        return Ok(found.id.clone());
    }
    let title = Some(SpaceTitle::fitted(SPACE, ""));
    let destination = Destination::NewSpace { organization: organization.clone(), title };
    let imported = use_cases.content.import(actor, destination, &sample(), &|_progress| {}).await?;
    let space = imported.space.id.clone();
    let open = proposals::make(use_cases, actor, &space).await?;
    discussions::make(use_cases, actor, &space, open).await?;
    let new =
        NewSite { title: Some(SiteTitle::fitted(SPACE, SPACE)), spaces: vec![space.clone()], ..NewSite::default() };
    let site = use_cases.sites.create(actor, organization, new.into()).await?.site;
    use_cases.sites.publish(actor, organization, &site.id).await?;
    Ok(space)
}

/// A request for all items: the demo's account has few organizations and spaces, so one page of a list holds them.
fn everything() -> PageRequest {
    PageRequest { limit: MAX_LIMIT, ..PageRequest::default() }
}

impl Demo {
    /// Prints the ids, the token and example requests.
    pub(crate) fn show(&self, url: &Url) {
        let url = url.as_str().trim_end_matches('/');
        let Self { organization, space, conflict, secret } = self;
        let token = secret.reveal();
        let base = format!("{url}/v1/spaces/{space}");
        let mut tries = vec![
            format!("{url}/v1/orgs/{organization}/spaces"),
            format!("{base}/content/path/tour?format=markdown"),
            format!("{base}/search?query=barometer"),
            format!("{base}/comments"),
        ];
        tries.extend(conflict.map(|number| format!("{base}/change-requests/{number}/conflicts")));
        let tries: Vec<String> =
            tries.iter().map(|address| format!("  curl -H \"Authorization: Bearer {token}\" \"{address}\"")).collect();
        let tries = tries.join("\n");
        Output::people().line(format_args!(
            "
The sample content is ready. Later runs of `octavo demo` use the same content.

  Organization  {ORGANIZATION}, id {organization}
  Space         {SPACE}, id {space}
  API token     {token}

Try it:

{tries}

Read and try the whole API at {url}/docs/. Ctrl-C stops the server."
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::path::Path;

    fn walk(folder: &Path, below: &str, found: &mut BTreeSet<String>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            let path = format!("{below}{}", entry.file_name().to_string_lossy());
            if entry.path().is_dir() {
                walk(&entry.path(), &format!("{path}/"), found);
            } else {
                found.insert(path);
            }
        }
    }

    #[test]
    fn every_file_of_the_sample_is_embedded() {
        let mut found = BTreeSet::new();
        walk(&Path::new(env!("CARGO_MANIFEST_DIR")).join("demo"), "", &mut found);
        let embedded: BTreeSet<String> = FILES.iter().map(|(path, _)| (*path).to_owned()).collect();
        assert_eq!(embedded, found);
    }
}
