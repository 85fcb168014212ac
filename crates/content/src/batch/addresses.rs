//! What the addresses in Markdown lead to: to the pages and files that a batch leaves behind.
use super::references::References;
use crate::href::{Addresses, read_by_id};
use crate::import::address::has_scheme;
use crate::import::path::{decode, folder, is_markdown, is_readme, resolve};
use crate::markdown::{LinkUse, Links};
use crate::object::{Objects, Read, together};
use crate::reference::ContentRef;
use crate::snapshot::Snapshot;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use values::id::PageId;

/// Something that an address may lead to.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Candidate {
    /// A page, a file or a reusable content of the same space, by id.
    Here(ContentRef),
    /// The page at a path.
    Path(String),
    /// Something elsewhere, which cannot be looked for.
    There(ContentRef),
}

/// What the addresses in one text may lead to, collected by reading the text once.
pub(super) struct Asked<'a> {
    /// The path of the page that the text is of.
    from: &'a str,
    references: &'a References<'a>,
    candidates: RefCell<BTreeMap<String, Vec<Candidate>>>,
}

impl<'a> Asked<'a> {
    pub(super) fn new(from: &'a str, references: &'a References<'a>) -> Self {
        Self { from, references, candidates: RefCell::default() }
    }

    /// What an address may lead to, the likeliest first.
    fn candidates(&self, href: &str) -> Vec<Candidate> {
        let (place, _) = split(href);
        let Some(place) = place else { return Vec::new() };
        let by_id = read_by_id(place).map(|target| match &target {
            ContentRef::Page { space: None, .. }
            | ContentRef::File { space: None, .. }
            | ContentRef::ReusableContent { space: None, .. } => Candidate::Here(target),
            _ => Candidate::There(target),
        });
        let mut found: Vec<Candidate> = by_id.into_iter().collect();
        let place = decode(place);
        if let Some(path) = place.strip_prefix("/pages/") {
            found.extend(page_paths(path.to_owned()));
        } else if !place.starts_with('/') {
            let named = |name: &str| {
                let page = name.strip_suffix(".md").and_then(|name| self.references.page(name));
                let page = page.map(|page| ContentRef::Page { page: page.clone(), space: None });
                let file = self.references.file(name);
                let file = file.map(|file| ContentRef::File { file: file.clone(), space: None });
                page.into_iter().chain(file).map(Candidate::Here).collect::<Vec<_>>()
            };
            let name = place.strip_prefix("./");
            found.extend(name.into_iter().flat_map(named));
            // A page that has pages below it is read as a file next to its folder; others write it as a file in it.
            for from in [folder(self.from), self.from] {
                found.extend(resolve(from, &place).into_iter().flat_map(page_paths));
            }
            if name.is_none() {
                found.extend(named(&place));
            }
        }
        found
    }
}

/// Knows no target but those by id, which decide how a table is read, and notes what it is asked for.
impl Links for Asked<'_> {
    fn resolve(&self, href: &str, _: LinkUse) -> Option<ContentRef> {
        if !self.candidates.borrow().contains_key(href) {
            let candidates = self.candidates(href);
            self.candidates.borrow_mut().insert(href.to_owned(), candidates);
        }
        read_by_id(href)
    }
}

/// The place and the anchor in it that an address names; no place where it names one on its own page, or out of the
/// space.
fn split(href: &str) -> (Option<&str>, Option<String>) {
    if is_elsewhere(href) {
        return (None, None);
    }
    let (place, anchor) = match href.split_once('#') {
        Some((place, anchor)) => (place, Some(decode(anchor)).filter(|anchor| !anchor.is_empty())),
        None => (href, None),
    };
    let place = place.split_once('?').map_or(place, |(place, _)| place);
    ((!place.is_empty()).then_some(place), anchor)
}

fn is_elsewhere(href: &str) -> bool {
    has_scheme(href) || href.starts_with("//")
}

/// The paths of pages that a path in an address may mean: of the page whose file it names, of the page whose folder's
/// own file it names, or of a page as it is.
fn page_paths(path: String) -> Vec<Candidate> {
    let path = path.trim_matches('/').to_owned();
    let mut paths = Vec::new();
    if is_markdown(&path) {
        paths.extend(path.rsplit_once('.').map(|(stem, _)| stem.to_owned()));
        if is_readme(&path) {
            paths.push(folder(&path).to_owned());
        }
    }
    paths.push(path);
    paths.into_iter().map(Candidate::Path).collect()
}

/// What is there of all that was asked for.
#[derive(Default)]
pub(super) struct Lookup {
    here: BTreeSet<ContentRef>,
    paths: HashMap<String, PageId>,
}

