//! The sample of `octavo demo`: an organization with one space, created from the pages in `crates/app/demo`, two change
//! requests and two threads of comments for it, and a published site that shows it.
mod discussions;
mod proposals;
mod site;

use crate::config::Place;
use crate::output::Output;
use anyhow::{Context, Result};
use bytes::Bytes;
use domain::actor::Actor;
use domain::content::import::InMemory;
use domain::id::{OrganizationId, SpaceId};
use domain::organization::{Organization, OrganizationPatch};
use domain::paging::{MAX_LIMIT, PageRequest};
use domain::space::Space;
use domain::text::{DisplayName, Email, OrganizationTitle, SpaceTitle, TokenLabel};
use domain::token::{NewToken, Secret};
use domain::usecases::accounts::NewUser;
use domain::usecases::content::Destination;
use domain::usecases::organizations::NewOrganization;
use domain::usecases::{Error, Precondition, UseCases};
use domain::user::User;
use url::Url;

const EMAIL: &str = "demo@localhost";
const ORGANIZATION: &str = "Octavo demo";
/// The title of the organization until the sample is complete. A later run then creates what is missing.
const INCOMPLETE: &str = "Octavo demo (incomplete)";
const SPACE: &str = "Octavo guide";

/// The file with the token, which stays the same in later runs of the demo.
const TOKEN_FILE: &str = "demo-token";

/// Paths below a folder, with the contents of the files.
macro_rules! files {
    ($folder:literal: $($path:literal),+ $(,)?) => {
        &[$(($path, include_bytes!(concat!($folder, $path)))),+]
    };
}

/// Files by path.
type Files = &'static [(&'static str, &'static [u8])];

/// The sample.
const FILES: Files = files! {
    "../demo/":
    ".gitbook.yaml",
    ".gitbook/includes/token.md",
    ".gitbook/vars.yaml",
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
};

/// The documentation of Octavo.
const DOCS: Files = files! {
    "../../../docs/":
    "README.md",
    "SUMMARY.md",
    "access.md",
    "api.md",
    "architecture.md",
    "change-requests.md",
    "comments.md",
    "content.md",
    "conversations.md",
    "decisions/0001-engine-without-io.md",
    "decisions/0002-prolly-trees.md",
    "decisions/0003-two-databases.md",
    "decisions/0004-search-terms-in-the-domain.md",
    "decisions/0005-sqlite-on-the-calling-thread.md",
    "decisions/0006-group-commit.md",
    "decisions/0007-signed-addresses.md",
    "decisions/0008-input-after-rights.md",
    "decisions/0009-answers-until-a-commit.md",
    "decisions/0010-joined-before-it-is-written.md",
    "decisions/0011-conflicts-stay-with-the-change-request.md",
    "decisions/0012-finished-answers.md",
    "decisions/0013-last-use-of-tokens.md",
    "decisions/0014-content-is-condemned-before-it-is-collected.md",
    "decisions/0015-claims-are-signed-here.md",
    "decisions/0016-large-steps-are-stored-ahead.md",
    "decisions/0017-long-work-on-threads-of-its-own.md",
    "decisions/0018-connections-of-our-own.md",
    "decisions/0019-a-request-is-run-again-as-a-whole.md",
    "decisions/0020-the-response-is-committed-with-its-request.md",
    "decisions/0021-a-list-keeps-the-order-that-it-began-with.md",
    "decisions/0022-a-version-of-a-spec-is-a-map-of-parts.md",
    "decisions/0023-code-is-highlighted-by-textmate-grammars.md",
    "decisions/0024-pages-are-remembered-by-what-they-are-made-of.md",
    "decisions/0025-issues-are-compared-by-small-vectors.md",
    "decisions/0026-images-are-rendered-on-the-server.md",
    "decisions/0027-cached-pages-without-the-framework.md",
    "decisions/0028-a-unit-of-work-begins-again-on-another-connection.md",
    "decisions/0029-events-are-counted-in-rows-that-are-free.md",
    "decisions/0030-the-database-selects-members-with-access.md",
    "decisions/0031-links-are-collected-once-for-each-revision.md",
    "decisions/0032-commands-share-round-trips.md",
    "decisions/0033-comments-on-a-space-take-no-lock.md",
    "decisions/0034-visits-share-what-they-read.md",
    "decisions/0035-files-follow-the-content-that-uses-them.md",
    "decisions/README.md",
    "images/architecture.svg",
    "images/docs.png",
    "images/not-found.png",
    "images/phone.png",
    "images/reference.png",
    "images/releases.png",
    "images/search.png",
    "images/site-dark.png",
    "images/site-light.png",
    "notifications.md",
    "openapi-specs.md",
    "operations.md",
    "promises.md",
    "reader.md",
    "search.md",
    "site-addresses.md",
    "site-audiences.md",
    "site-customization.md",
    "sites.md",
    "translations.md",
    "webhooks.md",
};

