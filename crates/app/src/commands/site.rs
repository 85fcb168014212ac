//! `octavo site`: the docs sites of an organization.
mod export;

use super::choose;
use crate::failure::Failure;
use crate::output::Output;
use anyhow::Result;
use chrono::SecondsFormat;
use clap::{Args, Subcommand};
use domain::actor::Actor;
use domain::id::{OrganizationId, SpaceId};
use domain::patch::Patch;
use domain::site::address::Hosting;
use domain::site::path::Hostname;
use domain::site::structure::SiteTitle;
use domain::site::{NewSite, Site, SitePatch, SiteVisibility};
use domain::text::Rule;
use domain::usecases::sites::{ShownSite, SiteFilter};
use domain::usecases::{Error, Precondition, UseCases};
use serde_json::{Value, json};

#[derive(Debug, Subcommand)]
pub(crate) enum SiteCommand {
    /// List the sites of an organization.
    List(List),

    /// Create a site, without publishing it.
    #[command(after_long_help = "\
Examples:
  octavo site create \"Product docs\" --space 0198f3… --space 0198f4…
  octavo site create Handbook --visibility share-link")]
    Create(Create),

    /// Publish a site for its audience.
    Publish(Named),

    /// Take a site offline.
    Unpublish(Named),

    /// Set the host name of a site, or remove it.
    ///
    /// The host name must lead to this server; a host name belongs to one site.
    #[command(after_long_help = "\
Examples:
  octavo site hostname product-docs docs.example.org
  octavo site hostname product-docs --remove")]
    Hostname(SetHostname),

    /// Write a published site as a folder of files that need no server.
    ///
    /// The folder has what every visitor sees. Links in it are relative, so it works at any URL and from a disk.
    #[command(after_long_help = "\
Examples:
  octavo site export product-docs ./out --public-url https://octavo.example.org
  octavo site export product-docs ./out --base-url https://docs.example.org/
  octavo site export product-docs ./out --force")]
    Export(Box<export::ExportSite>),
}

#[derive(Args, Debug)]
pub(crate) struct List {
    /// The organization [default: the only one].
    #[arg(long, value_name = "ID")]
    organization: Option<OrganizationId>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Args, Debug)]
pub(crate) struct Create {
    /// The title, 2 to 128 characters. The name in addresses is derived from it.
    #[arg(value_name = "TITLE")]
    title: SiteTitle,
    /// A space to show; repeat it for several. The first one is the default.
    #[arg(long = "space", value_name = "ID")]
    spaces: Vec<SpaceId>,
    /// Who can see the site once it is published: public, unlisted, share-link or visitor-auth.
    #[arg(long, value_name = "VISIBILITY", default_value = "public", value_parser = visibility)]
    visibility: SiteVisibility,
    /// The organization [default: the only one].
    #[arg(long, value_name = "ID")]
    organization: Option<OrganizationId>,
}

#[derive(Args, Debug)]
pub(crate) struct Named {
    /// The site: its id or its name in addresses.
    #[arg(value_name = "SITE")]
    site: String,
    /// The organization [default: the only one].
    #[arg(long, value_name = "ID")]
    organization: Option<OrganizationId>,
}

#[derive(Args, Debug)]
pub(crate) struct SetHostname {
    #[command(flatten)]
    named: Named,
    /// The host name, such as docs.example.org.
    #[arg(value_name = "HOSTNAME", required_unless_present = "remove")]
    hostname: Option<Hostname>,
    /// Remove the host name.
    #[arg(long, conflicts_with = "hostname")]
    remove: bool,
}

fn visibility(raw: &str) -> Result<SiteVisibility, Rule> {
    raw.parse()
}

impl SiteCommand {
    /// Where the sites are that the command reads.
    pub(crate) fn hosting(&self) -> Hosting {
        match self {
            Self::Export(command) => command.hosting(),
            _ => Hosting::default(),
        }
    }

    /// Runs the command.
    pub(crate) async fn run(self, use_cases: &UseCases) -> Result<()> {
        match self {
            Self::List(command) => command.run(use_cases).await,
            Self::Create(command) => command.run(use_cases).await,
            Self::Publish(named) => {
                let site = named.find(use_cases).await?;
                let sites = &use_cases.sites;
                let shown = sites.publish(&Actor::Operator, &site.organization, &site.id).await?;
                say(&shown.site, "is published");
                Ok(())
            }
            Self::Unpublish(named) => {
                let site = named.find(use_cases).await?;
                let sites = &use_cases.sites;
                let shown = sites.unpublish(&Actor::Operator, &site.organization, &site.id).await?;
                say(&shown.site, "is not published");
                Ok(())
            }
            Self::Hostname(command) => command.run(use_cases).await,
            Self::Export(command) => super::stoppable(Box::pin(command.run(use_cases))).await,
        }
    }
}

