//! Conversations with customers: storing, reading and deleting them, with their issues and the clusters of these. The
//! job [`Task::GroupConversations`] finds the issues ([`super::jobs`]).
mod removed;
mod shown;

use removed::describe_remaining;
pub use shown::{ClusterNumbers, ShownCluster, ShownConversation, ShownIssue};
pub(super) use shown::{counted, known_as, successor};

use super::lists::only;
use super::work::{Units, Work};
use super::{Error, Input, Precondition};
use crate::actor::Actor;
use crate::conversation::{
    ClusterOrder, Conversation, ConversationIssue, ConversationSource, IssueCluster, NewConversation, SHOWN_ISSUES,
    SWEEP_INTERVAL, SentConversations, redacted_id,
};
use crate::event::{Change, Differences};
use crate::id::{ConversationId, ConversationIssueId, IssueClusterId, OrganizationId};
use crate::job::{Job, Task};
use crate::paging::{Page, PageRequest};
use crate::ports::store::conversations::IssueFilter;
use crate::text::ExternalId;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

/// Use cases for conversations, issues and clusters.
#[derive(Clone)]
pub struct Conversations {
    /// Units of work.
    pub units: Units,
    /// Whether personal data and secrets are removed before a conversation is stored.
    pub redact: bool,
}

/// Identifies a conversation: by its id, or by its sender's id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConversationRef(pub String);

impl ConversationRef {
    /// The conversation, if there is exactly one.
    async fn find(&self, work: &mut Work<'_>, organization: &OrganizationId) -> Result<Conversation, Error> {
        if let Ok(id) = self.0.parse::<ConversationId>()
            && let Some(found) = work.conversations().find(organization, &id).await?
        {
            return Ok(found);
        }
        let Ok(sent) = self.0.parse::<ExternalId>() else { return Err(Error::NotFound("conversation")) };
        let (mut found, stored) = (work.conversations().find_sent(organization, &sent).await?, redacted_id(&sent));
        if found.is_empty() && stored != sent {
            found = work.conversations().find_sent(organization, &stored).await?;
        }
        match <[Conversation; 1]>::try_from(found) {
            Ok([found]) => Ok(found),
            Err(_) => Err(Error::NotFound("conversation")),
        }
    }
}

/// Which issues to list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IssueQuery {
    /// Only those of this cluster.
    pub cluster: Option<IssueClusterId>,
    /// Only those of this conversation.
    pub conversation: Option<ConversationRef>,
}

/// A change of a cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClusterPatch {
    /// Whether no change requests are made for it.
    pub muted: bool,
}

impl Conversations {
    /// Stores conversations, all or none. Replaces a conversation that its source sent before, if its content differs.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Forbidden`] for callers who may not create content; [`Error::Invalid`].
    pub async fn ingest(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        sent: Input<SentConversations>,
    ) -> Result<(), Error> {
        let mut work = self.units.read(actor).await?;
        work.organization(organization, |may| may.ingest_conversations).await?;
        drop(work);
        // Reading and redacting takes long, so no unit of work is open during it.
        let mut sent = sent.read()?.checked(self.units.clock.now())?;
        if self.redact {
            sent = sent.into_iter().map(NewConversation::redacted).collect();
        }
        let hashes: Vec<[u8; 32]> = sent.iter().map(NewConversation::hash).collect();
        let mut work = self.units.write(actor).await?;
        work.lock(&[organization.into()]).await?;
        work.organization(organization, |may| may.ingest_conversations).await?;
        let now = work.now();
        let mut known = known(&mut work, organization, &sent).await?;
        let mut stored = 0_u32;
        for (new, hash) in sent.iter().zip(hashes) {
            // The same conversation may come twice in one request.
            let entry = known.entry((new.source.clone(), new.external_id.clone()));
            match entry {
                Entry::Occupied(same) if same.get().hash == hash => continue,
                Entry::Occupied(other) => {
                    let other = other.into_mut();
                    other.replace(new, hash);
                    work.conversations().save(other, Some(&new.content)).await?;
                }
                Entry::Vacant(place) => {
                    let one = place.insert(Conversation::new(work.ids.make(), organization.clone(), new, hash, now));
                    work.conversations().add(one, &new.content).await?;
                }
            }
            stored += 1;
        }
        if stored == 0 {
            return Ok(());
        }
        let change = Change::ConversationsIngested { organization: organization.clone(), conversations: stored };
        work.record(organization, change).await?;
        start(&mut work, organization).await?;
        work.commit().await
    }

