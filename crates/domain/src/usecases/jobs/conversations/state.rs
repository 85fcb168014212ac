//! The groups of an organization's issues in memory, by language.
use crate::conversation::{Conversation, ConversationContent, ConversationIssue, Impact, IssueCluster};
use crate::id::{ConversationIssueId, IssueClusterId};
use crate::ports::Ids;
use crate::ports::store::conversations::GroupedIssue;
use crate::text::{ConversationSubject, Language};
use chrono::{DateTime, Utc};
use conversations::alike::{SAME_ISSUE, alike};
use conversations::analyse::{Analysis, FoundIssue, Part, analyse, analyse_masked};
use conversations::describe::{Description, Statistics, describe, quotes};
use conversations::features::{FEATURE_VERSION, Features};
use conversations::groups::{Groups, Measure, Member};
use conversations::language::family;
use conversations::model::{ModelDescription, ModelIssues};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

/// The number of typical issues that describe a cluster.
const TYPICAL: usize = 40;
/// The number of typical issues that are sent to a language model.
const SHOWN_TO_MODELS: usize = 20;

/// The issues of a conversation with their clusters.
pub(super) struct Placed {
    pub(super) conversation: Conversation,
    pub(super) language: Option<Language>,
    pub(super) impact: Option<Impact>,
    /// When to ask the language model again, after it failed.
    pub(super) ask_again_at: Option<DateTime<Utc>>,
    pub(super) issues: Vec<Found>,
    /// Issues that it had before its content changed, with their clusters.
    pub(super) removed: Vec<(ConversationIssueId, IssueClusterId)>,
}

/// An issue with its cluster.
pub(super) struct Found {
    pub(super) id: ConversationIssueId,
    pub(super) title: String,
    pub(super) details: String,
    pub(super) gist: Option<String>,
    pub(super) impact: Impact,
    pub(super) features: Vec<u8>,
    pub(super) cluster: IssueClusterId,
    /// Whether the conversation did not have it before.
    pub(super) is_new: bool,
    /// Its earlier cluster, if it was grouped again because it has got or lost its gist.
    pub(super) moved_from: Option<IssueClusterId>,
}

/// Where the issues of a conversation come from.
pub(super) enum IssueSource {
    /// Rules find them. If the language model failed, the time to ask it again.
    Rules(Option<DateTime<Utc>>),
    /// A language model found these.
    Model(ModelIssues),
}

/// A conversation with its analysis.
#[derive(Clone)]
pub(super) struct Analysed {
    pub(super) conversation: Conversation,
    pub(super) found: Analysis,
    /// When to ask an engine again, after it failed.
    pub(super) ask_again_at: Option<DateTime<Utc>>,
    /// Vectors of an engine for the first issues; the remaining issues have none.
    pub(super) vectors: Vec<Vec<f32>>,
}

impl Analysed {
    /// Finds the issues of a conversation. With `masks`, personal data and secrets in what is read are masked.
    pub(super) fn new(
        conversation: Conversation,
        content: &ConversationContent,
        source: IssueSource,
        masks: bool,
    ) -> Self {
        let subject = conversation.subject.as_ref().map(ConversationSubject::as_str);
        let parts: Vec<Part<'_>> =
            content.parts.iter().map(|part| Part { role: part.role, body: &part.body }).collect();
        let (found, ask_again_at) = match source {
            IssueSource::Rules(again) if masks => (analyse_masked(subject, &parts, None), again),
            IssueSource::Rules(again) => (analyse(subject, &parts, None), again),
            IssueSource::Model(issues) => {
                let issues = if masks { issues.masked() } else { issues };
                (issues.checked(subject, &parts, None), None)
            }
        };
        Self { conversation, found, ask_again_at, vectors: Vec::new() }
    }

    /// The texts by which its issues are compared.
    pub(super) fn texts(&self) -> impl Iterator<Item = &str> {
        let Analysis { issues, language, .. } = &self.found;
        issues.iter().map(|issue| FoundIssue::compared(&issue.title, issue.gist.as_deref(), *language).0)
    }
}

/// A cluster for a language model to describe.
pub(super) struct Cluster {
    number: u32,
    key: Language,
    /// The number of its issues.
    size: u32,
    /// The titles of typical issues.
    pub(super) titles: Vec<String>,
    /// The texts by which they are compared.
    pub(super) gists: Vec<String>,
}

