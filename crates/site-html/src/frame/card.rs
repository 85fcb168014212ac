//! The card of a page for social networks.
use super::context::FrameContext;
use super::{hash, head};
use crate::texts::Texts;
use crate::theme;
use cards::{Card, Colors};
use domain::site::customization::ThemeMode;
use domain::site::reader::{SiteFrame, SitePage};
use serde::Serialize;

/// The content of the card of a page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Face {
    version: u32,
    title: String,
    description: Option<String>,
    site: String,
    /// The colours of background, title, description, accent, and text on the accent.
    colors: [[u8; 3]; 5],
    /// The absolute address of the logo of the site.
    pub logo: Option<String>,
}

impl Face {
    /// The card of a page; `None` if the site is not public, or if the page has another picture.
    pub fn of(frame: &SiteFrame, page: &SitePage) -> Option<Self> {
        let texts = Texts::of(frame.language, frame.customization.internationalization.locale);
        let context = FrameContext::new(frame, &texts);
        if head::image(&context, page).is_some() {
            return None;
        }
        Self::new(&context, page)
    }

    pub(super) fn new(context: &FrameContext<'_>, page: &SitePage) -> Option<Self> {
        let frame = context.frame;
        if !frame.indexed || frame.preview || frame.exported {
            return None;
        }
        let dark = context.customization.themes.default == ThemeMode::Dark;
        let logo = context.customization.header.logo.as_ref();
        Some(Self {
            version: cards::VERSION,
            title: page.title.clone(),
            description: head::description(page),
            site: frame.title.clone(),
            colors: theme::card(&context.customization, dark),
            logo: logo.map(|logo| if dark { &logo.dark } else { &logo.light }.as_str().to_owned()),
        })
    }

    /// A hash of the content of the card.
    pub fn hash(&self) -> String {
        hash(self)
    }

    /// The absolute address of the card of a page.
    pub fn address(&self, frame: &SiteFrame, page: &SitePage) -> String {
        let path = page.href.strip_prefix(&frame.base).unwrap_or_default();
        format!("{}~/card/{path}-{}.png", frame.canonical, self.hash())
    }

    /// Renders the card as PNG, with the bytes of the logo.
    pub fn render(&self, logo: Option<&[u8]>) -> Option<Vec<u8>> {
        let [ground, strong, muted, accent, on_accent] = self.colors;
        cards::render(&Card {
            title: &self.title,
            description: self.description.as_deref(),
            site: &self.site,
            colors: Colors { ground, strong, muted, accent, on_accent },
            logo,
        })
    }
}
