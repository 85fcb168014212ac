//! `octavo site export`: a site as a folder of files.
use super::Named;
use crate::commands::export::Folder;
use crate::config::{SitesAt, font_table, public_url};
use crate::failure::Failure;
use crate::output::Output;
use anyhow::Result;
use clap::Args;
use domain::site::address::Hosting;
use domain::usecases::{Error, UseCases};
use site_actix::{SiteError, SiteExport, SiteServer, SiteSettings};
use std::path::PathBuf;
use std::sync::Arc;
use url::Url;

/// The folder that identifies an export.
const MARK: &str = "~/assets";
/// The URL of the server if the command does not know it. Nobody can open it.
const UNKNOWN: &str = "http://localhost";
/// The size of the cache of rendered texts, in bytes.
const CACHE: u64 = 8 << 20;

/// The arguments of `octavo site export`.
#[derive(Args, Debug)]
pub(crate) struct ExportSite {
    #[command(flatten)]
    named: Named,
    /// The folder to write; it must not exist, or be empty.
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
    /// The URL where the files will be. With it, there are also sitemap.xml, llms.txt, 404.html, and pages as Markdown.
    #[arg(long, value_name = "URL", value_parser = public_url)]
    base_url: Option<Url>,
    /// Replace the folder if an earlier export wrote it.
    #[arg(long)]
    force: bool,
    /// The folder with fonts for sites, as packages of Fontsource [default: fonts of the visitors' systems].
    #[arg(long, env = "OCTAVO_FONTS_DIR", value_name = "FOLDER")]
    fonts_dir: Option<PathBuf>,
    /// The URL of the server. Complete URLs of the site in its pages become links to the files; links to other pages of
    /// the server, such as /docs, begin with this URL.
    #[arg(long, env = "OCTAVO_PUBLIC_URL", value_name = "URL", default_value = UNKNOWN, value_parser = public_url)]
    public_url: Url,
    #[command(flatten)]
    sites: SitesAt,
}

impl ExportSite {
    /// Runs the command.
    ///
    /// # Errors
    /// If nothing was exported.
    pub(super) async fn run(self, use_cases: &UseCases) -> Result<()> {
        let shown = self.named.shown(use_cases).await?;
        let site = &shown.site;
        let name = &site.basename;
        if !site.visibility.is_open() {
            return Err(Failure::new(format!("the site {name} is not public: its visibility is {}", site.visibility))
                .advise("an export contains only what every visitor sees: make the site public or unlisted")
                .into());
        }
        let address = shown.address.filter(|_| site.is_published()).ok_or_else(|| {
            Failure::new(format!("the site {name} is not published"))
                .advise(format!("publish it with `octavo site publish {name}`"))
        })?;
        let server = SiteServer::new(use_cases.clone(), self.settings()?);
        let address = address.at(&use_cases.sites.hosting, "");
        let to = self.base_url.as_ref().map(|url| format!("{}/", url.as_str().trim_end_matches('/')));
        let mut folder = Folder::new(&self.folder, self.force.then_some(MARK));
        let is_address_known = !address.starts_with(&format!("{UNKNOWN}/"));
        let export = SiteExport { address: &address, is_address_known, to: to.as_deref() };
        let written = Box::pin(site_actix::export(&server, export, async |file| folder.write(use_cases, file).await));
        let exported = written.await.map_err(|error: anyhow::Error| match error.downcast::<SiteError>() {
            Ok(SiteError::UseCase(Error::NotFound("page"))) => Failure::new(format!("the site {name} has no pages"))
                .advise("add a space with pages to the site")
                .into(),
            Ok(error) => Failure::new(format!("cannot export the site {name}")).because(error).into(),
            Err(failure) => failure,
        })?;
        let files = folder.finish()?;
        let output = Output::people();
        for (urls, what) in [
            (
                &exported.unfetched,
                "These images and fonts of other hosts cannot be fetched; pages load them from there",
            ),
            (&exported.broken_links, "These links lead nowhere in the export; pages have them as text"),
        ] {
            if !urls.is_empty() {
                let list: String = urls.iter().map(|url| format!("\n  {url}")).collect();
                output.note(format_args!("{what}:{list}"));
            }
        }
        let (pages, folder) = (exported.pages, self.folder.display());
        output.line(format_args!("Exported {pages} pages in {files} files to {folder}"));
        Ok(())
    }

    /// Where the sites of the server are.
    pub(super) fn hosting(&self) -> Hosting {
        self.sites.hosting(&self.public_url)
    }

    /// The settings of a server that answers no requests.
    fn settings(&self) -> Result<SiteSettings> {
        Ok(SiteSettings {
            public_url: self.public_url.clone(),
            api_document: String::new,
            sites_url: self.sites.url(&self.public_url).clone(),
            trusted_proxies: Vec::new(),
            cache_bytes: CACHE,
            keep_external_images: true,
            fonts: Arc::new(font_table(self.fonts_dir.as_deref())?),
            feedback_per_minute: 0,
            searches_per_minute: 0,
            edge_seconds: 0,
        })
    }
}
