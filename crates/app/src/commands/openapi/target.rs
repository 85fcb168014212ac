//! Where a document is published: in the data folder, or on a server.
use super::server::Server;
use crate::commands::choose;
use crate::compose::open_with_specs;
use crate::config::Place;
use crate::failure::Failure;
use anyhow::Result;
use domain::actor::Actor;
use domain::id::OrganizationId;
use domain::job::Task;
use domain::openapi::text::read;
use domain::openapi::tree::Node;
use domain::openapi_spec::{OpenapiSpec, ProcessingState, SpecSlug, SpecSource, SpecText};
use domain::usecases::openapi_specs::{NewSource, WhichVersion};
use domain::usecases::{Error, Precondition, UseCases};
use domain::web_address::WebAddress;

/// A source.
pub(super) enum Sent {
    Text(String),
    Url(WebAddress),
}

/// The state of the processing of a source.
pub(super) struct State {
    pub(super) is_complete: bool,
    /// The id of the newest version.
    pub(super) version: Option<String>,
    /// Why the source could not be processed.
    pub(super) error: Option<String>,
    /// Its findings.
    pub(super) findings: Vec<String>,
}

pub(super) enum Target {
    Folder(Box<Folder>),
    Server(Server),
}

impl Target {
    /// Whether the source is a text that was processed without an error, so that the newest version corresponds to it.
    pub(super) async fn is_text(&self) -> Result<bool> {
        match self {
            Self::Folder(folder) => folder.is_text().await,
            Self::Server(server) => server.is_text().await,
        }
    }

    /// The source text of the newest version; absent if there is none.
    pub(super) async fn text(&self) -> Result<Option<String>> {
        match self {
            Self::Folder(folder) => folder.text().await,
            Self::Server(server) => server.text().await,
        }
    }

    /// The newest version in OpenAPI 3.1 or 3.2; absent if there is none.
    pub(super) async fn document(&self) -> Result<Option<Node>> {
        let json = match self {
            Self::Folder(folder) => folder.document().await?,
            Self::Server(server) => server.document().await?,
        };
        let Some(json) = json else { return Ok(None) };
        let unreadable = || Failure::new("the newest version cannot be read, so nothing can be compared with it");
        Ok(Some(read(json.as_bytes()).root.filter(|root| root.as_map().is_some()).ok_or_else(unreadable)?))
    }

    /// Sets the source.
    pub(super) async fn put(&self, source: Sent) -> Result<()> {
        match self {
            Self::Folder(folder) => folder.put(source).await,
            Self::Server(server) => server.put(source).await,
        }
    }

    /// The state of the processing.
    pub(super) async fn state(&self) -> Result<State> {
        match self {
            Self::Folder(folder) => folder.state().await,
            Self::Server(server) => server.state().await,
        }
    }
}

/// A spec in the data folder.
pub(super) struct Folder {
    use_cases: UseCases,
    organization: OrganizationId,
    slug: SpecSlug,
}

/// A value that may not exist.
fn existing<T>(found: Result<T, Error>) -> Result<Option<T>> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(Error::NotFound(_)) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

impl Folder {
    pub(super) async fn open(place: &Place, organization: Option<&OrganizationId>, slug: SpecSlug) -> Result<Self> {
        let use_cases = open_with_specs(place).await?;
        let organization = choose::organization(&use_cases, organization).await?;
        Ok(Self { use_cases, organization, slug })
    }

    async fn is_text(&self) -> Result<bool> {
        let specs = &self.use_cases.openapi_specs;
        let spec = existing(specs.get(&Actor::Operator, &self.organization, &self.slug).await)?;
        Ok(spec.is_some_and(|spec| matches!(spec.source, SpecSource::Text(_)) && spec.error.is_none()))
    }

    async fn text(&self) -> Result<Option<String>> {
        let specs = &self.use_cases.openapi_specs;
        let found = specs.text(&Actor::Operator, &self.organization, &self.slug, &WhichVersion::Latest).await;
        Ok(existing(found)?.and_then(|source| String::from_utf8(source.bytes.into()).ok()))
    }

    async fn document(&self) -> Result<Option<String>> {
        let specs = &self.use_cases.openapi_specs;
        let found = specs.version(&Actor::Operator, &self.organization, &self.slug, &WhichVersion::Latest).await;
        match existing(found)? {
            Some(version) => Ok(Some(specs.document(&version).await?)),
            None => Ok(None),
        }
    }

    async fn put(&self, source: Sent) -> Result<()> {
        let source = match source {
            Sent::Text(text) => NewSource::Text(SpecText::try_from(text).map_err(|rule| Error::from(rule.of("file")))?),
            Sent::Url(url) => NewSource::Url(url),
        };
        let is_text = matches!(source, NewSource::Text(_));
        let specs = &self.use_cases.openapi_specs;
        let precondition = Precondition::none();
        let (spec, _) =
            specs.set(&Actor::Operator, &self.organization, &self.slug, precondition, source.into()).await?;
        // The server fetches addresses, with the settings of the operator.
        if is_text { self.process(&spec).await } else { Ok(()) }
    }

    /// Processes the source, unless a server does.
    async fn process(&self, spec: &OpenapiSpec) -> Result<()> {
        let jobs = &self.use_cases.jobs;
        if let Some((claim, task)) = jobs.claim_task(&Task::ProcessOpenapi { spec: spec.id.clone() }).await? {
            jobs.perform(&claim, &task).await?;
        }
        Ok(())
    }

    async fn state(&self) -> Result<State> {
        let spec = self.use_cases.openapi_specs.get(&Actor::Operator, &self.organization, &self.slug).await?;
        Ok(State {
            is_complete: spec.state == ProcessingState::Complete,
            version: spec.last_version.as_ref().map(ToString::to_string),
            error: spec.error.map(|error| error.to_string()),
            findings: spec.findings.iter().map(|finding| finding.message.clone()).collect(),
        })
    }
}
