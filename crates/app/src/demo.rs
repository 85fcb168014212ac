//! The sample that `octavo demo` shows: an organization with one space, made of the pages in `crates/app/demo`, and two
//! change requests for it.
mod proposals;

use crate::compose::Ports;
use crate::config::Place;
use crate::output::Output;
use anyhow::{Context, Result};
use bytes::Bytes;
use domain::actor::Actor;
use domain::content::import::InMemory;
use domain::id::{OrganizationId, SpaceId};
use domain::organization::Organization;
use domain::paging::{MAX_LIMIT, PageRequest};
use domain::space::Space;
use domain::text::{DisplayName, Email, OrganizationTitle, SpaceTitle, TokenLabel};
use domain::token::{NewToken, Secret};
use domain::usecases::Error;
use domain::usecases::accounts::NewUser;
use domain::usecases::content::Destination;
use domain::usecases::organizations::NewOrganization;
use domain::user::User;
use url::Url;

const EMAIL: &str = "demo@localhost";
const ORGANIZATION: &str = "Octavo demo";
const SPACE: &str = "Octavo guide";

/// Where the token is kept, so that it is the same when the demo is run again.
const TOKEN_FILE: &str = "demo-token";

macro_rules! files {
    ($($path:literal),+ $(,)?) => {
        /// The files of the sample, by their paths.
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

/// The sample as a source of an import.
fn sample() -> InMemory {
    InMemory::new(SPACE, FILES.iter().map(|(path, bytes)| (*path, Bytes::from_static(bytes))))
}

/// The sample, in place.
pub(crate) struct Demo {
    organization: OrganizationId,
    space: SpaceId,
    /// The number of a change request with a conflict.
    conflict: Option<u32>,
    secret: Secret,
}

/// Puts the sample in, or finds it where it was put before.
///
/// # Errors
/// Those of the database and of the data folder.
pub(crate) async fn set_up(ports: &Ports, place: &Place) -> Result<Demo> {
    let user = user(ports, place).await.context("cannot make the demo's account")?;
    let (actor, secret) = token(ports, place, &user).await.context("cannot make the demo's token")?;
    let organization = organization(ports, &actor).await.context("cannot make the demo's organization")?;
    let space = space(ports, &actor, &organization).await.context("cannot put the sample content in")?;
    let conflict = proposals::undecided(ports, &actor, &space).await.context("cannot find the sample's conflict")?;
    Ok(Demo { organization, space, conflict, secret })
}

/// The demo's account; the first one of a server that has none.
async fn user(ports: &Ports, place: &Place) -> Result<User> {
    let email: Email = EMAIL.parse().map_err(|rule: domain::text::Rule| rule.of("email"))?;
    let accounts = ports.accounts();
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

/// The token of the last run, while it opens the account; otherwise a new one.
async fn token(ports: &Ports, place: &Place, user: &User) -> Result<(Actor, Secret)> {
    let accounts = ports.accounts();
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

async fn organization(ports: &Ports, actor: &Actor) -> Result<OrganizationId, Error> {
    let organizations = ports.organizations();
    let known = organizations.list(actor, everything().into()).await?.items;
    let is_ours = |organization: &&Organization| organization.title.as_str() == ORGANIZATION;
    if let Some(found) = known.iter().map(|organization| &**organization).find(is_ours) {
        return Ok(found.id.clone());
    }
    let title = OrganizationTitle::fitted(ORGANIZATION, ORGANIZATION);
    let new = NewOrganization { title, email_domains: Vec::new() };
    Ok(organizations.create(actor, new.into()).await?.id.clone())
}

async fn space(ports: &Ports, actor: &Actor, organization: &OrganizationId) -> Result<SpaceId, Error> {
    let known = ports.spaces().list(actor, organization, (false, everything()).into()).await?.items;
    let is_ours = |space: &&Space| space.title.as_str() == SPACE;
    if let Some(found) = known.iter().map(|space| &**space).find(is_ours) {
        return Ok(found.id.clone());
    }
    let title = Some(SpaceTitle::fitted(SPACE, ""));
    let destination = Destination::NewSpace { organization: organization.clone(), title };
    let imported = ports.content().import(actor, destination, &sample(), &|_progress| {}).await?;
    let space = imported.space.id.clone();
    proposals::make(ports, actor, &space).await?;
    Ok(space)
}

/// The demo's account has few organizations and spaces: the first page of a list is all of it.
fn everything() -> PageRequest {
    PageRequest { limit: MAX_LIMIT, ..PageRequest::default() }
}

impl Demo {
    /// Tells a person what to try.
    pub(crate) fn show(&self, url: &Url) {
        let url = url.as_str().trim_end_matches('/');
        let Self { organization, space, conflict, secret } = self;
        let token = secret.reveal();
        let base = format!("{url}/v1/spaces/{space}");
        let mut tries = vec![
            format!("{url}/v1/orgs/{organization}/spaces"),
            format!("{base}/content/path/tour?format=markdown"),
            format!("{base}/search?query=barometer"),
        ];
        tries.extend(conflict.map(|number| format!("{base}/change-requests/{number}/conflicts")));
        let tries: Vec<String> =
            tries.iter().map(|address| format!("  curl -H \"Authorization: Bearer {token}\" \"{address}\"")).collect();
        let tries = tries.join("\n");
        Output::people().line(format_args!(
            "
Sample content is in place; running `octavo demo` again finds it there.

  Organization  {ORGANIZATION}, id {organization}
  Space         {SPACE}, id {space}
  API token     {token}

Try it:

{tries}

The whole API, to read and to try, is at {url}/docs/. Ctrl-C stops the server."
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