/// A cluster with its description.
pub(super) struct Described {
    pub(super) cluster: IssueClusterId,
    pub(super) language: Option<Language>,
    /// The impact of its newest issue: the cluster may have no other.
    pub(super) impact: Impact,
    pub(super) about: Description,
    /// The number of issues at that time, if a language model described it.
    pub(super) by_model: Option<u32>,
}

/// The changes by regrouping all clusters.
pub(super) struct Tidied {
    /// Clusters without issues, each with the cluster to which its id refers from now on.
    pub(super) successors: Vec<(IssueClusterId, IssueClusterId)>,
    /// For each cluster that got issues: these, and the clusters that they came from.
    pub(super) moved: BTreeMap<IssueClusterId, (Vec<ConversationIssueId>, BTreeSet<IssueClusterId>)>,
    /// Clusters with a new description.
    pub(super) described: Vec<Described>,
}

/// The groups of one language.
struct Group {
    language: Option<Language>,
    groups: Groups,
    statistics: Statistics,
}

/// A cluster in memory. Its number in the groups is its index.
struct ClusterState {
    id: IssueClusterId,
    label: String,
    impact: Impact,
    changed: bool,
    /// The number of issues when a language model described it; 0 if none did.
    described: u32,
}

/// An issue in memory. Its number in the groups is its index.
struct Issue {
    id: ConversationIssueId,
    title: String,
    gist: Option<String>,
}

/// The groups of an organization's issues. The numbers of issues and clusters are their indexes, oldest issue first.
pub(super) struct State {
    /// The number of all issues of the organization when the groups were loaded.
    pub(super) stored: usize,
    ids: Arc<dyn Ids>,
    groups: HashMap<Language, Group>,
    issues: Vec<Issue>,
    clusters: Vec<ClusterState>,
    numbers: HashMap<IssueClusterId, u32>,
}

impl State {
    /// Builds the groups of these issues, which are in the order of their ids. `stored` is the number of all issues;
    /// `asks` is whether a language model describes clusters.
    pub(super) fn new(
        ids: Arc<dyn Ids>,
        issues: Vec<GroupedIssue>,
        clusters: &[IssueCluster],
        stored: usize,
        asks: bool,
    ) -> Self {
        let (groups, numbers) = (HashMap::new(), HashMap::new());
        let mut state = Self { stored, ids, groups, issues: Vec::new(), clusters: Vec::new(), numbers };
        for cluster in clusters {
            let number = state.add_cluster(cluster.id.clone(), cluster.label.to_string(), cluster.impact);
            state.clusters[number as usize].described = cluster.described_issues.filter(|_| asks).unwrap_or(0);
        }
        let mut members: HashMap<Language, (Option<Language>, Vec<Member>)> = HashMap::new();
        for issue in issues {
            let GroupedIssue { id, cluster, language, title, gist, features } = issue;
            let (text, language) = FoundIssue::compared(&title, gist.as_deref(), language);
            let stored = (features.version == FEATURE_VERSION).then(|| Features::from_bytes(&features.bytes)).flatten();
            let features = stored.unwrap_or_else(|| Features::of(text, language));
            let Some(cluster) = state.numbers.get(&cluster).copied() else { continue };
            let member = Member { issue: state.issues.len() as u32, cluster, features };
            state.issues.push(Issue { id, title, gist });
            members.entry(family(language)).or_insert_with(|| (language, Vec::new())).1.push(member);
        }
        for (key, (language, members)) in members {
            let texts = members.iter().map(|member| state.issues[member.issue as usize].compared());
            let statistics = Statistics::of(texts, language);
            let groups = Groups::build(Measure::of(language), members);
            state.groups.insert(key, Group { language, groups, statistics });
        }
        state
    }

    /// The number of issues.
    pub(super) fn len(&self) -> usize {
        self.issues.len()
    }

    fn add_cluster(&mut self, id: IssueClusterId, label: String, impact: Impact) -> u32 {
        let number = self.clusters.len() as u32;
        self.numbers.insert(id.clone(), number);
        self.clusters.push(ClusterState { id, label, impact, changed: false, described: 0 });
        number
    }

