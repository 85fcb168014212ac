//! The feeds of the pages with updates of an exported site.
use super::targets::has_updates;
use super::{Exporting, without_anchor};
use crate::error::SiteError;
use crate::pages::{render_context, texts};
use domain::content::import::path::encode;
use domain::site::reader::{SiteFrame, SitePage};
use site_html::export::replaced;
use site_html::machine::{self, Addresses, Feed, Text};
use std::collections::BTreeSet;

impl Exporting<'_> {
    /// Adds the feed of a page with updates. All its addresses are absolute.
    pub(super) async fn feed(&mut self, frame: &SiteFrame, page: &mut SitePage, to: &str) -> Result<(), SiteError> {
        let path = page.feed.as_deref().filter(|_| has_updates(page)).map(|feed| self.path_of(feed).to_owned());
        let Some(path) = path else {
            page.feed = None;
            return Ok(());
        };
        let file = self.form_file(&path);
        page.feed = Some(format!("{}{}", self.base, encode(&file)));
        let url = format!("{to}{}", encode(&file));
        let mut found = BTreeSet::new();
        let mut find = |html: String| {
            replaced(&html, &self.own(), |path| {
                found.insert(without_anchor(path).0.to_owned());
                None
            })
        };
        self.feed_text(frame, page, &url, &mut find);
        for path in found {
            self.find(&path).await?;
        }
        let mut change = |html: String| replaced(&html, &self.own(), |path| self.address(path, None));
        let text = self.feed_text(frame, page, &url, &mut change);
        self.put(file, text.unwrap_or_default());
        Ok(())
    }

    /// The feed at an absolute address; `None` if the page has no updates.
    fn feed_text(
        &self,
        frame: &SiteFrame,
        page: &SitePage,
        url: &str,
        change: &mut dyn FnMut(String) -> String,
    ) -> Option<String> {
        let page_url = self.site.to.map(|to| self.moved(&page.href, to))?;
        let language = frame.language.map(|language| language.to_string());
        let text = Text {
            title: &page.title,
            description: page.description.as_deref(),
            url: &page_url,
            document: &page.document,
            references: &page.references,
        };
        let feed = Feed { id: page.id.as_str(), text, site: &frame.title, url, language: language.as_deref() };
        let texts = texts(frame);
        let context = render_context(self.server, frame, &texts, (&page.references, &page.href));
        machine::feed(&feed, &context, &Addresses { base: &self.base, site: self.site.address }, change)
    }
}
