//! Lists of the pages of an exported site: in the place of the search, for assistants, and for search engines.
use super::targets::Target;
use super::{Exporting, MISSING, SEARCH};
use crate::error::SiteError;
use crate::machine::summary;
use crate::pages::texts;
use domain::content::import::path::encode;
use domain::site::AgentsContext;
use domain::site::reader::SiteFrame;
use domain::usecases::sites::reader::{ListedPage, Visiting};
use site_html::frame;
use site_html::machine::{self, Overview, SITEMAP_SIZE};

/// The list for assistants.
const LLMS: &str = "llms.txt";
/// The first part of the list for search engines.
const SITEMAP: &str = "sitemap.xml";

/// What lists are made of.
pub(super) struct Lists {
    /// The pages of the tables of contents.
    pub(super) pages: Vec<ListedPage>,
    /// A line about the site.
    summary: Option<String>,
    /// Whether the owner of the site allows agents.
    for_agents: bool,
    /// Whether search engines may index the site.
    indexed: bool,
}

impl Lists {
    pub(super) async fn of(visiting: &mut Visiting<'_>) -> Result<Self, SiteError> {
        let mut pages = visiting.all_pages().await?;
        let summary = summary(&pages, &visiting.canonical());
        pages.retain(|page| !page.hidden);
        let for_agents = visiting.site().agents_context == AgentsContext::Included;
        Ok(Self { summary, for_agents, indexed: visiting.is_indexed(), pages })
    }

    /// The pages that search engines may index.
    fn indexed(&self) -> Vec<&ListedPage> {
        self.pages.iter().filter(|page| self.indexed && page.indexed && page.canonical).collect()
    }

    /// The file of each part of the list for search engines.
    fn sitemaps(&self) -> impl Iterator<Item = String> {
        let name = |part| if part == 1 { SITEMAP.to_owned() } else { format!("sitemap-{part}.xml") };
        (1..=self.indexed().len().div_ceil(SITEMAP_SIZE)).map(name)
    }
}

impl Exporting<'_> {
    /// Reserves the paths of lists, before a page takes one.
    pub(super) fn reserve(&mut self, lists: &Lists) {
        if self.site.to.is_none() {
            return;
        }
        let llms = lists.for_agents.then(|| LLMS.to_owned());
        for name in llms.into_iter().chain(lists.sitemaps()) {
            self.names.take(&name);
            // Authors can link to these; a page can have the path of another part.
            if [LLMS, SITEMAP].contains(&name.as_str()) {
                self.targets.insert(name.clone(), Target::File(name));
            }
        }
    }

    /// Adds the lists, and the page for addresses that lead nowhere. `paths` are those of the pages on the site.
    pub(super) async fn lists(
        &mut self,
        frame: &SiteFrame,
        mut lists: Lists,
        paths: &[String],
    ) -> Result<(), SiteError> {
        if let Some(to) = self.site.to {
            // Pages that are rendered can link to the Markdown of others.
            for page in &mut lists.pages {
                let path = self.path_of(&page.markdown).to_owned();
                page.markdown = format!("{to}{}", encode(&self.form_file(&path)));
            }
        }
        self.list(frame, &lists.pages, paths).await?;
        let Some(to) = self.site.to else { return Ok(()) };
        let html = frame::not_found(frame, &[], &texts(frame), &self.server.settings.fonts).html;
        self.add_html(MISSING, &html, None).await?;
        for page in &mut lists.pages {
            page.url = self.moved(&page.url, to);
            page.alternates.iter_mut().for_each(|(_, address)| *address = self.moved(address, to));
        }
        if lists.for_agents {
            let summary = lists.summary.as_deref();
            let overview = Overview { title: &frame.title, summary, site: to, served: false };
            let listed: Vec<ListedPage> = lists.pages.iter().filter(|page| !page.no_index).cloned().collect();
            self.put(LLMS.to_owned(), machine::llms(&overview, &listed));
        }
        let indexed = lists.indexed();
        for (part, name) in (1..).zip(lists.sitemaps()) {
            if let Some(text) = machine::sitemap(&indexed, part) {
                self.put(name, text);
            }
        }
        Ok(())
    }

    /// Adds the page that lists all pages but those that searches do not find.
    async fn list(&mut self, frame: &SiteFrame, pages: &[ListedPage], paths: &[String]) -> Result<(), SiteError> {
        let hrefs: Vec<String> = paths.iter().map(|path| format!("{}{path}", self.base)).collect();
        let listed = pages.iter().zip(hrefs.iter().map(String::as_str)).filter(|(page, _)| !page.no_index);
        let listed: Vec<(&ListedPage, &str)> = listed.collect();
        let html = frame::page_list(frame, &listed, &texts(frame), &self.server.settings.fonts).html;
        self.add_html(SEARCH, &html, Some(SEARCH)).await
    }
}
