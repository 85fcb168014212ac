//! Resolves the addresses in Markdown to pages and files of the content after a batch.
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

/// A possible target of an address.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Candidate {
    /// A page, a file or a reusable content of the same space, by id.
    Here(ContentRef),
    /// The page at a path.
    Path(String),
    /// Something in another space, which cannot be looked up.
    There(ContentRef),
}

/// Collects the possible targets of the addresses in one text, by reading the text once.
pub(super) struct AddressCollector<'a> {
    /// The path of the page with the text.
    from: &'a str,
    references: &'a References<'a>,
    candidates: RefCell<BTreeMap<String, Vec<Candidate>>>,
}

impl<'a> AddressCollector<'a> {
    pub(super) fn new(from: &'a str, references: &'a References<'a>) -> Self {
        Self { from, references, candidates: RefCell::default() }
    }

    /// The possible targets of an address, the likeliest first.
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
            // A page with pages below it is read as a file next to its folder; other tools write it as a file in the
            // folder.
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

/// Resolves only addresses by id, because those decide how a table is read. Collects the candidates of every address.
impl Links for AddressCollector<'_> {
    fn resolve(&self, href: &str, _: LinkUse) -> Option<ContentRef> {
        if !self.candidates.borrow().contains_key(href) {
            let candidates = self.candidates(href);
            self.candidates.borrow_mut().insert(href.to_owned(), candidates);
        }
        read_by_id(href)
    }
}

/// Splits an address into a path and an anchor. There is no path if the address is only an anchor, or leads out of the
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

/// The paths of pages that a path in an address may mean. It may name the file of a page, the file of a folder that is
/// a page, or the path of a page itself.
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

/// The possible targets that exist.
#[derive(Default)]
pub(super) struct Lookup {
    here: BTreeSet<ContentRef>,
    paths: HashMap<String, PageId>,
}

impl Lookup {
    pub(super) fn find<'a>(
        objects: &dyn Objects,
        end: &Snapshot,
        collectors: impl Iterator<Item = &'a AddressCollector<'a>>,
    ) -> Read<Self> {
        let all: BTreeSet<Candidate> = (collectors)
            .flat_map(|collector| collector.candidates.borrow().values().flatten().cloned().collect::<Vec<_>>())
            .collect();
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

/// The targets of the addresses that a text was read with.
#[derive(Default)]
pub(super) struct KnownTargets(HashMap<String, ContentRef>);

impl KnownTargets {
    /// These targets by every form in which these addresses write them.
    pub(super) fn of(targets: &[ContentRef], addresses: &[Addresses]) -> Self {
        let mut known = HashMap::new();
        for addresses in addresses {
            for target in targets {
                if let Some(href) = addresses.get(target) {
                    let held = known.entry(href.to_owned()).or_insert_with(|| target.clone());
                    // A known target replaces an unresolved address with the same text.
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
    pub(super) collector: &'a AddressCollector<'a>,
    pub(super) lookup: &'a Lookup,
    /// The addresses of the replaced text, as it was read before the batch.
    pub(super) before: &'a KnownTargets,
    /// The addresses of that text, as it would be read after the batch.
    pub(super) after: &'a KnownTargets,
}

impl Resolver<'_> {
    /// Whether an address without a known target stays an address: it leads out of the space, or the old text had it.
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
        let candidates = self.collector.candidates.borrow();
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
    /// Tries in this order: the target that the old text had at this address, as it is written now; the target that
    /// exists at this address; the target that the old text had at this address when it was read.
    fn resolve(&self, href: &str, use_: LinkUse) -> Option<ContentRef> {
        let had = |known: &KnownTargets| {
            let target = known.0.get(href).filter(|target| !matches!(target, ContentRef::Url { .. }));
            target.filter(|target| use_.fits(target)).cloned()
        };
        had(self.after).or_else(|| self.looked_up(href, use_)).or_else(|| had(self.before))
    }
}
