//! Paths inside a site: which section, variant and page a path leads to, and the one address of each page.
//!
//! A path is `[section/][variant/][page]`. The default section and the default variant have no segment. A section wins
//! over a variant, and both win over a page with the same first segment. The address of a page that is shadowed in this
//! way has the segments of its section and variant, even if they are the default.
use super::history::FormerName;
use super::path::{FEED, FOREIGN, MARKDOWN, OWN, Reserved};
use super::structure::{Section, SiteSpace, Structure};
use crate::content::import::path::{decode, fold};
use crate::id::{PageId, SiteSectionId, SiteSpaceId};
use std::collections::HashMap;

/// Before the path of a page whose whole path begins with a reserved name, since a section has such a name.
const ESCAPE: [&str; 2] = ["~", "at"];

/// The most former defaults whose pages are looked for.
const MAX_FORMER_DEFAULTS: usize = 8;

/// The data that paths of a site depend on. It is the same for all visitors: conditions do not change addresses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct View<'a> {
    /// The first segments that lead to no content.
    pub reserved: Reserved,
    /// The sections in order, without drafts. A site without sections has one, without a segment.
    pub sections: Vec<SectionView<'a>>,
}

/// A section.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SectionView<'a> {
    /// The section; absent on a site without sections.
    pub id: Option<&'a SiteSectionId>,
    /// Its segment; empty on a site without sections.
    pub path: &'a str,
    /// Segments that it had before and that lead to it.
    pub former: Vec<&'a str>,
    /// Whether it is the default. Without a default, the first one is.
    pub default: bool,
    /// Whether it was the default before.
    pub was_default: bool,
    /// Its variants in order, without drafts.
    pub variants: Vec<VariantView<'a>>,
}

/// A space on a site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VariantView<'a> {
    /// The site space.
    pub id: &'a SiteSpaceId,
    /// Its segment.
    pub path: &'a str,
    /// Segments that it had before and that lead to it.
    pub former: Vec<&'a str>,
    /// Whether it is the default of its section. Without a default, the first one is.
    pub default: bool,
    /// Whether it was the default before.
    pub was_default: bool,
}

/// A variant of a [`View`], by the indices of its section and of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Spot {
    /// The index of the section.
    pub section: usize,
    /// The index of the variant in the section.
    pub variant: usize,
}

/// The requested form of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// The page.
    Page,
    /// The page as Markdown.
    Markdown,
    /// The feed of its updates.
    Feed,
}

/// One way to read a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    /// The variant.
    pub spot: Spot,
    /// The path of the page in its space; empty for the first one.
    pub page: String,
    /// The requested form.
    pub form: Form,
    /// Whether the path has a former segment of its section or its variant, or lacks it because they were the default.
    pub former: bool,
    /// Whether the path lacks a segment because its section or its variant was the default.
    pub was_default: bool,
}

/// A page that a reading leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageAtPath {
    /// The page.
    pub page: PageId,
    /// Its path in its space.
    pub path: String,
    /// Whether it is the first one of its space, which is at the path of its variant.
    pub first: bool,
}

/// The result of resolving a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathOutcome {
    /// A page, at its address.
    Here {
        /// The variant.
        spot: Spot,
        /// The page.
        page: PageId,
        /// The requested form.
        form: Form,
    },
    /// A page that has another address: its path on the site, not encoded.
    Moved(String),
    /// No page.
    Nothing,
}

/// The segments of a path, decoded; `None` if no page can have such a path.
fn segments(path: &str) -> Option<Vec<String>> {
    let parts = path.split('/').filter(|part| !part.is_empty()).map(decode);
    let fine = |part: &String| part != "." && part != ".." && !part.contains(['/', '\\', '\0']);
    parts.map(|part| Some(part).filter(fine)).collect()
}

/// Whether a page can have a path: browsers resolve `.` and `..`, and read `\` as `/`.
pub fn is_path(path: &str) -> bool {
    segments(path).is_some()
}

/// Whether a path, without a slash at its start, is of content although it begins with `~/`, like the addresses that
/// every site has.
fn is_escaped(path: &str) -> bool {
    let mut parts = path.split('/');
    ESCAPE.iter().all(|escape| parts.next() == Some(*escape)) && parts.next().is_some_and(|part| !part.is_empty())
}

/// The rest of a path, without a slash at its start, that is one of the addresses that every site has besides its pages;
/// `None` for other paths.
pub fn own_path(path: &str) -> Option<&str> {
    path.strip_prefix(OWN).or_else(|| path.strip_prefix(FOREIGN)).filter(|_| !is_escaped(path))
}

