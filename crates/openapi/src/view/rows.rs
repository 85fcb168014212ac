//! Makes rows of schemas, within a budget.
//!
//! Rows are opened breadth first: all fields of all bodies come before the fields below them, so no schema uses up the
//! rows of another one that is less deep.
use super::row::{RowRole, RowsLeftOut, SchemaRow};
use super::types::{Unwrapped, contradictions, identity, others, unwrap};
use super::{Meter, below::Below, describe};
use crate::direction::Direction;
use crate::schema::{LocatedNode, Merged, Schemas};
use crate::tree::Node;
use std::collections::VecDeque;

/// The maximum number of fields, choices and the like that are read for the rows of a view. A row is opened only below
/// it, so that many rows with one large schema take no longer than a few.
const MAX_READ: usize = 200_000;

/// The maximum number of schemas and choices that are merged for the rows below others. Hidden values need no budget, so
/// their number does not end by it.
const MAX_MERGED: usize = 2_000_000;

/// The rows of a view under construction.
#[derive(Debug)]
pub(super) struct Rows<'a, 's> {
    schemas: &'s Schemas<'a>,
    depth: usize,
    /// Each after the row above it.
    drafts: Vec<Draft>,
    /// The rows that can be opened, with the schemas of the values below them.
    closed: VecDeque<(usize, Merged<'a>)>,
    /// The number of fields, choices and the like that were read.
    read: usize,
    /// The number of schemas and choices that were merged for rows below others.
    merged: usize,
}

/// A row, with the data for its place.
#[derive(Debug)]
struct Draft {
    row: SchemaRow,
    above: Option<usize>,
    depth: usize,
    direction: Option<Direction>,
    /// The schemas of its children.
    identity: Vec<*const Node>,
}

impl<'a, 's> Rows<'a, 's> {
    pub(super) fn new(schemas: &'s Schemas<'a>, depth: usize) -> Self {
        Self { schemas, depth, drafts: Vec::new(), closed: VecDeque::new(), read: 0, merged: 0 }
    }

    /// Adds a row without a parent, and returns a copy of it. `None` if the budget is too small. Values that do not
    /// exist in the direction are hidden below it.
    pub(super) fn add(
        &mut self,
        schema: Option<&LocatedNode<'a>>,
        direction: Option<Direction>,
        meter: &mut Meter,
        complete: impl FnOnce(&mut SchemaRow),
    ) -> Option<SchemaRow> {
        if !meter.may_admit_row() {
            return None;
        }
        let unwrapped = match schema {
            Some(schema) => unwrap(self.schemas, self.schemas.merged(schema)),
            None => unwrap(self.schemas, self.schemas.merged_all(&[])),
        };
        let mut row = describe::row(self.schemas, &unwrapped);
        complete(&mut row);
        meter.admits_row(&row).then(|| {
            self.push(row.clone(), None, direction, unwrapped);
            row
        })
    }

    /// Opens rows while the budget allows it. `skip` is the number of children of the first row that are left out.
    pub(super) fn grow(&mut self, meter: &mut Meter, skip: usize) {
        while let Some((index, merged)) = self.closed.pop_front() {
            let Some(draft) = self.drafts.get_mut(index) else { continue };
            let skip = if index == 0 { skip } else { 0 };
            // Below the first rows, a row is opened only if all its children fit.
            let is_first = draft.depth == 0;
            let has_no_room = !meter.may_admit_row() || (!is_first && merged.property_count() > meter.rows());
            if draft.depth >= self.depth || has_no_room || self.read >= MAX_READ {
                draft.row.closed = true;
                continue;
            }
            self.read += Below::number_read(&merged);
            let below = Below::of(self.schemas, &merged);
            if !is_first && below.len() > meter.rows() {
                draft.row.closed = true;
                continue;
            }
            let count = below.len();
            let direction = draft.direction;
            for (at, child) in below.into_iter().enumerate().skip(skip) {
                if self.merged >= MAX_MERGED || !self.add_below(index, child, direction, meter) {
                    let rest = RowsLeftOut { count: count.saturating_sub(at), skip: at };
                    self.leave_out(index, at == skip, rest);
                    break;
                }
            }
        }
    }

    /// The rows without a parent, in the order in which they were added, with all rows below them.
    pub(super) fn finish(self) -> Vec<SchemaRow> {
        let mut drafts = self.drafts;
        let mut finished = Vec::new();
        while let Some(mut draft) = drafts.pop() {
            // The last child was added first.
            draft.row.children.reverse();
            match draft.above.and_then(|above| drafts.get_mut(above)) {
                Some(above) => above.row.children.push(draft.row),
                None => finished.push(draft.row),
            }
        }
        finished.reverse();
        finished
    }

    /// Adds a row below another one; false if the budget is too small. A hidden value needs no budget.
    fn add_below(&mut self, above: usize, child: Below<'a>, direction: Option<Direction>, meter: &mut Meter) -> bool {
        let merged = self.schemas.merged_all(&child.schemas);
        self.merged += merged.layers.len() + merged.choice_count();
        let is_value = matches!(child.role, RowRole::Field | RowRole::Pattern | RowRole::OtherFields);
        if is_value && direction.is_some_and(|direction| merged.nodes().any(|node| direction.hides(node))) {
            return true;
        }
        let unwrapped = unwrap(self.schemas, merged);
        let mut row = describe::row(self.schemas, &unwrapped);
        child.complete(&unwrapped.inner, &mut row);
        let identity = identity(&unwrapped.inner);
        row.recursive = self.same_above(above, &identity).or(unwrapped.is_circular.then(|| row.pointer.clone()));
        let admits = meter.admits_row(&row);
        if admits {
            self.push(row, Some(above), direction, unwrapped);
        }
        admits
    }

    fn push(&mut self, row: SchemaRow, above: Option<usize>, direction: Option<Direction>, unwrapped: Unwrapped<'a>) {
        let index = self.drafts.len();
        let depth = above.and_then(|above| self.drafts.get(above)).map_or(0, |above| above.depth + 1);
        if row.recursive.is_none() && has_below(&unwrapped.inner) {
            let identity = identity(&unwrapped.inner);
            self.drafts.push(Draft { row, above, depth, direction, identity });
            self.closed.push_back((index, unwrapped.inner));
        } else {
            self.drafts.push(Draft { row, above, depth, direction, identity: Vec::new() });
        }
    }

    /// The pointer of the nearest row, this one or above it, that has the same children.
    fn same_above(&self, from: usize, identity: &[*const Node]) -> Option<String> {
        let mut next = Some(from).filter(|_| !identity.is_empty());
        while let Some(draft) = next.and_then(|index| self.drafts.get(index)) {
            if draft.identity == identity {
                return Some(draft.row.pointer.clone());
            }
            next = draft.above;
        }
        None
    }

    fn leave_out(&mut self, index: usize, is_all: bool, rest: RowsLeftOut) {
        if let Some(draft) = self.drafts.get_mut(index) {
            if is_all && rest.skip == 0 {
                draft.row.closed = true;
            } else {
                draft.row.rest = Some(rest);
            }
        }
    }
}

/// Whether there are rows below a schema.
fn has_below(merged: &Merged<'_>) -> bool {
    let has_list = |key: &str| merged.nodes().any(|node| !node.items_of(key).is_empty());
    !contradictions(merged).is_empty()
        || merged.property_count() > 0
        || !merged.choices.is_empty()
        || !merged.below("patternProperties").is_empty()
        || !others(merged).is_empty()
        || has_list("prefixItems")
}
