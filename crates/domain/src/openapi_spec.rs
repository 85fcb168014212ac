//! OpenAPI specs: API descriptions of an organization. A spec has a source, from which a job makes versions; a version
//! never changes. The crate [`openapi`] reads documents.
mod changelog;
mod presence;
mod slug;

pub use changelog::{ChangelogEntry, ChangelogVersion, MAX_CHANGELOG};
pub use presence::{Presence, SpecContents};
pub use slug::{MAX_SLUG, SpecSlug};

use crate::access::{Access, Guarded, Level, permissions};
use crate::content::document::{Key, SpecificationPart, SpecificationUse};
use crate::content::object::Hash;
use crate::event::Audited;
use crate::id::{OpenapiSpecId, OpenapiVersionId, OrganizationId, PageId, SpaceId};
use crate::text::Rule;
use crate::web_address::WebAddress;
use crate::words;
use chrono::{DateTime, TimeDelta, Utc};
use openapi::ENGINE;
use openapi::diff::ChangeCounts;
use openapi::finding::{Finding, Level as FindingLevel};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::fmt;

/// The most specs of an organization, not counting specs that pages link by address.
pub const MAX_SPECS: usize = 1000;
/// The most specs of addresses that the pages of an organization show.
pub const MAX_LINKED: usize = 100;
/// The most versions of a spec; older ones are removed.
pub const MAX_VERSIONS: usize = 500;
/// The number of newest versions of a spec that keep their texts. Versions that blocks name also keep them.
pub const MAX_TEXTS: usize = 20;
/// The most findings that are kept; [`OpenapiSpec::finding_count`] counts all.
pub const MAX_FINDINGS: usize = 50;
/// The longest stored pointer and file name of a finding, in bytes: the keys of a document can be far longer.
const MAX_POINTER: usize = 1024;
/// The longest document, in bytes.
pub const MAX_DOCUMENT: u64 = 32 * 1024 * 1024;
/// The time between a successful fetch of an address and the next one, unless the operator sets another time.
pub const REFRESH: TimeDelta = TimeDelta::hours(6);
/// The number of failures in a row after which an address is fetched once a day.
const MANY_FAILURES: u32 = 10;

/// A document in a request; not empty. [`Self::check_length`] checks its length, because a document that is too long
/// has its own error.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct SpecText(String);

impl TryFrom<String> for SpecText {
    type Error = Rule;

    fn try_from(raw: String) -> Result<Self, Rule> {
        if raw.is_empty() {
            return Err(Rule("must not be empty".into()));
        }
        Ok(Self(raw))
    }
}

impl SpecText {
    /// Checks that it is not longer than [`MAX_DOCUMENT`].
    ///
    /// # Errors
    /// The rule.
    pub fn check_length(&self) -> Result<(), Rule> {
        if self.0.len() as u64 > MAX_DOCUMENT {
            return Err(Rule(format!("must have at most {MAX_DOCUMENT} bytes")));
        }
        Ok(())
    }
}

impl From<SpecText> for String {
    fn from(text: SpecText) -> Self {
        text.0
    }
}

words! {
    /// The state of the processing of a source.
    pub enum ProcessingState {
        /// It waits for its job.
        Pending = "pending",
        /// The job runs.
        Progress = "progress",
        /// The job has ended, with a version or with an error.
        Complete = "complete",
    }

    /// Read access to a spec without a token.
    #[derive(Default)]
    pub enum SpecVisibility {
        /// Nobody.
        #[default]
        Private = "private",
        /// Everyone who has its URL.
        Public = "public",
    }

    /// Why the last processing made no version.
    pub enum ProcessError {
        /// The host of the source took too long to respond.
        FetchTimeout = "FETCH_TIMEOUT",
        /// The source could not be fetched for another reason.
        FetchError = "FETCH_ERROR",
        /// The source is not a document that can be read.
        ParseError = "PARSE_ERROR",
    }

    /// The language of a document.
    pub enum DocumentFormat {
        /// JSON.
        Json = "json",
        /// YAML.
        Yaml = "yaml",
    }
}

/// Where the document of a spec comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SpecSource {
    /// An address, which is fetched again from time to time.
    Url(WebAddress),
    /// A text that was sent, by the hash of its bytes.
    Text(Hash),
}

/// The validators of a fetched file (RFC 9110, section 13): a conditional request sends them to find out whether the
/// file has changed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Validators {
    /// The header `ETag`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub etag: Option<String>,
    /// The header `Last-Modified`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_modified: Option<String>,
}

impl Validators {
    /// Whether the response had no validators.
    pub fn is_empty(&self) -> bool {
        self.etag.is_none() && self.last_modified.is_none()
    }
}

