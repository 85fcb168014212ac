//! The pages of an exported site as Markdown.
use super::{Exporting, without_anchor};
use crate::error::SiteError;
use domain::content::import::path::encode;
use domain::content::reference::ContentRef;
use domain::site::reader::{ReferenceTarget, SitePage};
use site_html::machine::{self, Addresses, Text};

impl Exporting<'_> {
    /// Adds a page as Markdown, with absolute addresses. Then the page leads to this file.
    pub(super) async fn markdown(&mut self, page: &mut SitePage, to: &str) -> Result<(), SiteError> {
        let path = self.path_of(&page.markdown).to_owned();
        let file = self.form_file(&path);
        page.markdown = format!("{}{}", self.base, encode(&file));
        let (mut references, mut document) = (page.references.clone(), page.document.clone());
        for target in references.targets.values_mut() {
            let href = match target {
                ReferenceTarget::Link(link) => &mut link.href,
                ReferenceTarget::File(file) => &mut file.href,
                ReferenceTarget::Tag(_) | ReferenceTarget::Person(_) => continue,
            };
            let Some(own) = self.own().path(href).map(str::to_owned) else { continue };
            self.find(without_anchor(&own).0).await?;
            if let Some(address) = self.address(&own, None) {
                *href = address;
            }
        }
        // Whole URLs of the site that authors wrote.
        let mut written = Vec::new();
        document.map_references(|target| written.extend(self.written(target).map(str::to_owned)));
        for path in written {
            self.find(without_anchor(&path).0).await?;
        }
        document.map_references(|target| {
            let address = self.written(target).map(|path| self.address(path, None).unwrap_or_default());
            if let Some(url) = address {
                *target = ContentRef::Url { url };
            }
        });
        let url = self.moved(&page.href, to);
        let text = Text {
            title: &page.title,
            description: page.description.as_deref(),
            url: &url,
            document: &document,
            references: &references,
        };
        let text = machine::markdown(&text, &Addresses { base: &self.base, site: to });
        self.put(file, text);
        Ok(())
    }

    /// The path on the site of a whole URL.
    fn written<'t>(&self, target: &'t ContentRef) -> Option<&'t str> {
        match target {
            // Others are text.
            ContentRef::Url { url } if url.contains("://") => self.own().path(url),
            _ => None,
        }
    }
}