    /// The conversations of an organization, newest first.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Forbidden`] for callers who may not edit; [`Error::Invalid`].
    pub async fn list(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        query: Input<(Option<ConversationSource>, PageRequest)>,
    ) -> Result<Page<Conversation>, Error> {
        let mut work = self.units.read(actor).await?;
        work.organization(organization, |may| may.read_conversations).await?;
        let (source, page) = query.read()?;
        let source = source.as_ref().map(ConversationSource::as_str);
        Ok(work.conversations().list(organization, source, &page).await?)
    }

    /// A conversation with its texts.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Forbidden`] for callers who may not edit.
    pub async fn get(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        which: &ConversationRef,
    ) -> Result<ShownConversation, Error> {
        let mut work = self.units.read(actor).await?;
        work.organization(organization, |may| may.read_conversations).await?;
        let conversation = which.find(&mut work, organization).await?;
        let content = work.conversations().content(&conversation.id).await?;
        Ok(ShownConversation { conversation, content })
    }

    /// Deletes a conversation with its issues. Returns whether there was one.
    ///
    /// # Errors
    /// [`Error::NotFound`] for the organization; [`Error::Forbidden`] for callers who may not create content;
    /// [`Error::PreconditionFailed`].
    pub async fn remove(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        which: &ConversationRef,
        precondition: Precondition<ShownConversation>,
    ) -> Result<bool, Error> {
        let mut work = self.units.write(actor).await?;
        work.lock(&[organization.into()]).await?;
        work.organization(organization, |may| may.ingest_conversations).await?;
        let found = which.find(&mut work, organization).await;
        let Some(conversation) = precondition.found(found)? else { return Ok(false) };
        let content = work.conversations().content(&conversation.id).await?;
        let shown = ShownConversation { conversation, content };
        precondition.check(&shown)?;
        forget(&mut work, organization, &[shown.conversation.id]).await?;
        work.commit().await?;
        Ok(true)
    }

    /// Issues of an organization with their conversations, newest first.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Forbidden`] for callers who may not edit; [`Error::Invalid`].
    pub async fn issues(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        query: Input<(IssueQuery, PageRequest)>,
    ) -> Result<Page<ShownIssue>, Error> {
        let mut work = self.units.read(actor).await?;
        work.organization(organization, |may| may.read_conversations).await?;
        let (wanted, page) = query.read()?;
        let mut filter = IssueFilter { cluster: wanted.cluster, conversation: None };
        if let Some(cluster) = &filter.cluster {
            let found = successor(&mut work, organization, cluster).await?;
            filter.cluster = Some(found.map_or(cluster.clone(), |one| one.id));
        }
        if let Some(conversation) = wanted.conversation {
            filter.conversation = match conversation.find(&mut work, organization).await {
                Ok(found) => Some(found.id),
                Err(Error::NotFound(_)) => return Ok(Vec::new().into()),
                Err(error) => return Err(error),
            };
        }
        let found = work.conversations().issues(organization, &filter, &page).await?;
        shown::issues(&mut work, organization, found).await
    }

    /// An issue with its conversation.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Forbidden`] for callers who may not edit.
    pub async fn issue(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        id: &ConversationIssueId,
    ) -> Result<ShownIssue, Error> {
        let mut work = self.units.read(actor).await?;
        work.organization(organization, |may| may.read_conversations).await?;
        let found = work.conversations().issue(organization, id).await?.ok_or(Error::NotFound("issue"))?;
        only(shown::issues(&mut work, organization, vec![found].into()).await?)
    }

