//! Templates: sets of pages to start from, written for this product.
use crate::import::InMemory;
use bytes::Bytes;
use values::text::Rule;

/// A set of pages to start from.
#[derive(Clone, Copy, Debug)]
pub struct Template {
    /// Its id.
    pub id: &'static str,
    files: &'static [(&'static str, &'static str)],
}

macro_rules! template {
    ($id:literal: $($file:literal),+) => {
        Template { id: $id, files: &[$(($file, include_str!(concat!($id, "/", $file)))),+] }
    };
}

/// Every template.
pub const ALL: [Template; 3] = [
    template!("getting-started": "SUMMARY.md", "README.md", "installation.md", "first-steps.md"),
    template!("product-guide": "SUMMARY.md", "README.md", "concepts.md", "troubleshooting.md"),
    template!("release-notes": "SUMMARY.md", "README.md"),
];

/// The prefix of addresses in a template that are placeholders: `ref:api` is replaced by the reference named `api`.
pub const PLACEHOLDER: &str = "ref:";

impl Template {
    /// Its files.
    pub fn source(&self) -> InMemory {
        let files = self.files.iter().map(|(path, text)| (*path, Bytes::from_static(text.as_bytes())));
        InMemory::new(self.id, files)
    }
}

impl std::str::FromStr for Template {
    type Err = Rule;

    fn from_str(id: &str) -> Result<Self, Rule> {
        let found = ALL.into_iter().find(|template| template.id == id);
        found.ok_or_else(|| Rule::one_of(ALL.map(|template| template.id)))
    }
}