/// A finding about a document, as it is stored and shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpecFinding {
    /// A sentence that begins with the position in the document.
    pub message: String,
    /// The code of the finding; absent for a failed fetch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// `fatal`, `error` or `warning`; absent for a failed fetch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<String>,
    /// The file, relative to the document where it can be; absent for the document itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The line, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The column, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
    /// The JSON Pointer of the value in its file; absent if it is very long.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pointer: Option<String>,
}

impl SpecFinding {
    /// A failure without a place: of a fetch, for example.
    pub fn failure(error: &dyn fmt::Display) -> Self {
        Self {
            message: error.to_string(),
            code: None,
            level: None,
            file: None,
            line: None,
            column: None,
            pointer: None,
        }
    }
}

impl From<&Finding> for SpecFinding {
    fn from(finding: &Finding) -> Self {
        let known = finding.at.line > 0;
        let level = match finding.level() {
            FindingLevel::Fatal => "fatal",
            FindingLevel::Error => "error",
            FindingLevel::Warning => "warning",
            FindingLevel::Info => "info",
        };
        Self {
            // PostgreSQL cannot store U+0000.
            message: finding.to_string().replace('\0', "\u{fffd}"),
            code: Some(finding.code.as_str().to_owned()),
            level: Some(level.to_owned()),
            file: finding
                .file
                .as_ref()
                .map(|file| file.replace('\0', "\u{fffd}"))
                .filter(|file| file.len() <= MAX_POINTER),
            line: known.then_some(finding.at.line),
            column: known.then_some(finding.at.column),
            pointer: Some(finding.pointer().replace('\0', "\u{fffd}")).filter(|pointer| pointer.len() <= MAX_POINTER),
        }
    }
}

/// A spec.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenapiSpec {
    /// The id.
    pub id: OpenapiSpecId,
    /// The organization.
    pub organization: OrganizationId,
    /// The name, unique in the organization without regard to case.
    pub slug: SpecSlug,
    /// Where the document comes from.
    pub source: SpecSource,
    /// The state of its processing.
    pub state: ProcessingState,
    /// Who can read it without a token.
    pub visibility: SpecVisibility,
    /// The newest version.
    pub last_version: Option<OpenapiVersionId>,
    /// The validators of the newest version's fetch. Absent if the source was set since.
    pub validators: Option<Validators>,
    /// When the processing last ended.
    pub processed_at: Option<DateTime<Utc>>,
    /// Why the last processing made no version.
    pub error: Option<ProcessError>,
    /// The first findings of the last processing.
    pub findings: Vec<SpecFinding>,
    /// The number of all findings of the last processing.
    pub finding_count: u32,
    /// The number of failures since the last success.
    pub failures: u32,
    /// When it was created.
    pub created_at: DateTime<Utc>,
    /// When its source or its visibility last changed.
    pub updated_at: DateTime<Utc>,
}

/// The result of processing a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Processed {
    /// The new version, if the document changed.
    pub version: Option<OpenapiVersionId>,
    /// Why there is no version.
    pub error: Option<ProcessError>,
    /// The findings about the document; `None` if the host reported that it has not changed.
    pub findings: Option<Vec<SpecFinding>>,
    /// The validators of the fetch.
    pub validators: Option<Validators>,
}

impl OpenapiSpec {
    /// A new private spec, whose source is to be processed.
    pub fn new(
        id: OpenapiSpecId,
        organization: OrganizationId,
        slug: SpecSlug,
        source: SpecSource,
        now: DateTime<Utc>,
    ) -> Self {
        Self {
            id,
            organization,
            slug,
            source,
            state: ProcessingState::Pending,
            visibility: SpecVisibility::Private,
            last_version: None,
            validators: None,
            processed_at: None,
            error: None,
            findings: Vec::new(),
            finding_count: 0,
            failures: 0,
            created_at: now,
            updated_at: now,
        }
    }

    /// Sets the source. It is processed again, even if it is the same.
    pub fn set_source(&mut self, source: SpecSource, now: DateTime<Utc>) {
        self.source = source;
        self.state = ProcessingState::Pending;
        self.validators = None;
        self.failures = 0;
        self.updated_at = now;
    }

    /// Stores the result of processing. Returns when to fetch an address again: `refresh` after a success; `None` for
    /// never.
    pub fn complete(
        &mut self,
        processed: Processed,
        refresh: Option<TimeDelta>,
        now: DateTime<Utc>,
    ) -> Option<DateTime<Utc>> {
        self.state = ProcessingState::Complete;
        self.processed_at = Some(now);
        self.error = processed.error;
        if let Some(findings) = processed.findings {
            self.set_findings(findings);
        }
        match processed.error {
            Some(_) => self.failures = self.failures.saturating_add(1),
            None => {
                self.failures = 0;
                self.validators = processed.validators.filter(|validators| !validators.is_empty());
            }
        }
        if processed.version.is_some() {
            self.last_version = processed.version;
        }
        let refresh = refresh.filter(|_| matches!(self.source, SpecSource::Url(_)));
        refresh.map(|refresh| now + self.rest(refresh))
    }

