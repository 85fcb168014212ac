//! The groups of an organization's issues in memory, by language.
use crate::conversation::{Conversation, ConversationContent, ConversationIssue, Impact, IssueCluster};
use crate::id::{ConversationIssueId, IssueClusterId};
use crate::ports::Ids;
use crate::ports::store::conversations::GroupedIssue;
use crate::text::{ConversationSubject, Language};
use conversations::alike::{SAME_ISSUE, alike};
use conversations::analyse::{FoundIssue, Part, analyse};
use conversations::describe::{Description, Statistics, describe};
use conversations::features::{FEATURE_VERSION, Features};
use conversations::groups::{Groups, Measure, Member};
use conversations::language::family;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

/// The number of typical issues that describe a cluster.
const TYPICAL: usize = 40;

/// The issues of a conversation with their clusters.
pub(super) struct Placed {
    pub(super) conversation: Conversation,
    pub(super) language: Option<Language>,
    pub(super) impact: Option<Impact>,
    pub(super) issues: Vec<Found>,
    /// Issues that it had before its content changed, with their clusters.
    pub(super) removed: Vec<(ConversationIssueId, IssueClusterId)>,
}

/// An issue with its cluster.
pub(super) struct Found {
    pub(super) id: ConversationIssueId,
    pub(super) title: String,
    pub(super) details: String,
    pub(super) impact: Impact,
    pub(super) features: Vec<u8>,
    pub(super) cluster: IssueClusterId,
    /// Whether the conversation did not have it before.
    pub(super) is_new: bool,
}

/// What is shown of a cluster.
pub(super) struct Described {
    pub(super) cluster: IssueClusterId,
    pub(super) language: Option<Language>,
    /// The impact of its newest issue: the cluster may have no other.
    pub(super) impact: Impact,
    pub(super) about: Description,
}

/// What changed when the clusters were looked at as a whole.
pub(super) struct Tidied {
    /// Clusters without issues, each with the one that it answers with from now on.
    pub(super) heirs: Vec<(IssueClusterId, IssueClusterId)>,
    /// For a cluster, the issues that it got, and the clusters that they came from.
    pub(super) moved: BTreeMap<IssueClusterId, (Vec<ConversationIssueId>, BTreeSet<IssueClusterId>)>,
    /// What changed in what is shown.
    pub(super) described: Vec<Described>,
}

/// The groups of one language.
struct Group {
    language: Option<Language>,
    groups: Groups,
    statistics: Statistics,
}

/// The numbers under which the groups know a cluster.
struct Known {
    id: IssueClusterId,
    label: String,
    impact: Impact,
    changed: bool,
}

/// The groups of an organization's issues. Issues and clusters have numbers: their places in lists, the oldest first.
pub(super) struct State {
    ids: Arc<dyn Ids>,
    groups: HashMap<Language, Group>,
    issues: Vec<(ConversationIssueId, String)>,
    clusters: Vec<Known>,
    numbers: HashMap<IssueClusterId, u32>,
}

impl State {
    /// The groups of these issues, which are in the order of their ids.
    pub(super) fn new(ids: Arc<dyn Ids>, issues: Vec<GroupedIssue>, clusters: &[IssueCluster]) -> Self {
        let mut state =
            Self { ids, groups: HashMap::new(), issues: Vec::new(), clusters: Vec::new(), numbers: HashMap::new() };
        for cluster in clusters {
            state.know(cluster.id.clone(), cluster.label.to_string(), cluster.impact);
        }
        let mut members: HashMap<Language, (Option<Language>, Vec<Member>)> = HashMap::new();
        for issue in issues {
            let GroupedIssue { id, cluster, language, title, features, .. } = issue;
            let stored = (features.version == FEATURE_VERSION).then(|| Features::from_bytes(&features.bytes)).flatten();
            let features = stored.unwrap_or_else(|| Features::of(&title, language));
            let Some(cluster) = state.numbers.get(&cluster).copied() else { continue };
            let member = Member { issue: state.issues.len() as u32, cluster, features };
            state.issues.push((id, title));
            members.entry(family(language)).or_insert_with(|| (language, Vec::new())).1.push(member);
        }
        for (key, (language, members)) in members {
            let titles = members.iter().map(|member| state.issues[member.issue as usize].1.as_str());
            let statistics = Statistics::of(titles, language);
            let groups = Groups::build(Measure::of(language), members);
            state.groups.insert(key, Group { language, groups, statistics });
        }
        state
    }

    /// The number of issues.
    pub(super) fn len(&self) -> usize {
        self.issues.len()
    }

    fn know(&mut self, id: IssueClusterId, label: String, impact: Impact) -> u32 {
        let number = self.clusters.len() as u32;
        self.numbers.insert(id.clone(), number);
        self.clusters.push(Known { id, label, impact, changed: false });
        number
    }