fn say(site: &Site, state: &str) {
    Output::people().note(format_args!("The site {} {state}.", site.basename));
}

async fn sites(use_cases: &UseCases, organization: &OrganizationId) -> Result<Vec<ShownSite>, Error> {
    let usecase = &use_cases.sites;
    choose::all(async |page| usecase.list(&Actor::Operator, organization, (SiteFilter::default(), page).into()).await)
        .await
}

impl List {
    async fn run(self, use_cases: &UseCases) -> Result<()> {
        let organization = choose::organization(use_cases, self.organization.as_ref()).await?;
        let sites = sites(use_cases, &organization).await?;
        let output = Output::new(self.json);
        if output.is_json() {
            output.json(&sites.iter().map(described).collect());
            return Ok(());
        }
        let row = |shown: &ShownSite| {
            let site = &shown.site;
            let state = if site.is_published() { "published" } else { "not published" };
            [
                site.id.to_string(),
                site.basename.to_string(),
                site.title.to_string(),
                site.visibility.to_string(),
                state.to_owned(),
                shown.spaces.to_string(),
            ]
        };
        let columns = ["id", "name", "title", "visibility", "state", "spaces"];
        output.table(columns, sites.iter().map(row).collect(), "There are no sites.");
        Ok(())
    }
}

impl Create {
    async fn run(self, use_cases: &UseCases) -> Result<()> {
        let Self { title, spaces, visibility, organization } = self;
        let organization = choose::organization(use_cases, organization.as_ref()).await?;
        let new = NewSite { title: Some(title), spaces, visibility, ..NewSite::default() };
        let made = use_cases.sites.create(&Actor::Operator, &organization, new.into()).await?;
        let id = &made.site.id;
        Output::people()
            .note(format_args!("Created the site {}, id {id}. It is not published yet.", made.site.basename));
        Ok(())
    }
}

impl Named {
    /// The site with this id or basename.
    async fn find(&self, use_cases: &UseCases) -> Result<Site> {
        Ok((*self.shown(use_cases).await?.site).clone())
    }

    /// The same, as it is listed.
    async fn shown(&self, use_cases: &UseCases) -> Result<ShownSite> {
        let organization = choose::organization(use_cases, self.organization.as_ref()).await?;
        let all = sites(use_cases, &organization).await?;
        let is_meant =
            |site: &Site| site.id.as_str() == self.site || site.basename.as_str() == self.site.to_lowercase();
        if let Some(found) = all.iter().find(|shown| is_meant(&shown.site)) {
            return Ok(found.clone());
        }
        let list: String = all.iter().map(|shown| format!("\n  {}  {}", shown.site.id, shown.site.basename)).collect();
        let advice = match list.is_empty() {
            true => "create it with `octavo site create`".to_owned(),
            false => format!("use one of:{list}"),
        };
        Err(Failure::new(format!("there is no site {}", self.site)).advise(advice).into())
    }
}

impl SetHostname {
    async fn run(self, use_cases: &UseCases) -> Result<()> {
        let site = self.named.find(use_cases).await?;
        let hostname = self.hostname.map_or(Patch::Clear, Patch::Set);
        let patch = SitePatch { hostname, ..SitePatch::default() };
        let (usecase, organization) = (&use_cases.sites, &site.organization);
        let changed =
            usecase.update(&Actor::Operator, organization, &site.id, Precondition::none(), patch.into()).await?.site;
        match &changed.hostname {
            Some(hostname) => say(&changed, &format!("has the host name {hostname}")),
            None => say(&changed, "has no host name"),
        }
        Ok(())
    }
}

fn described(shown: &ShownSite) -> Value {
    let site = &shown.site;
    json!({
        "id": site.id,
        "basename": site.basename,
        "hostname": site.hostname,
        "title": site.title,
        "visibility": site.visibility,
        "published": site.is_published(),
        "siteSpaces": shown.spaces,
        "createdAt": site.created_at.to_rfc3339_opts(SecondsFormat::Secs, true),
    })
}
