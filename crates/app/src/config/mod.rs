//! Configuration: checked settings from the command line and the environment.
mod engines;
mod fonts;
mod place;
mod serve;
mod sites_at;
mod values;

pub(crate) use engines::{EngineArgs, ServerEngines};
pub(crate) use fonts::{FolderFont, table as font_table};
pub(crate) use place::Place;
pub(crate) use serve::{InstanceSecret, Serve, Server};
pub(crate) use sites_at::SitesAt;
pub(crate) use values::{Expiry, LogFormat, public_url, whole};

use clap::Args;
use std::path::PathBuf;

/// The default data folder.
const DATA_DIR: &str = "./octavo-data";

/// Settings of every command: the data and the log.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Data and logs")]
pub(crate) struct Shared {
    /// The folder with the database, the uploaded files and the instance's secret.
    #[arg(long, env = "OCTAVO_DATA_DIR", value_name = "FOLDER", default_value = DATA_DIR, global = true)]
    data_dir: PathBuf,

    /// The database: a postgres:// URL or a SQLite file [default: octavo.db in the data folder].
    ///
    /// PostgreSQL: postgres://user:password@host/database, with sslmode=require or sslmode=verify-full and
    /// sslrootcert=FILE for encrypted connections. Prefer the environment variable: other users of the machine can read
    /// command lines.
    #[arg(long, env = "DATABASE_URL", value_name = "URL", global = true)]
    database_url: Option<String>,

    /// The log level: error, warn, info, debug or trace, or filters such as info,http_server=debug
    /// [default: info for serve and demo, otherwise warn].
    #[arg(long, env = "OCTAVO_LOG", value_name = "LEVEL", value_parser = values::log_filter, global = true)]
    pub(crate) log_level: Option<String>,

    /// The log format: lines for people, or one JSON object per line.
    #[arg(
        long,
        env = "OCTAVO_LOG_FORMAT",
        value_name = "FORMAT",
        default_value = "pretty",
        hide_possible_values = true,
        help = "The log format: pretty (lines for people) or json (one object per line)",
        global = true
    )]
    pub(crate) log_format: LogFormat,
}