    /// The clusters of an organization that have at least [`SHOWN_ISSUES`].
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Forbidden`] for callers who may not edit; [`Error::Invalid`].
    pub async fn clusters(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        query: Input<(ClusterOrder, PageRequest)>,
    ) -> Result<Page<ShownCluster>, Error> {
        let mut work = self.units.read(actor).await?;
        work.organization(organization, |may| may.read_conversations).await?;
        let (by, page) = query.read()?;
        let found = work.conversations().clusters(organization, SHOWN_ISSUES, by, &page).await?;
        counted(&mut work, found).await
    }

    /// A cluster. The id of a merged cluster returns the cluster that has its issues now.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Forbidden`] for callers who may not edit.
    pub async fn cluster(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        id: &IssueClusterId,
    ) -> Result<ShownCluster, Error> {
        let mut work = self.units.read(actor).await?;
        work.organization(organization, |may| may.read_conversations).await?;
        let found = successor(&mut work, organization, id).await?.ok_or(Error::NotFound("cluster"))?;
        one(&mut work, found).await
    }

    /// Mutes a cluster, or unmutes it.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Forbidden`] for callers who may not create content; [`Error::Invalid`],
    /// [`Error::PreconditionFailed`].
    pub async fn update_cluster(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        id: &IssueClusterId,
        precondition: Precondition<ShownCluster>,
        patch: Input<ClusterPatch>,
    ) -> Result<ShownCluster, Error> {
        let mut work = self.units.write(actor).await?;
        work.lock(&[organization.into()]).await?;
        work.organization(organization, |may| may.ingest_conversations).await?;
        let before = successor(&mut work, organization, id).await?.ok_or(Error::NotFound("cluster"))?;
        let patch = patch.read()?;
        precondition.check_shown(one(&mut work, before.clone())).await?;
        let mut cluster = before.clone();
        if cluster.muted != patch.muted {
            cluster.muted = patch.muted;
            cluster.updated_at = work.now();
            work.conversations().save_cluster(&cluster).await?;
            let changes = Differences::between(&before, &cluster);
            let change = Change::IssueClusterUpdated { cluster: cluster.id.clone(), changes };
            work.record(organization, change).await?;
        }
        let shown = one(&mut work, cluster).await?;
        work.commit().await?;
        Ok(shown)
    }
}

async fn one(work: &mut Work<'_>, cluster: IssueCluster) -> Result<ShownCluster, Error> {
    only(counted(work, vec![cluster].into()).await?)
}

/// Conversations by their source and their sender's id.
type Known = BTreeMap<(ConversationSource, ExternalId), Conversation>;

/// Loads those of these conversations that are already stored.
async fn known(work: &mut Work<'_>, organization: &OrganizationId, sent: &[NewConversation]) -> Result<Known, Error> {
    let mut by_source: BTreeMap<&ConversationSource, Vec<ExternalId>> = BTreeMap::new();
    for new in sent {
        by_source.entry(&new.source).or_default().push(new.external_id.clone());
    }
    let mut known = BTreeMap::new();
    for (source, ids) in by_source {
        let found = work.conversations().find_known(organization, source, &ids).await?;
        known.extend(found.into_iter().map(|one| ((one.source.clone(), one.external_id.clone()), one)));
    }
    Ok(known)
}

/// Schedules the job that finds issues for now. If it is running, it checks for new conversations before it ends.
async fn start(work: &mut Work<'_>, organization: &OrganizationId) -> Result<(), Error> {
    let (group, now) = (Task::group_conversations(organization.clone()), work.now());
    let sweep = Task::SweepConversations { organization: organization.clone() };
    let jobs = [
        Job::new(work.ids.make(), group.clone(), now, now),
        Job::new(work.ids.make(), sweep, now + SWEEP_INTERVAL, now),
    ];
    work.jobs().add_missing(&jobs).await?;
    Ok(work.jobs().make_due(&group, now).await?)
}

/// Deletes conversations with their issues, and clusters left without issues. The caller has locked the organization.
pub(super) async fn forget(
    work: &mut Work<'_>,
    organization: &OrganizationId,
    ids: &[ConversationId],
) -> Result<(), Error> {
    let issues = work.conversations().issues_of(ids).await?;
    let clusters: BTreeSet<IssueClusterId> = issues.iter().map(|issue| issue.cluster.clone()).collect();
    work.conversations().remove(organization, ids).await?;
    recount(work, organization, clusters, &issues).await?;
    for conversation in ids {
        work.record(organization, Change::ConversationForgotten { conversation: conversation.clone() }).await?;
    }
    Ok(())
}

/// Counts the issues of clusters again, and removes empty clusters unless a change request names them. `removed` are
/// issues that are no longer in the clusters: no label and no summary may come from one of them.
pub(super) async fn recount(
    work: &mut Work<'_>,
    organization: &OrganizationId,
    clusters: BTreeSet<IssueClusterId>,
    removed: &[ConversationIssue],
) -> Result<(), Error> {
    let ids: Vec<IssueClusterId> = clusters.into_iter().collect();
    let now = work.now();
    let found = work.conversations().clusters_by_id(organization, &ids).await?;
    let mut empty = Vec::new();
    // A merged cluster has no issues, but its id must still refer to its successor.
    let found = found.into_iter().filter(|cluster| cluster.merged_into.is_none()).collect();
    for mut cluster in shown::recounted(work, found).await? {
        cluster.updated_at = now;
        describe_remaining(work, &mut cluster, removed).await?;
        if cluster.issues == 0 {
            empty.push(cluster.id.clone());
        }
        work.conversations().save_cluster(&cluster).await?;
    }
    Ok(work.conversations().remove_empty(organization, &empty).await?)
}
