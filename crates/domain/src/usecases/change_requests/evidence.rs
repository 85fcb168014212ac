//! The subject and the description of a change request about a cluster of issues.
use crate::access::Granted;
use crate::change_request::Subject;
use crate::content::document::Document;
use crate::id::{ConversationId, IssueClusterId};
use crate::paging::{Order, PageRequest};
use crate::ports::store::conversations::IssueFilter;
use crate::space::Space;
use crate::text::Invalid;
use crate::usecases::Error;
use crate::usecases::conversations::{ShownCluster, counted, successor};
use crate::usecases::lists::only;
use crate::usecases::search::{FoundPage, pages_about};
use crate::usecases::work::Work;
use crate::web_address::WebAddress;
use conversations::evidence::{AnsweringPage, Evidence as Facts, MAX_PAGES, MAX_TITLES, Question};
use std::collections::HashMap;

/// A cluster with titles of its issues and related pages.
pub(super) struct Evidence {
    pub(super) cluster: ShownCluster,
    /// Titles of issues, each with the address of its conversation.
    titles: Vec<(String, Option<String>)>,
    pages: Vec<FoundPage>,
    question: Question,
}

/// Loads a cluster, with the pages of a space that may answer it.
///
/// # Errors
/// [`Error::Invalid`] for a cluster that is unknown to the caller; [`Error::Conflict`] for one that is muted.
pub(super) async fn of_cluster(
    work: &mut Work<'_>,
    space: &Granted<Space>,
    id: &IssueClusterId,
) -> Result<Evidence, Error> {
    let unknown = || Error::from(Invalid::new("conversationsIssuesCluster", "there is no such cluster"));
    let organization = &space.organization;
    match work.organization(organization, |may| may.read_conversations).await {
        Err(Error::NotFound(_) | Error::Forbidden(_)) => return Err(unknown()),
        granted => granted.map(drop)?,
    }
    let cluster = successor(work, organization, id).await?.ok_or_else(unknown)?;
    if cluster.muted {
        return Err(Error::Conflict("the cluster is muted: unmute it first".into()));
    }
    let filter = IssueFilter { cluster: Some(cluster.id.clone()), conversation: None };
    let newest = PageRequest { limit: MAX_TITLES, order: Order::Desc, ..PageRequest::default() };
    let issues = work.conversations().issues(organization, &filter, &newest).await?.items;
    let ids: Vec<ConversationId> = issues.iter().map(|issue| issue.conversation.clone()).collect();
    let conversations = work.conversations().find_all(organization, &ids).await?;
    let urls: HashMap<ConversationId, WebAddress> =
        conversations.into_iter().filter_map(|one| Some((one.id, one.url?))).collect();
    let titles = issues.into_iter().map(|issue| {
        let url = urls.get(&issue.conversation).map(ToString::to_string);
        (issue.title.to_string(), url)
    });
    let titles: Vec<_> = titles.collect();
    let all: Vec<&str> = titles.iter().map(|(title, _)| title.as_str()).collect();
    let question = Question::of(cluster.label.as_str(), &all, cluster.language);
    let pages = pages_about(work, space, &question.query, MAX_PAGES).await?;
    let cluster = only(counted(work, vec![cluster].into()).await?)?;
    Ok(Evidence { cluster, titles, pages, question })
}

impl Evidence {
    /// The label of the cluster.
    pub(super) fn label(&self) -> &str {
        self.cluster.cluster.label.as_str()
    }

    /// Titles of issues.
    pub(super) fn titles(&self) -> Vec<&str> {
        self.titles.iter().map(|(title, _)| title.as_str()).collect()
    }

    /// The pages that may answer it, the best first.
    pub(super) fn pages(&self) -> &[FoundPage] {
        &self.pages
    }

    /// The subject of a change request that has none.
    pub(super) fn subject(&self) -> Subject {
        Subject::fitted(self.label(), "")
    }

    /// The description of a change request that has none.
    pub(super) fn description(&self) -> Document {
        let ShownCluster { cluster, numbers } = &self.cluster;
        let sections = self.pages.iter().flat_map(|page| &page.sections);
        let answered = sections
            .clone()
            .any(|section| self.question.is_answered_by(&format!("{} {}", section.title, section.body.text)));
        let pages = self.pages.iter().map(|page| AnsweringPage {
            title: page.page.title.as_str(),
            page: page.id.clone(),
            sections: page
                .sections
                .iter()
                .map(|section| section.title.as_str())
                .filter(|title| !title.is_empty())
                .collect(),
        });
        let facts = Facts {
            label: cluster.label.as_str(),
            issues: numbers.issues as usize,
            conversations: numbers.conversations as usize,
            impact: cluster.impact,
            pulse: numbers.weekly_pulse,
            titles: self.titles.iter().map(|(title, url)| (title.as_str(), url.as_deref())).collect(),
            pages: pages.collect(),
            answered,
        };
        facts.document().unwrap_or_default()
    }
}
