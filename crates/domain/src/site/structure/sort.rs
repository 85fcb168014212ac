//! Moving something among its siblings.
use super::{Item, ItemId, SiteSpace, Structure, list_with, sections_mut};
use crate::text::Invalid;

/// The siblings to move next to; the last position if neither is given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SiblingPosition {
    /// The sibling that follows.
    pub before: Option<ItemId>,
    /// The sibling that precedes.
    pub after: Option<ItemId>,
}

/// Moves the item at `from` next to its named siblings. Siblings without an id are hidden from the caller.
///
/// # Errors
/// [`Invalid`] for a name that is not among the others, and for two names that are not neighbours.
fn reorder<T>(
    list: &mut Vec<T>,
    from: usize,
    beside: &SiblingPosition,
    id: impl Fn(&T) -> Option<ItemId>,
) -> Result<(), Invalid> {
    let others = list.iter().enumerate().filter(|(at, _)| *at != from).map(|(_, one)| id(one));
    // Those that the caller sees, with their positions among all others.
    let seen: Vec<(usize, ItemId)> = others.enumerate().filter_map(|(at, id)| Some((at, id?))).collect();
    let place = |field: &str, named: &Option<ItemId>| match named {
        None => Ok(None),
        Some(named) => {
            let found = seen.iter().position(|(_, other)| other == named);
            found.map(Some).ok_or_else(|| Invalid::new(format!("position.{field}"), "must be a sibling of the item"))
        }
    };
    let to = match (place("before", &beside.before)?, place("after", &beside.after)?) {
        (None, None) => list.len() - 1,
        (Some(before), None) => seen[before].0,
        (None, Some(after)) => seen[after].0 + 1,
        (Some(before), Some(after)) if after + 1 == before => seen[before].0,
        _ => return Err(Invalid::new("position", "before and after must name adjacent siblings")),
    };
    let moving = list.remove(from);
    list.insert(to, moving);
    Ok(())
}

impl Structure {
    /// Moves a part among its siblings. Returns whether it exists. Spaces for which `shown` is false are hidden from
    /// the caller: they keep their order, and cannot be named.
    ///
    /// # Errors
    /// [`Invalid`] if a named part is not a sibling, or if the two named siblings are not adjacent.
    pub fn sort(
        &mut self,
        id: &ItemId,
        beside: &SiblingPosition,
        shown: impl Fn(&SiteSpace) -> bool,
    ) -> Result<bool, Invalid> {
        if let ItemId::Space(space) = id {
            let lists: Vec<&mut Vec<SiteSpace>> = match self {
                Self::Spaces(spaces) => vec![spaces],
                Self::Sections(items) => sections_mut(items).into_iter().map(|section| &mut section.spaces).collect(),
            };
            for list in lists {
                if let Some(from) = list.iter().position(|one| one.id == *space && shown(one)) {
                    reorder(list, from, beside, |one| shown(one).then(|| ItemId::Space(one.id.clone())))?;
                    return Ok(true);
                }
            }
            return Ok(false);
        }
        let Self::Sections(items) = self else { return Ok(false) };
        let wanted = |item: &Item| item.id() == *id;
        let Some(list) = list_with(items, &wanted) else { return Ok(false) };
        let Some(from) = list.iter().position(wanted) else { return Ok(false) };
        reorder(list, from, beside, |item| Some(item.id()))?;
        Ok(true)
    }
}
