//! Anchors that the headings of a page had.
use super::Visiting;
use super::page_tree::Node;
use super::places::VariantPages;
use crate::content::changes::FormerAnchor;
use crate::content::document::{Block, BlockType, Document, Key};
use crate::usecases::Error;
use std::collections::HashSet;

impl Visiting<'_> {
    /// The anchors that headings of a page had, the newest first, as far as `document`, the text of the page for the
    /// visitor, has these headings. An anchor that another block of the text has now can be among them.
    pub(super) async fn former_anchors(
        &mut self,
        pages: &VariantPages,
        node: &Node,
        document: &Document,
    ) -> Result<Vec<FormerAnchor>, Error> {
        let is_heading = |block: &&Block| block.kind.block_type() == BlockType::Heading;
        let headings: HashSet<&Key> = document.walk().filter(is_heading).map(|block| &block.key).collect();
        if node.generated.is_some() || headings.is_empty() {
            return Ok(Vec::new());
        }
        let Self { cache, work, contents, .. } = self;
        let Some(opened) = contents.get(work, &pages.space).await? else { return Ok(Vec::new()) };
        // They change only with the primary content, also if another version is shown.
        let key = (opened.space.revision.clone(), node.id.clone());
        let all = match cache.former_anchors.get(&key) {
            Some(all) => all,
            None => {
                let all = work.content().former_anchors(&pages.space, &node.id).await?.into();
                cache.former_anchors.keep(key, all)
            }
        };
        Ok(all.iter().filter(|former| headings.contains(&former.heading)).cloned().collect())
    }
}
