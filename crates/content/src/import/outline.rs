//! The pages of a repository, with their order and their parents.
use super::address::{self, Found};
use super::config::SERVICE_FOLDER;
use super::path::{self, is_markdown, is_readme};
use super::sibling::{self, Sibling};
use super::source::{SourceError, SourceTree};
use super::summary::{Item, ItemKind, Summary};
use crate::computed::ComputedSource;
use crate::href::read_by_id;
use crate::markdown::FrontMatter;
use crate::page::{MAX_DEPTH, slugify};
use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap, HashSet};

/// The pages of a repository.
#[derive(Debug, Default)]
pub(crate) struct Outline {
    /// The pages, parents first.
    pub entries: Vec<Entry>,
    /// Addresses in the table of contents that lead nowhere, with their lines.
    pub broken: Vec<(usize, String)>,
    /// Other problems of the table of contents, with their lines.
    pub warnings: Vec<(usize, String)>,
}

/// A page of a repository.
#[derive(Debug)]
pub(crate) struct Entry {
    /// The index of its parent.
    pub parent: Option<usize>,
    /// Its kind.
    pub place: Place,
    /// Its title in the table of contents; empty if it has none there.
    pub title: String,
    /// A shorter title.
    pub link_title: Option<String>,
    /// The slug that is set for it.
    pub slug: Option<String>,
    /// Its other fields in the table of contents.
    pub fields: FrontMatter,
    /// Its line in the table of contents.
    pub line: usize,
}

/// The kind of a page, with its file or target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// A group.
    Group,
    /// A page whose text is in the file of this path.
    Text(String),
    /// A page without text.
    Bare,
    /// A link to this address.
    Link(String),
    /// A computed page with this source.
    Computed(Box<ComputedSource>),
}

impl Place {
    /// Whether pages can be below it.
    fn holds_pages(&self) -> bool {
        match self {
            Self::Group | Self::Text(_) | Self::Bare => true,
            Self::Link(_) | Self::Computed(_) => false,
        }
    }
}

impl Outline {
    /// The pages that a table of contents names. `readme`, the first page, is put first if it is not named.
    pub(crate) fn of_summary(tree: &SourceTree, place: &str, summary: Summary, readme: Option<&str>) -> Self {
        let mut builder = Builder::default();
        let listed: HashSet<String> = (summary.items.iter())
            .filter_map(|item| match &item.kind {
                ItemKind::Link { href } => match address::find(tree, place, href) {
                    Found::File { path, fragment: None } => Some(path),
                    _ => None,
                },
                _ => None,
            })
            .collect();
        if let Some(readme) = readme.filter(|readme| tree.contains(readme) && !listed.contains(*readme)) {
            builder.add(0, Entry::text(readme, String::new(), 1));
        }
        for item in summary.items {
            builder.item(tree, place, item);
        }
        builder.outline
    }

    /// The pages of a repository without a table of contents: its Markdown files by folders. The `README.md` of a
    /// folder is the page of the folder, else the file beside it with its name. Siblings are ordered by the number in
    /// their front matter, then by their names, with numbers in names by value. Only files in the folder `within`
    /// count, if it is not empty. `siblings` reads a file (see [`Sibling::read`]).
    ///
    /// # Errors
    /// The errors of `siblings`.
    pub(crate) fn of_folders(
        tree: &SourceTree,
        within: &str,
        readme: Option<&str>,
        siblings: &Siblings<'_>,
    ) -> Result<Self, SourceError> {
        let mut top = Folder::default();
        let hidden = |path: &str| path.split('/').any(|name| name.starts_with('.'));
        for path in tree.paths().filter(|path| is_markdown(path) && !hidden(path)) {
            if let Some(rest) = path::inside(within, path) {
                top.put(path, rest);
            }
        }
        let categories = tree.paths().filter(|path| sibling::is_settings(path));
        let categories = categories.map(|path| (path::folder(path).to_owned(), path.to_owned())).collect();
        let mut builder = Builder { categories, ..Builder::default() };
        let first = readme.filter(|readme| tree.contains(readme)).map(str::to_owned).or(top.page.take());
        if let Some(first) = &first {
            builder.add(0, Entry::text(first, String::new(), 0));
        }
        builder.folder(siblings, top, first.as_deref(), within, 0)?;
        Ok(builder.outline)
    }
}

/// Returns what a file says.
type Siblings<'a> = dyn Fn(&str) -> Result<Sibling, SourceError> + 'a;

impl Entry {
    fn text(path: &str, title: String, line: usize) -> Self {
        Self { place: Place::Text(path.to_owned()), ..Self::bare(title, line) }
    }

