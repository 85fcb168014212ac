//! Groups operations and webhooks by their tags, and tags by their parents.
use super::{Grouping, MAX_LEVELS};
use crate::parts::{OperationSummary, Summary, TagSummary, WebhookSummary};
use std::collections::{HashMap, HashSet};

/// The operations and webhooks that readers see, by tags.
pub(super) struct Groups<'a> {
    /// The tags: those that the document describes in its order, then the others in the order of their first use.
    pub(super) all: Vec<Group<'a>>,
    /// The tags at the root.
    pub(super) roots: Vec<usize>,
    /// Operations without a tag, then webhooks without one.
    pub(super) untagged: Vec<Shown<'a>>,
}

/// A tag.
pub(super) struct Group<'a> {
    /// The name that operations use; not empty.
    pub(super) name: &'a str,
    /// The tag object in the document.
    pub(super) tag: Option<&'a TagSummary>,
    /// Whether any operation has it, internal ones included.
    pub(super) is_used: bool,
    /// Its operations, then its webhooks.
    pub(super) shown: Vec<Shown<'a>>,
    /// The tags below it.
    pub(super) below: Vec<usize>,
}

/// An entry of a page.
#[derive(Clone, Copy)]
pub(super) enum Shown<'a> {
    Operation(&'a OperationSummary),
    Webhook(&'a WebhookSummary),
}

impl<'a> Shown<'a> {
    fn tags(self) -> &'a [String] {
        match self {
            Self::Operation(operation) => &operation.tags,
            Self::Webhook(webhook) => &webhook.operation.tags,
        }
    }
}

impl<'a> Groups<'a> {
    /// Groups the operations of a document. With [`Grouping::ByOperation`], each is only in the group of its first tag,
    /// and a webhook counts once, as the first of its operations.
    pub(super) fn of(summary: &'a Summary, grouping: Grouping) -> Self {
        let mut all: Vec<Group<'a>> = Vec::new();
        let mut by_name: HashMap<&'a str, usize> = HashMap::new();
        let mut add = |all: &mut Vec<Group<'a>>, name: &'a str, tag| {
            *by_name.entry(name).or_insert_with(|| {
                all.push(Group { name, tag, is_used: false, shown: Vec::new(), below: Vec::new() });
                all.len() - 1
            })
        };
        for tag in summary.tags.iter().filter(|tag| !tag.name.is_empty()) {
            add(&mut all, &tag.name, Some(tag));
        }
        let operations = summary.operations.iter().map(|operation| (Shown::Operation(operation), operation.internal));
        let webhooks = summary.webhooks.iter().map(|webhook| (Shown::Webhook(webhook), webhook.operation.internal));
        let mut untagged = Vec::new();
        let mut hooks: HashSet<&'a str> = HashSet::new();
        for (shown, internal) in operations.chain(webhooks) {
            let mut seen: HashSet<usize> = HashSet::new();
            let tags = shown.tags().iter().filter(|name| !name.is_empty());
            let mut tags: Vec<usize> = tags.map(|name| add(&mut all, name, None)).collect();
            tags.retain(|at| seen.insert(*at));
            for at in &tags {
                if let Some(group) = all.get_mut(*at) {
                    group.is_used = true;
                }
            }
            if internal {
                continue;
            }
            if grouping == Grouping::ByOperation {
                if matches!(shown, Shown::Webhook(webhook) if !hooks.insert(&webhook.name)) {
                    continue;
                }
                tags.truncate(1);
            }
            if tags.is_empty() {
                untagged.push(shown);
            }
            for at in tags {
                if let Some(group) = all.get_mut(at) {
                    group.shown.push(shown);
                }
            }
        }
        let above = |group: &Group<'a>| by_name.get(group.tag?.parent.as_deref()?).copied();
        let parents = bounded(without_cycles(all.iter().map(above).collect()));
        let mut roots = Vec::new();
        for (at, parent) in parents.into_iter().enumerate() {
            match parent.and_then(|parent| all.get_mut(parent)) {
                Some(parent) => parent.below.push(at),
                None => roots.push(at),
            }
        }
        Self { all, roots, untagged }
    }
}

/// Cuts every cycle of parents above its first member.
fn without_cycles(mut parents: Vec<Option<usize>>) -> Vec<Option<usize>> {
    // The walk in which each was seen first.
    let mut seen: Vec<Option<usize>> = vec![None; parents.len()];
    for start in 0..parents.len() {
        let mut walked: Vec<usize> = Vec::new();
        let mut next = Some(start);
        let mut again = None;
        while let Some(at) = next {
            match seen.get_mut(at) {
                Some(seen @ None) => *seen = Some(start),
                Some(Some(walk)) if *walk == start => {
                    again = Some(at);
                    break;
                }
                _ => break,
            }
            walked.push(at);
            next = parents.get(at).copied().flatten();
        }
        let cycle = walked.iter().skip_while(|at| again != Some(**at));
        if let Some(parent) = cycle.min().and_then(|first| parents.get_mut(*first)) {
            *parent = None;
        }
    }
    parents
}

/// Moves tags below the last level to the last level. The parents have no cycle.
fn bounded(mut parents: Vec<Option<usize>>) -> Vec<Option<usize>> {
    // Counted from 1; 0 means unknown.
    let mut levels = vec![0; parents.len()];
    let level = |levels: &[usize], at: usize| levels.get(at).copied().unwrap_or_default();
    for start in 0..parents.len() {
        let mut walked: Vec<usize> = Vec::new();
        let mut next = Some(start);
        while let Some(at) = next.filter(|at| level(&levels, *at) == 0) {
            walked.push(at);
            next = parents.get(at).copied().flatten();
        }
        for at in walked.into_iter().rev() {
            let above = parents.get(at).copied().flatten();
            let last = above.filter(|above| level(&levels, *above) >= MAX_LEVELS);
            let above = last.map_or(above, |last| parents.get(last).copied().flatten());
            let below = above.map_or(1, |above| level(&levels, above) + 1);
            if let (Some(parent), Some(level)) = (parents.get_mut(at), levels.get_mut(at)) {
                (*parent, *level) = (above, below);
            }
        }
    }
    parents
}
