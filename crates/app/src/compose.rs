//! The wiring: the adapter of each port, and the ports of each use case.
use crate::config::{InstanceSecret, Place};
use crate::failure::Failure;
use adapters_diesel::{Database, DatabaseOptions, DieselStore, StoreOptions};
use adapters_fetch::{FetchOptions, HttpFetcher};
use adapters_files::LocalFiles;
use adapters_system::{OsSecrets, SystemClock, UuidIds};
use anyhow::{Context, Result};
use api_actix::Services;
use domain::ports::{Clock, Fetcher, Files, Ids, Secrets, Store};
use domain::usecases::accounts::Uses;
use domain::usecases::{Accounts, Audit, ChangeRequests, Content, Explain, Jobs, Members, Organizations, Spaces};
use std::sync::Arc;
use std::time::Duration;
use url::Url;

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
    pub(crate) rest: Duration,
}

impl Resources {
    /// The resources of a command that runs once.
    pub(crate) const COMMAND: Self = Self {
        database_connections: 2,
        cache_bytes: 4 << 20,
        database_cache_kib: 1024,
        rest: Duration::from_millis(5),
    };
}

/// All ports with their adapters.
#[derive(Clone)]
pub(crate) struct Ports {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) files: Arc<dyn Files>,
    pub(crate) fetcher: Arc<dyn Fetcher>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) ids: Arc<dyn Ids>,
    pub(crate) secrets: Arc<dyn Secrets>,
}

impl Ports {
    /// Migrates the database and opens all adapters.
    ///
    /// # Errors
    /// If the database or the folder of files cannot be used.
    pub(crate) async fn open(place: &Place, resources: Resources, fetching: FetchOptions) -> Result<Self> {
        let url = place.database_url();
        let unusable = |error: anyhow::Error| {
            Failure::new(format!("cannot use the database ({})", place.database()))
                .advise("check that it is running and that --database-url (DATABASE_URL) is correct")
                .because(error)
        };
        let migrations = Database::migrate(&url).await.map_err(unusable)?;
        if migrations > 0 {
            tracing::info!(migrations, "migrated the database");
        }
        let options = DatabaseOptions {
            max_connections: resources.database_connections,
            rest: resources.rest,
            cache_kib: resources.database_cache_kib,
            ..DatabaseOptions::default()
        };
        let database = Database::open(&url, &options).await.map_err(unusable)?;
        let store = DieselStore::new(database, &StoreOptions { object_cache_bytes: resources.cache_bytes });
        let folder = place.files();
        let clock: Arc<dyn Clock> = Arc::new(SystemClock);
        let files = LocalFiles::open(&folder, clock.clone())
            .with_context(|| format!("cannot use the folder {}", folder.display()))?;
        Ok(Self {
            store: Arc::new(store),
            files: Arc::new(files),
            fetcher: Arc::new(HttpFetcher::new(fetching)),
            clock,
            ids: Arc::new(UuidIds),
            secrets: Arc::new(OsSecrets),
        })
    }

    pub(crate) fn accounts(&self) -> Accounts {
        Accounts {
            store: self.store.clone(),
            clock: self.clock.clone(),
            ids: self.ids.clone(),
            secrets: self.secrets.clone(),
            uses: Uses::default(),
        }
    }

    pub(crate) fn audit(&self) -> Audit {
        Audit { store: self.store.clone(), clock: self.clock.clone(), ids: self.ids.clone() }
    }

    pub(crate) fn organizations(&self) -> Organizations {
        Organizations { store: self.store.clone(), clock: self.clock.clone(), ids: self.ids.clone() }
    }

    pub(crate) fn members(&self) -> Members {
        Members { store: self.store.clone(), clock: self.clock.clone(), ids: self.ids.clone() }
    }

    pub(crate) fn spaces(&self) -> Spaces {
        Spaces { store: self.store.clone(), clock: self.clock.clone(), ids: self.ids.clone() }
    }

    pub(crate) fn explain(&self) -> Explain {
        Explain { store: self.store.clone() }
    }

    /// Without a public URL: no command needs to know which links point to this server.
    pub(crate) fn content(&self) -> Content {
        Content {
            store: self.store.clone(),
            clock: self.clock.clone(),
            ids: self.ids.clone(),
            files: self.files.clone(),
            public_url: "".into(),
        }
    }

    pub(crate) fn change_requests(&self) -> ChangeRequests {
        ChangeRequests {
            store: self.store.clone(),
            clock: self.clock.clone(),
            ids: self.ids.clone(),
            files: self.files.clone(),
            fetcher: self.fetcher.clone(),
        }
    }

    pub(crate) fn jobs(&self) -> Jobs {
        Jobs { store: self.store.clone(), clock: self.clock.clone(), ids: self.ids.clone(), files: self.files.clone() }
    }

    /// The use cases of the HTTP server.
    pub(crate) fn services(&self, public_url: &Url, secret: &InstanceSecret) -> Services {
        let ports = api_actix::Ports {
            store: self.store.clone(),
            files: self.files.clone(),
            fetcher: self.fetcher.clone(),
            clock: self.clock.clone(),
            ids: self.ids.clone(),
            secrets: self.secrets.clone(),
        };
        Services::new(ports, public_url.as_str().trim_end_matches('/'), &secret.0)
    }
}