    fn bare(title: String, line: usize) -> Self {
        let fields = FrontMatter::default();
        Self { parent: None, place: Place::Bare, title, link_title: None, slug: None, fields, line }
    }
}

#[derive(Default)]
struct Builder {
    outline: Outline,
    /// The group that is open.
    group: Option<usize>,
    /// The possible parents of the next entry: depth in the list, and entry.
    above: Vec<(usize, usize)>,
    listed: HashSet<String>,
    /// The files of settings of folders, by their folders.
    categories: HashMap<String, String>,
}

impl Builder {
    fn item(&mut self, tree: &SourceTree, place: &str, item: Item) {
        let Item { kind, title, link_title, depth, line, fields } = item;
        let entry = |place| Entry { place, link_title, fields, ..Entry::bare(title, line) };
        match kind {
            ItemKind::EndOfGroup => {
                self.group = None;
                self.above.clear();
            }
            ItemKind::Group { id } => {
                self.group = None;
                self.above.clear();
                self.outline.entries.push(Entry { slug: id, ..entry(Place::Group) });
                self.group = Some(self.outline.entries.len() - 1);
            }
            ItemKind::Bare => self.add(depth, entry(Place::Bare)),
            ItemKind::Computed(source) => self.add(depth, entry(Place::Computed(source))),
            ItemKind::InvalidYaml => {
                let note = "this YAML is not a source of a computed page; the entry has no text";
                self.outline.warnings.push((line, note.to_owned()));
                self.add(depth, entry(Place::Bare));
            }
            ItemKind::Link { href } => {
                let kind = self.leads_to(tree, place, href, line);
                self.add(depth, entry(kind));
            }
        }
    }

    fn leads_to(&mut self, tree: &SourceTree, place: &str, href: String, line: usize) -> Place {
        match address::find(tree, place, &href) {
            Found::File { path, fragment: None } if is_markdown(&path) && !href.ends_with('#') => {
                if path == place || path.starts_with(&format!("{SERVICE_FOLDER}/")) {
                    self.outline.warnings.push((line, format!("{path} is not a page; the entry has no text")));
                    Place::Bare
                } else if self.listed.insert(path.clone()) {
                    Place::Text(path)
                } else {
                    let note = format!("{path} is named a second time; here it is a link to the page");
                    self.outline.warnings.push((line, note));
                    Place::Link(href)
                }
            }
            Found::Nowhere if read_by_id(&href).is_none() => {
                self.outline.broken.push((line, href));
                Place::Bare
            }
            _ => Place::Link(href),
        }
    }

    fn add(&mut self, depth: usize, mut entry: Entry) {
        while self.above.last().is_some_and(|(above, _)| *above >= depth) {
            self.above.pop();
        }
        entry.parent = self.above.last().map(|(_, entry)| *entry).or(self.group);
        let level = self.above.len() + usize::from(self.group.is_some()) + 1;
        let holds_pages = entry.place.holds_pages() && level < MAX_DEPTH;
        self.outline.entries.push(entry);
        if holds_pages {
            self.above.push((depth, self.outline.entries.len() - 1));
        }
    }

    /// Adds the content of a folder. Recursion ends at [`MAX_DEPTH`]: deeper folders do not open a level.
    fn folder(
        &mut self,
        siblings: &Siblings<'_>,
        mut folder: Folder,
        first: Option<&str>,
        place: &str,
        depth: usize,
    ) -> Result<(), SourceError> {
        folder.files.retain(|file| Some(file.as_str()) != first);
        folder.give_pages(|name| !self.categories.contains_key(&path::join(place, name)));
        let mut inside: Vec<(Rank, Inside)> = Vec::new();
        for file in folder.files {
            let rank = Rank { number: siblings(&file)?.number, name: path::stem(&file).to_owned() };
            inside.push((rank, Inside::File(file)));
        }
        for (name, folder) in folder.folders {
            let settings = self.categories.get(&path::join(place, &name));
            let file = folder.page.as_ref().or(settings);
            let Sibling { number, label } = file.map(|file| siblings(file)).transpose()?.unwrap_or_default();
            inside.push((Rank { number, name: name.clone() }, Inside::Folder { name, label, folder }));
        }
        inside.sort_by(|(a, _), (b, _)| a.compare(b));
        for (_, inside) in inside {
            match inside {
                Inside::File(file) => self.add(depth, Entry::text(&file, String::new(), 0)),
                Inside::Folder { name, label, mut folder } => {
                    let place = path::join(place, &name);
                    let page = folder.page.take().filter(|page| Some(page.as_str()) != first);
                    let bare = || {
                        let slug = label.as_ref().map(|_| slugify(&name));
                        let title = label.unwrap_or_else(|| address::title_of(&format!("{name}.md")));
                        Entry { slug, ..Entry::bare(title, 0) }
                    };
                    self.add(depth, page.map_or_else(bare, |page| Entry::text(&page, String::new(), 0)));
                    self.folder(siblings, folder, first, &place, depth + 1)?;
                }
            }
        }
        Ok(())
    }
}