/// Files as the source of an import.
fn source(name: &str, files: Files) -> InMemory {
    InMemory::new(name, files.iter().map(|(path, bytes)| (*path, Bytes::from_static(bytes))))
}

/// The stored sample.
pub(crate) struct Demo {
    organization: OrganizationId,
    space: SpaceId,
    /// The address of the site.
    site: Option<String>,
    /// The number of a change request with a conflict.
    conflict: Option<u32>,
    secret: Secret,
}

/// Stores the sample, or finds that of an earlier run. If the earlier run was interrupted, stores what is missing.
///
/// # Errors
/// Errors of the database and of the data folder.
pub(crate) async fn set_up(use_cases: &UseCases, place: &Place) -> Result<Demo> {
    let user = user(use_cases, place).await.context("cannot create the demo's account")?;
    let (actor, secret) = token(use_cases, place, &user).await.context("cannot create the demo's token")?;
    let organization = organization(use_cases, &actor).await.context("cannot create the demo's organization")?;
    let space = Box::pin(guide(use_cases, &actor, &organization)).await.context("cannot create the sample content")?;
    let organization = organization.id;
    let conflict =
        proposals::undecided(use_cases, &actor, &space).await.context("cannot find the sample's conflict")?;
    let site = site::address(use_cases, &actor, &organization, &space).await.context("cannot find the demo's site")?;
    Ok(Demo { organization, space, site, conflict, secret })
}

