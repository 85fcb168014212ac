//! Redirects of an exported site: a page for each path, and a list for hosts that read one.
use super::targets::{Lead, Target};
use super::{Exporting, INDEX, without_anchor};
use crate::error::SiteError;
use domain::content::import::path::{decode, encode};
use domain::site::resolve::own_path;
use domain::usecases::sites::reader::WildcardRedirect;
use site_html::export::redirect;
use std::fmt::Write;
use url::Url;

/// The list that Netlify, Cloudflare Pages and GitLab Pages read.
pub(super) const LIST: &str = "_redirects";

impl Exporting<'_> {
    /// Adds a page for each path that leads to another page, so that old links work on every host, and the list of
    /// redirects that cannot be pages.
    pub(super) async fn redirects(&mut self) -> Result<(), SiteError> {
        let (_, mut visiting) = self.visit("").await?;
        let title = visiting.site().title.to_string();
        let old = visiting.old_paths().await?;
        drop(visiting);
        for path in old.redirected.iter().chain(old.former.difference(&old.redirected)) {
            let (path, is_chosen) = (encode(path), old.redirected.contains(path));
            let target = match self.lead(&path).await? {
                // An existing page takes precedence.
                Lead::Page(page) if page == path => continue,
                Lead::Page(page) if is_chosen => Target::File(self.plan(&page)),
                // The names that a hidden page had are hidden too.
                Lead::Page(_) | Lead::Form { .. } => continue,
                Lead::Known(target) => target,
            };
            self.redirect(&title, &path, target);
        }
        if let Some(to) = self.site.to {
            self.list_of_redirects(&old.wildcards, to).await?;
        }
        Ok(())
    }

    fn redirect(&mut self, title: &str, path: &str, target: Target) {
        let leads_here = |url: &str| url.strip_prefix(self.site.address) == Some(path);
        let is_lost = match &target {
            Target::File(_) => false,
            Target::Elsewhere(url) => leads_here(url),
            Target::Nothing => true,
        };
        let file = format!("{}/{INDEX}", decode(path));
        if is_lost || path.is_empty() || own_path(path).is_some() || !self.names.take(&file) {
            return;
        }
        self.lead_on(title, &file, &target);
        self.targets.insert(path.to_owned(), target);
    }

    /// Adds a page that leads on. Its path is reserved in `names`.
    pub(super) fn lead_on(&mut self, title: &str, file: &str, target: &Target) {
        let Some(address) = self.address_of(target, Some(file)) else { return };
        let canonical = self.site.to.and_then(|_| self.address_of(target, None));
        self.put(file.to_owned(), redirect(title, &address, canonical.as_deref()));
    }

    /// Adds the list of redirects with `*`. Hosts use the first one that matches a path.
    async fn list_of_redirects(&mut self, wildcards: &[WildcardRedirect], to: &str) -> Result<(), SiteError> {
        let Ok(base) = Url::parse(to) else { return Ok(()) };
        let start = base.path().trim_end_matches('/');
        let mut list = String::new();
        // Hosts read `*` only after a slash.
        for wildcard in wildcards.iter().filter(|wildcard| wildcard.source.ends_with("/*")) {
            let address = match self.own().path(&wildcard.to).map(str::to_owned) {
                // The rest of a path is that of another page: the path before it stays, also that of a group.
                Some(path) if wildcard.captures && !self.is_of_server(&path) => Some(format!("{to}{path}")),
                Some(path) => {
                    self.find(without_anchor(&path).0).await?;
                    self.address(&path, None)
                }
                None => Some(wildcard.to.clone()),
            };
            let Some(address) = address else { continue };
            let address = match wildcard.captures {
                true => {
                    let (path, rest) = address.split_at(address.find(['?', '#']).unwrap_or(address.len()));
                    format!("{}/:splat{rest}", path.trim_end_matches('/'))
                }
                false => address,
            };
            let _ = writeln!(list, "{start}{} {address} 302", wildcard.source);
        }
        if !list.is_empty() {
            self.put(LIST.to_owned(), list);
        }
        Ok(())
    }
}
