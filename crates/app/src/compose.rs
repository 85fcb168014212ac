//! The adapters of all ports.
use crate::config::Place;
use crate::failure::Failure;
use adapters_diesel::{Database, DatabaseOptions, DieselStore, StoreOptions, UnsuitableDatabase};
use adapters_fetch::{FetchOptions, HttpFetcher};
use adapters_files::LocalFiles;
use adapters_system::{BlockingThreads, OsSecrets, SystemClock, UuidIds};
use anyhow::{Context, Result};
use domain::ports::Clock;
use domain::site::address::Hosting;
use domain::usecases::{Ports, UseCases};
use std::sync::Arc;
use std::time::Duration;

/// The resources that the storage may use.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Resources {
    /// Connections to the database.
    pub(crate) database_connections: usize,
    /// Memory for content, in bytes.
    pub(crate) cache_bytes: u64,
    /// Page cache of each SQLite connection, in KiB.
    pub(crate) database_cache_kib: u32,
    /// Pause after each transaction, in which other processes can lock SQLite's file.
    pub(crate) pause: Duration,
}

impl Resources {
    /// The resources of a command that runs once.
    pub(crate) const COMMAND: Self = Self {
        database_connections: 2,
        cache_bytes: 4 << 20,
        database_cache_kib: 1024,
        pause: Duration::from_millis(5),
    };
}

/// Migrates the database, and opens the adapter of every port, except the one that sends e-mail.
///
/// # Errors
/// If the database or the folder of files cannot be used.
pub(crate) async fn open(place: &Place, resources: Resources, fetching: FetchOptions) -> Result<Ports> {
    let url = place.database_url();
    let check = match Database::file(&url) {
        Some(_) => "check that this user can write to the file and to its folder",
        None => "check that it is running, that its user owns the database or can create tables in it",
    };
    let unusable = |error: anyhow::Error| {
        let advice = match error.downcast_ref::<UnsuitableDatabase>() {
            Some(unsuitable) => unsuitable.advice.to_owned(),
            None => format!("{check}, and that --database-url (DATABASE_URL) is correct"),
        };
        Failure::new(format!("cannot use the database ({})", place.database())).advise(advice).because(error)
    };
    let migrations = Database::migrate(&url).await.map_err(unusable)?;
    if migrations > 0 {
        tracing::info!(migrations, "migrated the database");
    }
    let options = DatabaseOptions {
        max_connections: resources.database_connections,
        pause: resources.pause,
        cache_kib: resources.database_cache_kib,
        ..DatabaseOptions::default()
    };
    let database = Database::open(&url, &options).await.map_err(unusable)?;
    let store = DieselStore::new(database, &StoreOptions { object_cache_bytes: resources.cache_bytes });
    let folder = place.files();
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let files = LocalFiles::open(&folder, clock.clone())
        .with_context(|| format!("cannot use the folder {}", folder.display()))?;
    Ok(Ports {
        store: Arc::new(store),
        files: Arc::new(files),
        fetcher: Arc::new(HttpFetcher::new(fetching)),
        clock,
        ids: Arc::new(UuidIds),
        secrets: Arc::new(OsSecrets),
        long_work: Arc::new(BlockingThreads),
        outbox: None,
        engines: None,
        chat: None,
        embedder: None,
    })
}

/// The use cases of a command that runs once on existing data. They create no links to the server and no invites, and
/// send nothing to webhooks, so they need neither its public URL nor its secret.
///
/// # Errors
/// If there is no data, or it cannot be opened.
pub(crate) async fn open_for_command(place: &Place) -> Result<UseCases> {
    open_for_sites(place, Hosting::default()).await
}

/// The same for a command that reads addresses of sites.
///
/// # Errors
/// As [`open_for_command`].
pub(crate) async fn open_for_sites(place: &Place, hosting: Hosting) -> Result<UseCases> {
    let mut use_cases = open_at(place, hosting).await?;
    use_cases.jobs.specs = None;
    use_cases.jobs.analyst = None;
    Ok(use_cases)
}

/// The same for a command that also processes the texts of OpenAPI specs. It has none of the settings for fetching.
///
/// # Errors
/// As [`open_for_command`].
pub(crate) async fn open_with_specs(place: &Place) -> Result<UseCases> {
    open_at(place, Hosting::default()).await
}

async fn open_at(place: &Place, hosting: Hosting) -> Result<UseCases> {
    place.expect_data()?;
    let ports = open(place, Resources::COMMAND, FetchOptions::default()).await?;
    let mut use_cases = UseCases::new(&ports, "", hosting, &[0; 32]);
    use_cases.jobs.sender = None;
    Ok(use_cases)
}