#[derive(Default)]
struct Folder {
    page: Option<String>,
    files: Vec<String>,
    folders: BTreeMap<String, Folder>,
}

enum Inside {
    File(String),
    Folder { name: String, label: Option<String>, folder: Folder },
}

impl Folder {
    /// Adds a file at the rest of its path. Below the maximum depth of pages, all folders count as one.
    fn put(&mut self, path: &str, rest: &str) {
        let mut folder = self;
        let mut rest = rest;
        for _ in 1..MAX_DEPTH - 1 {
            let Some((name, below)) = rest.split_once('/') else { break };
            folder = folder.folders.entry(name.to_owned()).or_default();
            rest = below;
        }
        if is_readme(path) && folder.page.is_none() && !rest.contains('/') {
            folder.page = Some(path.to_owned());
        } else {
            folder.files.push(path.to_owned());
        }
    }

    /// Makes `guide.md` the page of a folder `guide` beside it that has no page and no settings.
    fn give_pages(&mut self, has_no_settings: impl Fn(&str) -> bool) {
        if self.folders.is_empty() {
            return;
        }
        let mut free: HashMap<String, &mut Folder> = (self.folders.iter_mut())
            .filter(|(name, folder)| folder.page.is_none() && has_no_settings(name))
            .map(|(name, folder)| (name.to_lowercase(), folder))
            .collect();
        self.files.retain(|file| match free.remove(&path::stem(file).to_lowercase()) {
            Some(folder) => {
                folder.page = Some(file.clone());
                false
            }
            None => true,
        });
    }
}

/// The sort key of a page among its siblings.
pub(super) struct Rank {
    pub number: Option<f64>,
    pub name: String,
}

impl Rank {
    pub(super) fn compare(&self, other: &Self) -> Ordering {
        let numbers = match (self.number, other.number) {
            (Some(a), Some(b)) => a.total_cmp(&b),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => Ordering::Equal,
        };
        numbers.then_with(|| natural(&self.name, &other.name))
    }
}

/// Compares names in natural order: letters without regard to case, runs of digits by their value.
pub(super) fn natural(a: &str, b: &str) -> Ordering {
    let (mut left, mut right) = (a, b);
    loop {
        let (one, other) = match (left.chars().next(), right.chars().next()) {
            (None, None) => return a.cmp(b),
            (None, _) => return Ordering::Less,
            (_, None) => return Ordering::Greater,
            (Some(one), Some(other)) => (one, other),
        };
        if one.is_ascii_digit() && other.is_ascii_digit() {
            let (digits, rest) = run(left);
            let (other_digits, other_rest) = run(right);
            let order = (digits.len(), digits).cmp(&(other_digits.len(), other_digits));
            if order != Ordering::Equal {
                return order;
            }
            (left, right) = (rest, other_rest);
        } else {
            let order = one.to_lowercase().cmp(other.to_lowercase());
            if order != Ordering::Equal {
                return order;
            }
            (left, right) = (&left[one.len_utf8()..], &right[other.len_utf8()..]);
        }
    }
}