impl<'a> View<'a> {
    /// The view of a structure that is live ([`Structure::live`]). `former` has the names that its parts had, by id.
    pub fn of(structure: &'a Structure, reserved: Reserved, former: &'a HashMap<String, Vec<FormerName>>) -> Self {
        let names = |id: &str| former.get(id).map(Vec::as_slice).unwrap_or_default();
        let former = |id: &str| {
            names(id).iter().filter(|left| !left.was_default()).map(|left| left.name.as_str()).collect::<Vec<_>>()
        };
        let was_default = |id: &str| names(id).iter().any(FormerName::was_default);
        let variants = |spaces: &'a [SiteSpace]| -> Vec<VariantView<'a>> {
            let variant = |one: &'a SiteSpace| VariantView {
                id: &one.id,
                path: one.settings.path.as_str(),
                former: former(one.id.as_str()),
                default: one.settings.default,
                was_default: was_default(one.id.as_str()),
            };
            spaces.iter().map(variant).collect()
        };
        match structure {
            Structure::Spaces(spaces) => Self::flat(reserved, variants(spaces)),
            Structure::Sections(_) => {
                let section = |one: &'a Section| SectionView {
                    id: Some(&one.id),
                    path: one.settings.path.as_str(),
                    former: former(one.id.as_str()),
                    default: one.settings.default,
                    was_default: was_default(one.id.as_str()),
                    variants: variants(&one.spaces),
                };
                Self { reserved, sections: structure.sections().into_iter().map(section).collect() }
            }
        }
    }

    /// The place of a space on the site.
    pub fn spot(&self, id: &SiteSpaceId) -> Option<Spot> {
        self.sections.iter().enumerate().find_map(|(section, one)| {
            let variant = one.variants.iter().position(|variant| variant.id == id)?;
            Some(Spot { section, variant })
        })
    }

    /// The place where a section starts.
    pub fn start_of(&self, id: &SiteSectionId) -> Option<Spot> {
        let section = self.sections.iter().position(|one| one.id == Some(id))?;
        let variants = &self.sections.get(section)?.variants;
        let variant = variants.iter().position(|one| one.default).unwrap_or(0);
        (!variants.is_empty()).then_some(Spot { section, variant })
    }

    /// A site without sections.
    pub fn flat(reserved: Reserved, variants: Vec<VariantView<'a>>) -> Self {
        Self { reserved, sections: vec![SectionView { default: true, variants, ..SectionView::default() }] }
    }

    /// The variant that the site starts with.
    pub fn start(&self) -> Option<Spot> {
        self.split(&[], false).map(|(spot, _)| spot)
    }

    /// The section and the variant of a spot.
    pub fn at(&self, spot: Spot) -> Option<(&SectionView<'a>, &VariantView<'a>)> {
        let section = self.sections.get(spot.section)?;
        Some((section, section.variants.get(spot.variant)?))
    }

    /// The variant that a path begins with, and how many segments it has. `former` also finds segments of before.
    fn split(&self, path: &[String], former: bool) -> Option<(Spot, usize)> {
        let sections: Vec<_> = self.sections.iter().map(|one| (one.path, &one.former, one.default)).collect();
        let (section, used) = pick(&sections, path.first(), former)?;
        let variants: Vec<_> =
            self.sections.get(section)?.variants.iter().map(|one| (one.path, &one.former, one.default)).collect();
        let (variant, also) = pick(&variants, path.get(used), former)?;
        Some((Spot { section, variant }, used + also))
    }

    /// The variants that a path began with when they, or their sections, were the default, and how many segments it
    /// has.
    fn former_defaults(&self, path: &[String]) -> Vec<(Spot, usize)> {
        let all: Vec<_> = self.sections.iter().map(|one| (one.path, &one.former, one.default)).collect();
        let were = self.sections.iter().enumerate().filter(|(_, one)| one.was_default).map(|(at, _)| (at, 0));
        let mut found = Vec::new();
        for (section, used) in pick(&all, path.first(), true).into_iter().chain(were) {
            let Some(one) = self.sections.get(section) else { continue };
            let variants: Vec<_> = one.variants.iter().map(|one| (one.path, &one.former, one.default)).collect();
            let were = one.variants.iter().enumerate().filter(|(_, one)| one.was_default).map(|(at, _)| (at, 0));
            let picked = pick(&variants, path.get(used), true).into_iter().chain(were);
            found.extend(picked.map(|(variant, also)| (Spot { section, variant }, used + also)));
        }
        found
    }

    /// All ways to read a path that has no slash at its start, in the order of their precedence. Empty if no page can
    /// have the path.
    pub fn readings(&self, path: &str) -> Vec<Reading> {
        let Some(mut parts) = segments(path) else { return Vec::new() };
        if parts.len() >= ESCAPE.len() && parts.iter().zip(ESCAPE).all(|(part, escape)| part == escape) {
            parts.drain(..ESCAPE.len());
        } else if parts.first().is_some_and(|first| self.reserved.has(first)) {
            return Vec::new();
        }
        let mut splits: Vec<(Spot, usize)> = self.split(&parts, false).into_iter().collect();
        let now = splits.len();
        splits.extend(self.split(&parts, true).filter(|before| !splits.contains(before)));
        let named = splits.len();
        for before in self.former_defaults(&parts).into_iter().take(MAX_FORMER_DEFAULTS) {
            if !splits.contains(&before) {
                splits.push(before);
            }
        }
        let read = splits.into_iter().enumerate().map(|(at, split)| (split, at >= now, at >= named));
        let read = read.flat_map(|((spot, used), former, was_default)| {
            let forms = forms(&parts[used..]).into_iter();
            forms.map(move |(page, form)| Reading { spot, page, form, former, was_default })
        });
        let mut all: Vec<Reading> = read.collect();
        let markdown = |former| {
            let spot = self.named_as_markdown(&parts, former)?;
            Some(Reading { spot, page: String::new(), form: Form::Markdown, former, was_default: false })
        };
        // A page with exactly this path comes first.
        if let Some(reading) = markdown(false) {
            all.insert(all.len().min(1), reading);
        }
        all.extend(markdown(true));
        all
    }

    /// The variant of which a path is the address, but for the ending of Markdown.
    fn named_as_markdown(&self, path: &[String], former: bool) -> Option<Spot> {
        let (last, folder) = path.split_last()?;
        let named = [folder, &[without_ending(last, MARKDOWN)?.to_owned()]].concat();
        self.split(&named, former).filter(|(_, used)| *used == named.len()).map(|(spot, _)| spot)
    }

    /// The path on the site of a page, not encoded: the one that leads back to it. `page` is the path in its space;
    /// empty for the first page.
    pub fn address(&self, spot: Spot, page: &str) -> String {
        let Some((section, variant)) = self.at(spot) else { return page.to_owned() };
        let short = self.short(spot, page);
        if self.leads_to(&short, spot, page) {
            return short;
        }
        let whole = joined([section.path, variant.path, page]);
        if self.leads_to(&whole, spot, page) { whole } else { format!("{}/{whole}", ESCAPE.join("/")) }
    }

    /// The path on the site of a page as Markdown, not encoded. `page` is the path in its space, never empty.
    pub fn markdown_address(&self, spot: Spot, page: &str) -> String {
        format!("{}{MARKDOWN}", self.address(spot, page))
    }

    /// The path of a page without the segments of the default section and the default variant.
    fn short(&self, spot: Spot, page: &str) -> String {
        let Some((section, variant)) = self.at(spot) else { return page.to_owned() };
        let leading = |default, path| if default { "" } else { path };
        let (in_default, is_default) = self.defaults(spot, section);
        joined([leading(in_default, section.path), leading(is_default, variant.path), page])
    }

    fn leads_to(&self, path: &str, spot: Spot, page: &str) -> bool {
        let parts: Vec<String> = path.split('/').filter(|part| !part.is_empty()).map(str::to_owned).collect();
        let free = parts.first().is_none_or(|first| !self.reserved.has(first));
        free && self.split(&parts, false).is_some_and(|(found, used)| found == spot && parts[used..].join("/") == page)
    }

    /// The starts of paths that lead to a variant by segments that it, or its section, had before: none where it was
    /// the default.
    pub fn former_starts(&self, spot: Spot) -> Vec<String> {
        let Some((section, variant)) = self.at(spot) else { return Vec::new() };
        let (in_default, is_default) = self.defaults(spot, section);
        let before = |former: &[&'a str], was_default: bool| -> Vec<&'a str> {
            former.iter().copied().chain(was_default.then_some("")).collect()
        };
        let sections = before(&section.former, section.was_default && !in_default);
        let variants = before(&variant.former, variant.was_default && !is_default);
        let now = |default: bool, path: &'a str| if default { "" } else { path };
        let (section, variant) = (now(in_default, section.path), now(is_default, variant.path));
        let of_section = variants.iter().map(|before| joined([section, before, ""]));
        let of_others = sections.iter().flat_map(|before| {
            std::iter::once(&variant).chain(&variants).map(move |variant| joined([before, variant, ""]))
        });
        of_section.chain(of_others).collect()
    }

    /// Whether the section and the variant of a spot are the default.
    fn defaults(&self, spot: Spot, section: &SectionView<'a>) -> (bool, bool) {
        let of_site = self.sections.iter().position(|one| one.default).unwrap_or(0);
        let of_section = section.variants.iter().position(|one| one.default).unwrap_or(0);
        (of_site == spot.section, of_section == spot.variant)
    }

    /// Resolves a path without a slash at its start. `current` finds the page that is at the path of a reading now,
    /// `former` the page that was there before and was moved. The present default comes before former ones: a page that
    /// was at the path in it, too, since it had the path last.
    pub fn find(
        &self,
        path: &str,
        current: impl Fn(&Reading) -> Option<PageAtPath>,
        former: impl Fn(&Reading) -> Option<PageAtPath>,
    ) -> PathOutcome {
        let readings = self.readings(path);
        let of_now = || readings.iter().filter(|one| !one.was_default);
        let found = (of_now().find_map(|one| Some((one, current(one)?))))
            .or_else(|| of_now().filter(|one| !one.former).find_map(|one| Some((one, former(one)?))))
            .or_else(|| readings.iter().find_map(|one| Some((one, current(one)?))))
            .or_else(|| readings.iter().find_map(|one| Some((one, former(one)?))));
        let Some((reading, PageAtPath { page, path: at, first })) = found else { return PathOutcome::Nothing };
        let Reading { spot, form, .. } = *reading;
        let own = if first { "" } else { &at };
        let address = match form {
            Form::Page => self.address(spot, own),
            Form::Markdown => self.markdown_address(spot, &at),
            Form::Feed => self.address(spot, &joined([own, FEED, ""])),
        };
        if decoded(path) == address { PathOutcome::Here { spot, page, form } } else { PathOutcome::Moved(address) }
    }
}