/// The demo's account. On a server without accounts, it becomes the first administrator.
async fn user(use_cases: &UseCases, place: &Place) -> Result<User> {
    let email: Email = EMAIL.parse().map_err(|rule: domain::text::Rule| rule.of("email"))?;
    let accounts = &use_cases.accounts;
    // Kept before it is stored: if this run is interrupted in between, the next one needs no second token.
    let secret = match kept(place)? {
        Some(kept) => kept,
        None => {
            let secret = Secret::from_random(&accounts.secrets.random());
            place.remember(TOKEN_FILE, secret.reveal())?;
            secret
        }
    };
    if let Some(made) = accounts.bootstrap(email.clone(), title(INCOMPLETE), Some(secret)).await? {
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

/// The token in the data folder. It may be unknown to the database.
fn kept(place: &Place) -> Result<Option<Secret>> {
    Ok(place.recall(TOKEN_FILE)?.and_then(|line| Secret::chosen(line).ok()))
}

/// The token in the data folder if it is valid; otherwise a new one.
async fn token(use_cases: &UseCases, place: &Place, user: &User) -> Result<(Actor, Secret)> {
    let accounts = &use_cases.accounts;
    if let Some(kept) = kept(place)?
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

fn title(title: &str) -> OrganizationTitle {
    OrganizationTitle::fitted(title, ORGANIZATION)
}

/// The organization with the sample, or a new one for it.
async fn organization(use_cases: &UseCases, actor: &Actor) -> Result<Organization, Error> {
    let organizations = &use_cases.organizations;
    let known = organizations.list(actor, everything().into()).await?.items;
    for ours in [ORGANIZATION, INCOMPLETE] {
        if let Some(found) = known.iter().find(|organization| organization.title.as_str() == ours) {
            return Ok((**found).clone());
        }
    }
    let new = NewOrganization { title: title(INCOMPLETE), email_domains: Vec::new(), with_default_site: false };
    Ok((*organizations.create(actor, new.into()).await?).clone())
}

/// The space of the guide. If it or anything of the sample is missing, creates what is missing, step by step: every
/// step looks for its own result first.
async fn guide(use_cases: &UseCases, actor: &Actor, organization: &Organization) -> Result<SpaceId> {
    let id = &organization.id;
    if organization.title.as_str() == ORGANIZATION
        && let Some(space) = space(use_cases, actor, id, SPACE).await?
    {
        return Ok(space);
    }
    rename(use_cases, actor, id, INCOMPLETE).await?;
    let guide = imported(use_cases, actor, id, SPACE, FILES).await?;
    let open = proposals::make(use_cases, actor, &guide).await?;
    discussions::make(use_cases, actor, &guide, open).await?;
    site::make(use_cases, actor, id, &guide, DOCS).await?;
    rename(use_cases, actor, id, ORGANIZATION).await?;
    Ok(guide)
}

async fn rename(use_cases: &UseCases, actor: &Actor, organization: &OrganizationId, to: &str) -> Result<(), Error> {
    let patch = OrganizationPatch { title: Some(title(to)), ..OrganizationPatch::default() };
    use_cases.organizations.update(actor, organization, Precondition::none(), patch.into()).await.map(drop)
}

/// The space with this title, if there is one.
async fn space(
    use_cases: &UseCases,
    actor: &Actor,
    organization: &OrganizationId,
    title: &str,
) -> Result<Option<SpaceId>, Error> {
    let known = use_cases.spaces.list(actor, organization, (false, everything()).into()).await?.items;
    let found = known.iter().map(|shown| &*shown.space).find(|space: &&Space| space.title.as_str() == title);
    Ok(found.map(|space| space.id.clone()))
}

/// The space with this title. If there is none, it is imported from files, as a whole or not at all.
async fn imported(
    use_cases: &UseCases,
    actor: &Actor,
    organization: &OrganizationId,
    title: &str,
    files: Files,
) -> Result<SpaceId, Error> {
    if let Some(found) = space(use_cases, actor, organization, title).await? {
        return Ok(found);
    }
    let source = source(title, files);
    let title = Some(SpaceTitle::fitted(title, ""));
    let destination = Destination::NewSpace { organization: organization.clone(), title };
    Ok(Box::pin(use_cases.content.import(actor, destination, &source, &|_progress| {})).await?.space.id.clone())
}

/// A request for all items: the demo's account has few organizations and spaces, so one page of a list holds them.
fn everything() -> PageRequest {
    PageRequest { limit: MAX_LIMIT, ..PageRequest::default() }
}

impl Demo {
    /// The address of the site.
    pub(crate) fn site(&self) -> Option<&str> {
        self.site.as_deref()
    }

    /// Prints the address of the site, the ids, the token and example requests.
    pub(crate) fn show(&self, url: &Url) {
        let url = url.as_str().trim_end_matches('/');
        let Self { organization, space, site, conflict, secret } = self;
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
        let site = site.as_deref().unwrap_or("not published");
        Output::people().line(format_args!(
            "
The sample content is ready. Later runs of `octavo demo` use the same content.

  Site          {site}
  Organization  {ORGANIZATION}, id {organization}
  Space         {SPACE}, id {space}
  API token     {token}

Open the site in a browser, or try the API:

{tries}

Read and try the whole API at {url}/docs. Ctrl-C stops the server."
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
        for (folder, files) in [("demo", FILES), ("../../docs", DOCS)] {
            let mut found = BTreeSet::new();
            walk(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder), "", &mut found);
            let embedded: BTreeSet<String> = files.iter().map(|(path, _)| (*path).to_owned()).collect();
            assert_eq!(embedded, found, "{folder}");
        }
    }
}
