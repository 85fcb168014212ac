//! The page with the changes of the newest versions of a spec.
use super::{fitting, heading, paragraph, shown_part, words};
use crate::content::computed::{ComputedSource, generated_id};
use crate::content::document::{Block, Document, Inline, Kind, Link, ListItem, Marks, Target, Text};
use crate::content::reference::ContentRef;
use crate::id::PageId;
use crate::openapi::diff::{ChangeLevel, ChangedOperation, Changelog, ChangelogLine, ChangelogSection};
use crate::openapi::pages::{OperationPages, PageDoc};
use crate::openapi::parts::Summary;
use crate::openapi_spec::ChangelogVersion;

/// Writes the changelog page of a spec from its versions, newest first. `summary` is that of the version shown.
/// Operations link to their generated pages, if there is a computed page for them. `None` if the source has another
/// kind, or if there is only one version.
pub(crate) fn changelog(
    source: &ComputedSource,
    summary: &Summary,
    versions: &[ChangelogVersion],
    place: Option<&PageId>,
) -> Option<Document> {
    let spec = source.spec()?;
    let Some(PageDoc::Changelog { grouping }) = shown_part(source) else { return None };
    let is_compared = |version: &ChangelogVersion| version.entry.as_ref().is_some_and(|entry| entry.changes.is_some());
    if versions.len() < 2 && !versions.iter().any(is_compared) {
        return None;
    }
    let links = Links { spec, place, summary, pages: OperationPages::of(summary, grouping) };
    Some(fitting(versions.iter().flat_map(|version| links.version(version)).collect()))
}

/// Where operations link to, and which of them are shown.
struct Links<'a> {
    spec: &'a str,
    place: Option<&'a PageId>,
    summary: &'a Summary,
    pages: OperationPages<'a>,
}

impl Links<'_> {
    fn version(&self, version: &ChangelogVersion) -> Vec<Block> {
        let date = version.created_at.format("%Y-%m-%d");
        let name = version.entry.as_ref().map(|entry| entry.version.trim()).filter(|name| !name.is_empty());
        let title = name.map_or_else(|| date.to_string(), |name| format!("Version {name}, {date}"));
        let mut blocks = vec![heading(2, title)];
        match version.entry.as_ref().map(|entry| &entry.changes) {
            None => blocks.push(sentence("The changes of this version were not recorded.")),
            Some(None) => blocks.push(sentence("There is no earlier version to compare with.")),
            Some(Some(changes)) => match changes.clone().shown_with(self.summary) {
                Changelog { sections } if sections.is_empty() => {
                    blocks.push(sentence("Nothing that these pages show has changed."));
                }
                Changelog { sections } => blocks.extend(sections.iter().flat_map(|one| self.section(one))),
            },
        }
        blocks
    }

    fn section(&self, section: &ChangelogSection) -> Vec<Block> {
        if section.level == ChangeLevel::Words {
            let count = section.lines.len() + section.more;
            let noun = if count == 1 { "change" } else { "changes" };
            return vec![sentence(&format!("{count} {noun} of descriptions and examples."))];
        }
        let more = match (section.more, section.lines.is_empty()) {
            (0, _) => None,
            (1, true) => Some("1 change".to_owned()),
            (more, true) => Some(format!("{more} changes")),
            (more, false) => Some(format!("and {more} more")),
        };
        let more = more.map(|more| vec![words(more)]);
        let items = section.lines.iter().map(|line| self.line(line)).chain(more);
        let item = |content| Block::new(Kind::ListItem(ListItem::default())).with_children(vec![paragraph(content)]);
        let list = Block::new(Kind::ListUnordered).with_children(items.map(item).collect());
        vec![heading(3, section.title().to_owned()), list]
    }

    /// The operations of a change and what changed.
    fn line(&self, line: &ChangelogLine) -> Vec<Inline> {
        let mut content = Vec::new();
        for operation in &line.operations {
            if !content.is_empty() {
                content.push(words(", ".to_owned()));
            }
            content.push(self.operation(operation));
        }
        let before = match (line.operations.is_empty(), line.more_operations) {
            (true, _) => String::new(),
            (false, 0) => ": ".to_owned(),
            (false, more) => format!(" and {more} more: "),
        };
        content.push(words(format!("{before}{}", line.text)));
        content
    }

    fn operation(&self, operation: &ChangedOperation) -> Inline {
        let marks = Marks { code: true, ..Marks::default() };
        let name = Inline::Text(Text { text: operation.name(), marks });
        let page = self.place.zip(self.pages.get(operation));
        match page.and_then(|(place, doc)| generated_id(place, &doc.id(self.spec))) {
            Some(page) => {
                let target = Target(ContentRef::Page { page, space: None });
                Inline::Link(Box::new(Link { target, content: vec![name], ..Link::default() }))
            }
            None => name,
        }
    }
}

fn sentence(text: &str) -> Block {
    paragraph(vec![words(text.to_owned())])
}

#[cfg(test)]
mod tests;