/// A path as addresses are compared: proxies on the way may encode other characters than we do.
fn decoded(path: &str) -> String {
    path.split('/').map(decode).collect::<Vec<_>>().join("/")
}

/// The index of the item with this segment, and 1; otherwise that of the default, and 0. An item is its segment, its
/// former segments, and whether it is the default.
fn pick(all: &[(&str, &Vec<&str>, bool)], segment: Option<&String>, former: bool) -> Option<(usize, usize)> {
    // The segments of sections and variants are stored in this form.
    let segment = segment.map(|segment| fold(segment));
    let named = |path: &str| segment.as_deref() == Some(path);
    let now = all.iter().position(|(path, ..)| named(path));
    let before = || all.iter().position(|(_, before, _)| former && before.iter().any(|path| named(path)));
    if let Some(found) = now.or_else(before) {
        return Some((found, 1));
    }
    let default = all.iter().position(|(.., default)| *default).unwrap_or(0);
    (!all.is_empty()).then_some((default, 0))
}

fn joined(parts: [&str; 3]) -> String {
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("/")
}

/// A segment without this ending, in any case; `None` if it has another ending, or no more than this one.
fn without_ending<'a>(segment: &'a str, ending: &str) -> Option<&'a str> {
    let at = segment.len().checked_sub(ending.len()).filter(|at| *at > 0)?;
    let (stem, end) = segment.split_at_checked(at)?;
    end.eq_ignore_ascii_case(ending).then_some(stem)
}

/// The pages that the rest of a path can mean, with the form: first the path as it is, then other systems' spellings of
/// the same page.
fn forms(rest: &[String]) -> Vec<(String, Form)> {
    let mut forms = vec![(rest.join("/"), Form::Page)];
    let Some((last, folder)) = rest.split_last() else { return forms };
    let page = |last: &str| [folder, &[last.to_owned()]].concat().join("/");
    if last.eq_ignore_ascii_case(FEED) {
        forms.push((folder.join("/"), Form::Feed));
    }
    let markdown = without_ending(last, MARKDOWN);
    if let Some(stem) = markdown {
        forms.push((page(stem), Form::Markdown));
    }
    let html = without_ending(last, ".html").or_else(|| without_ending(last, ".htm"));
    let stem = html.or(markdown).unwrap_or(last);
    if ["index", "readme"].iter().any(|name| stem.eq_ignore_ascii_case(name)) {
        forms.push((folder.join("/"), Form::Page));
    } else if let Some(stem) = html {
        forms.push((page(stem), Form::Page));
    }
    forms
}

#[cfg(test)]
mod tests;