/// The leading digits of a text, without leading zeros, and the rest.
fn run(text: &str) -> (&str, &str) {
    let end = text.bytes().take_while(u8::is_ascii_digit).count();
    let (digits, rest) = text.split_at(end);
    (digits.trim_start_matches('0'), rest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    fn tree(files: &[(&str, &str)]) -> SourceTree {
        let mut tree = SourceTree::default();
        files.iter().for_each(|(path, _)| tree.insert(*path));
        tree
    }

    fn of_folders(files: &[(&str, &str)]) -> Outline {
        let siblings = |path: &str| {
            let file = files.iter().find(|(known, _)| *known == path);
            Ok(file.map(|(_, text)| Sibling::read(path, text.as_bytes())).unwrap_or_default())
        };
        Outline::of_folders(&tree(files), "", None, &siblings).expect("an outline")
    }

    fn shown(outline: &Outline) -> Vec<String> {
        let depth = |mut at: usize| {
            let mut depth = 0;
            while let Some(parent) = outline.entries[at].parent {
                (at, depth) = (parent, depth + 1);
            }
            depth
        };
        let line = |(at, entry): (usize, &Entry)| format!("{}{:?}", "- ".repeat(depth(at)), entry.place);
        outline.entries.iter().enumerate().map(line).collect()
    }

    fn of_summary(files: &[(&str, &str)], summary: &str) -> Outline {
        Outline::of_summary(&tree(files), "SUMMARY.md", Summary::parse(summary), Some("README.md"))
    }

    #[test]
    fn pages_have_the_order_of_the_table_of_contents() {
        let outline = of_summary(
            &[("README.md", ""), ("a.md", ""), ("b/README.md", ""), ("x.pdf", "")],
            "* [R](README.md)\n## G\n* [A](a.md)\n  * [B](b/)\n* [E](https://e.org)\n  * Below\n* [P](x.pdf)\n***\n* [A](a.md)\n* [G](gone.md)\n",
        );
        let expected = [
            "Text(\"README.md\")",
            "Group",
            "- Text(\"a.md\")",
            "- - Text(\"b/README.md\")",
            "- Link(\"https://e.org\")",
            "- Bare",
            "- Link(\"x.pdf\")",
            "Link(\"a.md\")",
            "Bare",
        ];
        assert_eq!(shown(&outline), expected);
        assert_eq!(outline.broken, [(10, "gone.md".to_owned())]);
        assert_eq!(outline.warnings.len(), 1);
    }

    #[test]
    fn the_first_page_is_put_first_where_it_is_not_named() {
        let outline = of_summary(&[("README.md", ""), ("a.md", "")], "* [A](a.md)\n");
        assert_eq!(shown(&outline), ["Text(\"README.md\")", "Text(\"a.md\")"]);
    }

    #[test]
    fn pages_never_exceed_the_maximum_depth() {
        let deep: String = (0..200).map(|depth| format!("{}* x{depth}\n", "  ".repeat(depth))).collect();
        let outline = of_summary(&[], &format!("## G\n{deep}"));
        let depths: Vec<usize> = shown(&outline).iter().map(|line| line.matches("- ").count()).collect();
        assert!(depths.len() > 64);
        assert_eq!(depths.into_iter().max(), Some(MAX_DEPTH - 1));
    }

    #[test]
    fn without_a_table_of_contents_folders_and_names_decide() {
        let files = [
            ("README.md", ""),
            ("step10.md", ""),
            ("step2.md", ""),
            ("b/README.md", ""),
            ("b/x.md", ""),
            ("a/deep/y.md", ""),
            ("last.md", "---\norder: 99\n---\n"),
            ("first.md", "---\ntitle: F\norder: 1\n---\n"),
            (".gitbook/includes/i.md", ""),
            (".github/z.md", ""),
            ("x.png", ""),
        ];
        let expected = [
            "Text(\"README.md\")",
            "Text(\"first.md\")",
            "Text(\"last.md\")",
            "Bare",
            "- Bare",
            "- - Text(\"a/deep/y.md\")",
            "Text(\"b/README.md\")",
            "- Text(\"b/x.md\")",
            "Text(\"step2.md\")",
            "Text(\"step10.md\")",
        ];
        assert_eq!(shown(&of_folders(&files)), expected);
        let deep = format!("{}x.md", "f/".repeat(300));
        assert_eq!(of_folders(&[(&deep, "")]).entries.len(), MAX_DEPTH - 1);
    }

    #[test]
    fn settings_of_a_folder_give_it_a_title_and_a_position() {
        let files = [
            ("a/x.md", ""),
            ("b/y.mdx", "+++\nweight = 2\n+++\n"),
            ("b/z.md", "---\nweight: 1\n---\n"),
            ("b/_category_.json", "{ \"label\": \"Basic things\", \"position\": 1 }"),
            ("c/_category_.json", "{ \"label\": \"No pages\" }"),
        ];
        let outline = of_folders(&files);
        assert_eq!(
            shown(&outline),
            ["Bare", "- Text(\"b/z.md\")", "- Text(\"b/y.mdx\")", "Bare", "- Text(\"a/x.md\")"]
        );
        assert_eq!(
            (outline.entries[0].title.as_str(), outline.entries[0].slug.as_deref()),
            ("Basic things", Some("b"))
        );
    }

    #[rstest]
    #[case("a2", "a10", Ordering::Less)]
    #[case("a02", "a2", Ordering::Less)]
    #[case("A", "b", Ordering::Less)]
    #[case("a", "A", Ordering::Greater)]
    #[case("v1.9", "v1.10", Ordering::Less)]
    #[case("a", "a1", Ordering::Less)]
    #[case("99999999999999999999999", "100000000000000000000000", Ordering::Less)]
    fn names_compare_as_people_do(#[case] a: &str, #[case] b: &str, #[case] order: Ordering) {
        assert_eq!(natural(a, b), order);
        assert_eq!(natural(b, a), order.reverse());
    }
}
