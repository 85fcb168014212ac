//! Finds the generated page of an operation.
use super::{Grouping, HOOK, PageDoc};
use crate::diff::ChangedOperation;
use crate::parts::{OperationSummary, Summary};
use std::collections::HashMap;

/// The generated pages of the operations of a version.
pub struct OperationPages<'a> {
    grouping: Grouping,
    /// By the name of the webhook, the path and the method.
    operations: HashMap<(Option<&'a str>, &'a str, &'a str), &'a OperationSummary>,
}

impl<'a> OperationPages<'a> {
    /// The pages of a version. Internal operations have none.
    pub fn of(summary: &'a Summary, grouping: Grouping) -> Self {
        let hooks = summary.webhooks.iter().map(|hook| (Some(hook.name.as_str()), &hook.operation));
        let all = summary.operations.iter().map(|operation| (None, operation)).chain(hooks);
        let mut operations = HashMap::new();
        for (webhook, operation) in all.filter(|(_, operation)| !operation.internal) {
            operations.entry((webhook, operation.path.as_str(), operation.method.as_str())).or_insert(operation);
        }
        Self { grouping, operations }
    }

    /// The page that shows an operation: its own, or that of its first tag. `None` if there is none.
    pub fn get(&self, operation: &ChangedOperation) -> Option<PageDoc> {
        let ChangedOperation { method, path, webhook } = operation;
        let found = self.operations.get(&(webhook.as_deref(), path.as_str(), method.as_str()))?;
        Some(match (self.grouping, webhook) {
            (Grouping::ByTag, _) => {
                let tag = found.tags.iter().find(|tag| !tag.is_empty());
                PageDoc::Operations { page: tag.cloned().unwrap_or_default() }
            }
            (Grouping::ByOperation, Some(name)) => {
                PageDoc::Operation { page: name.clone(), method: HOOK.to_owned(), deprecated: found.deprecated }
            }
            (Grouping::ByOperation, None) => {
                PageDoc::Operation { page: path.clone(), method: method.clone(), deprecated: found.deprecated }
            }
        })
    }
}