    /// Keeps the first findings, and the number of all.
    pub fn set_findings(&mut self, mut findings: Vec<SpecFinding>) {
        self.finding_count = u32::try_from(findings.len()).unwrap_or(u32::MAX);
        findings.truncate(MAX_FINDINGS);
        self.findings = findings;
    }

    /// The wait until an address is fetched again: `refresh`; shorter after the first failures, and a day after many.
    /// It is up to a tenth longer, so that specs that were created together are not fetched at the same time.
    fn rest(&self, refresh: TimeDelta) -> TimeDelta {
        let rest = match self.failures {
            0 => refresh,
            1 => TimeDelta::minutes(15),
            2 => TimeDelta::hours(1),
            failures if failures < MANY_FAILURES => REFRESH,
            _ => TimeDelta::days(1),
        };
        let share = i32::from(Hash::of(self.id.as_str().as_bytes()).as_bytes()[0]);
        rest + rest * share / (10 * i32::from(u8::MAX))
    }
}

permissions! {
    /// What a caller may do with a spec (see `docs/access.md`).
    pub struct OpenapiSpecPermissions {
        view = "view",
        edit = "edit",
    }
}

impl Guarded for OpenapiSpec {
    type Permissions = OpenapiSpecPermissions;

    fn permissions(&self, access: &Access) -> OpenapiSpecPermissions {
        OpenapiSpecPermissions { view: access.at_least(Level::Read), edit: access.at_least(Level::Create) }
    }

    fn visible(permissions: &OpenapiSpecPermissions) -> bool {
        permissions.view
    }
}

/// The log omits the path and the query of the address: they can contain a secret, and webhooks get the event of the
/// change.
impl Audited for OpenapiSpec {
    fn settings(&self) -> Vec<(&'static str, Value)> {
        let origin = match &self.source {
            SpecSource::Url(address) => address.origin(),
            SpecSource::Text(_) => None,
        };
        vec![("origin", json!(origin)), ("visibility", json!(self.visibility))]
    }
}

/// A version of a spec: its document, upgraded to OpenAPI 3.1 and cut into parts that versions share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenapiVersion {
    /// The id.
    pub id: OpenapiVersionId,
    /// The spec.
    pub spec: OpenapiSpecId,
    /// When it was added.
    pub created_at: DateTime<Utc>,
    /// The address that it was fetched from; absent for a text that was sent.
    pub source: Option<WebAddress>,
    /// The document as it was sent or fetched, by the hash of its bytes.
    pub text: Hash,
    /// Its language.
    pub format: DocumentFormat,
    /// The root of the map from the place of a part to its hash.
    pub parts: Hash,
    /// The number of changes since the previous version; absent for the first version.
    pub changes: Option<ChangeCounts>,
    /// When its text was removed; absent while it is kept.
    pub text_removed_at: Option<DateTime<Utc>>,
    /// The engine that made the parts ([`openapi::ENGINE`]); 0 for one without a number.
    pub engine: u32,
}

impl OpenapiVersion {
    /// Whether an earlier engine made the parts, and the text is kept to make them again.
    pub fn is_outdated(&self) -> bool {
        self.engine < ENGINE && self.text_removed_at.is_none()
    }

    /// The objects that it refers to.
    pub fn objects(&self) -> SpecObjects {
        SpecObjects { text: self.text_removed_at.is_none().then_some(self.text), parts: self.parts }
    }
}

/// The objects that a version refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpecObjects {
    /// The document as it was sent or fetched; absent if it was removed.
    pub text: Option<Hash>,
    /// The root of the map of parts.
    pub parts: Hash,
}

/// A block in primary content that shows a part of a spec.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenapiUsage {
    /// The space.
    pub space: SpaceId,
    /// The page.
    pub page: PageId,
    /// The block. It can be in a reusable content that the page includes.
    pub block: Key,
    /// The version as written in the block; absent for the newest one.
    pub version: Option<String>,
    /// What it shows.
    pub shows: SpecificationPart,
}

impl OpenapiUsage {
    /// This block, as one that shows the spec with this slug.
    pub(crate) fn in_spec(&self, slug: &SpecSlug) -> SpecificationUse {
        let (key, shows) = (self.block.clone(), self.shows.clone());
        SpecificationUse { key, spec: slug.to_string(), is_address: false, version: self.version.clone(), shows }
    }
}

#[cfg(test)]
mod tests;