    /// Finds the cluster of each issue of a conversation. An issue that the conversation had before keeps its id and
    /// its cluster.
    pub(super) fn place(&mut self, analysed: Analysed, old: &[ConversationIssue]) -> Placed {
        let Analysed { conversation, found, ask_again_at, vectors } = analysed;
        let mut vectors = vectors.into_iter();
        let mut before: Vec<&ConversationIssue> =
            old.iter().filter(|issue| issue.conversation == conversation.id).collect();
        let place = |issue| self.place_issue(issue, found.language, vectors.next(), &mut before);
        let issues = found.issues.into_iter().map(place);
        let issues = issues.collect();
        let removed = before.into_iter().map(|issue| (issue.id.clone(), issue.cluster.clone())).collect();
        Placed { conversation, language: found.language, impact: found.impact, ask_again_at, issues, removed }
    }

    fn place_issue(
        &mut self,
        issue: FoundIssue,
        language: Option<Language>,
        vector: Option<Vec<f32>>,
        before: &mut Vec<&ConversationIssue>,
    ) -> Found {
        let FoundIssue { title, details, impact, gist, .. } = issue;
        let (text, language) = FoundIssue::compared(&title, gist.as_deref(), language);
        let features = Features::of(text, language);
        let features = match &vector {
            Some(vector) => features.with_vector(vector),
            None => features,
        };
        let bytes = features.to_bytes();
        let similarity = before.iter().enumerate().map(|(at, old)| (at, alike(old.title.as_str(), &title)));
        let best = similarity.max_by(|one, other| one.1.total_cmp(&other.1)).filter(|(_, alike)| *alike >= SAME_ISSUE);
        let old = best.map(|(at, _)| before.remove(at));
        if let Some(old) = old.filter(|old| old.gist.is_some() == gist.is_some()) {
            let (id, cluster) = (old.id.clone(), old.cluster.clone());
            let features = bytes;
            return Found { id, title, details, gist, impact, features, cluster, is_new: false, moved_from: None };
        }
        let key = family(language);
        let group = self.groups.entry(key).or_insert_with(|| Group {
            language,
            groups: Groups::build(Measure::of(language), []),
            statistics: Statistics::default(),
        });
        group.statistics.add(text, language);
        let nearest = group.groups.assign(&features);
        let ids = Arc::clone(&self.ids);
        let number = match nearest {
            Some(nearest) => nearest.cluster,
            None => self.add_cluster(ids.make(), String::new(), impact),
        };
        let id: ConversationIssueId = old.map_or_else(|| ids.make(), |old| old.id.clone());
        let member = Member { issue: self.issues.len() as u32, cluster: number, features };
        if let Some(group) = self.groups.get_mut(&key) {
            group.groups.insert(member);
        }
        self.issues.push(Issue { id: id.clone(), title: title.clone(), gist: gist.clone() });
        let known = &mut self.clusters[number as usize];
        known.changed = true;
        let (cluster, moved_from) = (known.id.clone(), old.map(|old| old.cluster.clone()));
        Found { id, title, details, gist, impact, features: bytes, cluster, is_new: moved_from.is_none(), moved_from }
    }

    /// At most `limit` clusters for a language model to describe: those with at least two issues that it has not
    /// described yet, or that have grown by half since.
    pub(super) fn to_describe(&self, limit: usize) -> Vec<Cluster> {
        let mut found = Vec::new();
        for (key, group) in &self.groups {
            for (number, issues) in group.groups.clusters() {
                let (size, described) = (issues.len(), self.clusters[number as usize].described as usize);
                if size >= 2 && size * 2 >= described * 3 {
                    found.push((size, *key, number));
                }
            }
        }
        found.sort_by_key(|(size, key, number)| (std::cmp::Reverse(*size), key.as_str(), *number));
        let some = found.into_iter().take(limit);
        let texts = |(size, key, number): (usize, Language, u32)| {
            let typical = self.groups.get(&key).map(|group| group.groups.typical(number)).unwrap_or_default();
            let issues = typical.iter().take(SHOWN_TO_MODELS).map(|(issue, _)| &self.issues[*issue as usize]);
            let (titles, gists) =
                issues.map(|issue| (issue.title.clone(), issue.compared().to_owned())).collect::<(Vec<_>, Vec<_>)>();
            let size = u32::try_from(size).unwrap_or(u32::MAX);
            Cluster { number, key, size, titles, gists }
        };
        some.map(texts).collect()
    }