    /// Finds the issues of a conversation, and the cluster of each. An issue that the conversation had before keeps its id
    /// and its cluster.
    pub(super) fn place(
        &mut self,
        conversation: Conversation,
        content: &ConversationContent,
        old: &[ConversationIssue],
    ) -> Placed {
        let subject = conversation.subject.as_ref().map(ConversationSubject::as_str);
        let parts: Vec<Part<'_>> =
            content.parts.iter().map(|part| Part { role: part.role, body: &part.body }).collect();
        let found = analyse(subject, &parts, None);
        let mut before: Vec<&ConversationIssue> =
            old.iter().filter(|issue| issue.conversation == conversation.id).collect();
        let issues = found.issues.into_iter().map(|issue| self.place_issue(issue, found.language, &mut before));
        let issues = issues.collect();
        let removed = before.into_iter().map(|issue| (issue.id.clone(), issue.cluster.clone())).collect();
        Placed { conversation, language: found.language, impact: found.impact, issues, removed }
    }

    fn place_issue(
        &mut self,
        issue: FoundIssue,
        language: Option<Language>,
        before: &mut Vec<&ConversationIssue>,
    ) -> Found {
        let FoundIssue { title, details, impact, .. } = issue;
        let features = Features::of(&title, language);
        let bytes = features.to_bytes();
        let likeness = before.iter().enumerate().map(|(at, old)| (at, alike(old.title.as_str(), &title)));
        let best = likeness.max_by(|one, other| one.1.total_cmp(&other.1)).filter(|(_, alike)| *alike >= SAME_ISSUE);
        if let Some((at, _)) = best {
            let old = before.remove(at);
            let (id, cluster) = (old.id.clone(), old.cluster.clone());
            return Found { id, title, details, impact, features: bytes, cluster, is_new: false };
        }
        let key = family(language);
        let group = self.groups.entry(key).or_insert_with(|| Group {
            language,
            groups: Groups::build(Measure::of(language), []),
            statistics: Statistics::default(),
        });
        group.statistics.add(&title, language);
        let nearest = group.groups.assign(&features);
        let ids = Arc::clone(&self.ids);
        let number = match nearest {
            Some(nearest) => nearest.cluster,
            None => self.know(ids.make(), String::new(), impact),
        };
        let id: ConversationIssueId = ids.make();
        let member = Member { issue: self.issues.len() as u32, cluster: number, features };
        if let Some(group) = self.groups.get_mut(&key) {
            group.groups.insert(member);
        }
        self.issues.push((id.clone(), title.clone()));
        let known = &mut self.clusters[number as usize];
        known.changed = true;
        Found { id, title, details, impact, features: bytes, cluster: known.id.clone(), is_new: true }
    }

    /// Describes the clusters that got issues since the last call.
    pub(super) fn describe_changed(&mut self) -> Vec<Described> {
        let flags = (0..).zip(&mut self.clusters);
        let changed: Vec<u32> =
            flags.filter_map(|(number, known)| std::mem::take(&mut known.changed).then_some(number)).collect();
        let keys: Vec<Language> = self.groups.keys().copied().collect();
        let pairs = changed.into_iter().flat_map(|number| keys.iter().map(move |key| (*key, number)));
        pairs.filter_map(|(key, number)| self.describe(key, number)).collect()
    }

    /// Describes a cluster, if it is one of this language.
    fn describe(&mut self, key: Language, number: u32) -> Option<Described> {
        let Group { language, groups, statistics } = self.groups.get(&key)?;
        let typical = groups.typical(number);
        if typical.is_empty() {
            return None;
        }
        let titles: Vec<&str> =
            typical.iter().take(TYPICAL).map(|(issue, _)| self.issues[*issue as usize].1.as_str()).collect();
        let known = &mut self.clusters[number as usize];
        let old = Some(known.label.as_str()).filter(|label| !label.is_empty());
        let about = describe(&titles, *language, statistics, old);
        known.label.clone_from(&about.label);
        Some(Described { cluster: known.id.clone(), language: *language, impact: known.impact, about })
    }

    /// Merges clusters that are alike, moves issues that are nearer to another cluster, and describes all clusters again.
    pub(super) fn tidy(&mut self) -> Tidied {
        let mut tidied = Tidied { heirs: Vec::new(), moved: BTreeMap::new(), described: Vec::new() };
        let mut keys: Vec<Language> = self.groups.keys().copied().collect();
        keys.sort_unstable_by_key(|key| key.as_str());
        for key in keys {
            let Some(group) = self.groups.get_mut(&key) else { continue };
            let before = membership(&group.groups);
            let upkeep = group.groups.upkeep();
            let after = membership(&group.groups);
            let clusters = group.groups.clusters();
            let id = |number: u32| self.clusters[number as usize].id.clone();
            for (issue, now) in &after {
                let Some(then) = before.get(issue).filter(|then| *then != now) else { continue };
                let (issues, sources) = tidied.moved.entry(id(*now)).or_default();
                issues.push(self.issues[*issue as usize].0.clone());
                sources.insert(id(*then));
            }
            let heirs = upkeep.merged.iter().chain(&upkeep.emptied);
            tidied.heirs.extend(heirs.map(|(from, to)| (id(*from), id(*to))));
            for (number, _) in clusters.iter().filter(|(_, issues)| issues.len() > 1) {
                tidied.described.extend(self.describe(key, *number));
            }
        }
        tidied
    }
}

/// The cluster of each issue, by their numbers.
fn membership(groups: &Groups) -> BTreeMap<u32, u32> {
    let clusters = groups.clusters().into_iter();
    clusters.flat_map(|(cluster, issues)| issues.into_iter().map(move |issue| (issue, cluster))).collect()
}