impl Lookup {
    pub(super) fn find<'a>(
        objects: &dyn Objects,
        end: &Snapshot,
        asked: impl Iterator<Item = &'a Asked<'a>>,
    ) -> Read<Self> {
        let all: BTreeSet<Candidate> =
            asked.flat_map(|asked| asked.candidates.borrow().values().flatten().cloned().collect::<Vec<_>>()).collect();
        let mut found = Self::default();
        let looked = together(all.into_iter().map(|candidate| {
            let page = match &candidate {
                Candidate::Here(target) => return Ok((is_there(objects, end, target)?.then_some(candidate), None)),
                Candidate::Path(path) => end.page_at(objects, path)?,
                Candidate::There(_) => None,
            };
            Ok((page.is_some().then_some(candidate), page))
        }))?;
        for found_one in looked {
            match found_one {
                (Some(Candidate::Here(target)), _) => drop(found.here.insert(target)),
                (Some(Candidate::Path(path)), Some(page)) => drop(found.paths.insert(path, page)),
                _ => {}
            }
        }
        Ok(found)
    }

    fn target(&self, candidate: &Candidate) -> Option<ContentRef> {
        match candidate {
            Candidate::Here(target) => self.here.contains(target).then(|| target.clone()),
            Candidate::Path(path) => {
                self.paths.get(path).map(|page| ContentRef::Page { page: page.clone(), space: None })
            }
            Candidate::There(target) => Some(target.clone()),
        }
    }
}

fn is_there(objects: &dyn Objects, end: &Snapshot, target: &ContentRef) -> Read<bool> {
    Ok(match target {
        ContentRef::Page { page, .. } => end.page(objects, page)?.is_some(),
        ContentRef::File { file, .. } => end.file(objects, file)?.is_some(),
        ContentRef::ReusableContent { reusable_content, .. } => {
            end.reusable_content(objects, reusable_content)?.is_some()
        }
        _ => false,
    })
}

/// What the addresses stand for that a text was read with.
#[derive(Default)]
pub(super) struct Known(HashMap<String, ContentRef>);

impl Known {
    /// Of these targets, as they are written with any of these addresses.
    pub(super) fn of(targets: &[ContentRef], addresses: &[Addresses]) -> Self {
        let mut known = HashMap::new();
        for addresses in addresses {
            for target in targets {
                if let Some(href) = addresses.get(target) {
                    let held = known.entry(href.to_owned()).or_insert_with(|| target.clone());
                    // An address that leads nowhere gives way to one that is the same and leads somewhere.
                    if matches!(held, ContentRef::Url { .. }) {
                        held.clone_from(target);
                    }
                }
            }
        }
        Self(known)
    }
}

/// Resolves the addresses of one text.
pub(super) struct Resolver<'a> {
    pub(super) asked: &'a Asked<'a>,
    pub(super) lookup: &'a Lookup,
    /// What the text that it replaces was read with, before the batch.
    pub(super) before: &'a Known,
    /// What that text would be read with after the batch.
    pub(super) after: &'a Known,
}

impl Resolver<'_> {
    /// Whether an address that leads to nothing known stays one: it leads out of the space, or the text had it before.
    pub(super) fn stays(&self, href: &str) -> bool {
        if is_elsewhere(href) {
            let scheme = href.split_once(':').map_or("", |(scheme, _)| scheme).to_ascii_lowercase();
            return !matches!(scheme.as_str(), "data" | "javascript" | "vbscript");
        }
        href == "#" || matches!(self.before.0.get(href), Some(ContentRef::Url { .. }))
    }

    fn looked_up(&self, href: &str, use_: LinkUse) -> Option<ContentRef> {
        let (place, anchor) = split(href);
        if place.is_none() {
            let anchor = anchor.filter(|_| use_ == LinkUse::Link)?;
            return Some(ContentRef::Anchor { anchor, page: None, space: None });
        }
        let candidates = self.asked.candidates.borrow();
        let targets = candidates.get(href)?.iter().filter_map(|candidate| self.lookup.target(candidate));
        let mut targets = targets.map(|target| match (target, &anchor) {
            (ContentRef::Page { page, space }, Some(anchor)) => {
                ContentRef::Anchor { anchor: anchor.clone(), page: Some(page), space }
            }
            (target, _) => target,
        });
        targets.find(|target| use_.fits(target))
    }
}

impl Links for Resolver<'_> {
    /// In this order: what the text had under this address, as it is written now; what is there under it; what the text
    /// had under it when it was read.
    fn resolve(&self, href: &str, use_: LinkUse) -> Option<ContentRef> {
        let had = |known: &Known| {
            let target = known.0.get(href).filter(|target| !matches!(target, ContentRef::Url { .. }));
            target.filter(|target| use_.fits(target)).cloned()
        };
        had(self.after).or_else(|| self.looked_up(href, use_)).or_else(|| had(self.before))
    }
}