    /// Applies a language model's description of a cluster; `None` if it is unusable.
    pub(super) fn describe_as(&mut self, cluster: &Cluster, answer: ModelDescription) -> Option<Described> {
        let Cluster { number, key, size, titles, gists } = cluster;
        let language = self.groups.get(key)?.language;
        let titles: Vec<&str> = titles.iter().map(String::as_str).collect();
        let gists: Vec<&str> = gists.iter().map(String::as_str).collect();
        let about = answer.checked(&titles, &gists, language)?;
        let known = &mut self.clusters[*number as usize];
        known.described = *size;
        known.label.clone_from(&about.label);
        Some(Described { cluster: known.id.clone(), language, impact: known.impact, about, by_model: Some(*size) })
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

    /// Describes a cluster of this language by rules; `None` if it has another language, or if a language model
    /// described it.
    fn describe(&mut self, key: Language, number: u32) -> Option<Described> {
        let Group { language, groups, statistics } = self.groups.get(&key)?;
        let typical = groups.typical(number);
        let known = &mut self.clusters[number as usize];
        if typical.is_empty() || known.described > 0 {
            return None;
        }
        let issues: Vec<&Issue> =
            typical.iter().take(TYPICAL).map(|(issue, _)| &self.issues[*issue as usize]).collect();
        let texts: Vec<&str> = issues.iter().map(|issue| issue.compared()).collect();
        let old = Some(known.label.as_str()).filter(|label| !label.is_empty());
        let mut about = describe(&texts, *language, statistics, old);
        let titles: Vec<&str> = issues.iter().map(|issue| issue.title.as_str()).collect();
        about.summary.quotes = quotes(&titles);
        known.label.clone_from(&about.label);
        Some(Described { cluster: known.id.clone(), language: *language, impact: known.impact, about, by_model: None })
    }

    /// Merges similar clusters, moves issues that are more similar to another cluster, and describes all clusters
    /// again. `from_scratch` groups all issues from scratch.
    pub(super) fn tidy(&mut self, from_scratch: bool) -> Tidied {
        let mut tidied = Tidied { successors: Vec::new(), moved: BTreeMap::new(), described: Vec::new() };
        let mut keys: Vec<Language> = self.groups.keys().copied().collect();
        keys.sort_unstable_by_key(|key| key.as_str());
        for key in keys {
            let Some(mut group) = self.groups.remove(&key) else { continue };
            let before = membership(&group.groups);
            let (first_new, ids) = (self.clusters.len() as u32, Arc::clone(&self.ids));
            let upkeep = if from_scratch {
                group.groups.regroup(|| self.add_cluster(ids.make(), String::new(), Impact::Low))
            } else {
                group.groups.upkeep()
            };
            let after = membership(&group.groups);
            let clusters = group.groups.clusters();
            let id = |number: u32| self.clusters[number as usize].id.clone();
            let mut changed: BTreeSet<u32> = BTreeSet::new();
            let mut lost: BTreeSet<u32> = BTreeSet::new();
            for (issue, now) in &after {
                let Some(then) = before.get(issue).filter(|then| *then != now) else { continue };
                let (issues, sources) = tidied.moved.entry(id(*now)).or_default();
                issues.push(self.issues[*issue as usize].id.clone());
                sources.insert(id(*then));
                changed.extend([*then, *now]);
                lost.insert(*then);
            }
            let successors = upkeep.merged.iter().chain(&upkeep.emptied);
            tidied.successors.extend(successors.map(|(from, to)| (id(*from), id(*to))));
            self.groups.insert(key, group);
            // The description by a language model may be about issues that were moved.
            let outdated = if from_scratch { &changed } else { &lost };
            outdated.iter().for_each(|number| self.clusters[*number as usize].described = 0);
            // A new cluster is stored with its description, and a cluster that lost an issue must not quote it.
            let is_shown = |number: u32, issues: usize| issues > 1 || number >= first_new || changed.contains(&number);
            for (number, _) in clusters.iter().filter(|(number, issues)| is_shown(*number, issues.len())) {
                tidied.described.extend(self.describe(key, *number));
            }
        }
        tidied
    }
}

impl Issue {
    /// The text by which it is compared.
    fn compared(&self) -> &str {
        self.gist.as_deref().unwrap_or(&self.title)
    }
}

/// The cluster of each issue, by their numbers.
fn membership(groups: &Groups) -> BTreeMap<u32, u32> {
    let clusters = groups.clusters().into_iter();
    clusters.flat_map(|(cluster, issues)| issues.into_iter().map(move |issue| (issue, cluster))).collect()
}
