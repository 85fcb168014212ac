//! Configuration: what the command line and the environment say, checked.
mod place;
mod serve;
mod values;

pub(crate) use place::Place;
pub(crate) use serve::{InstanceSecret, Serve, Server};
pub(crate) use values::{Expiry, LogFormat};

use clap::Args;
use std::path::PathBuf;

/// Where the data is when nobody says.
const DATA_DIR: &str = "./octavo-data";

/// Settings of every command: where the data is and what is logged.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Data and logs")]
pub(crate) struct Shared {
    /// Folder of the database, the uploaded files and the instance's secret.
    #[arg(long, env = "OCTAVO_DATA_DIR", value_name = "FOLDER", default_value = DATA_DIR, global = true)]
    data_dir: PathBuf,

    /// The database: a postgres:// URL, or a SQLite file [default: octavo.db in the data folder].
    ///
    /// PostgreSQL: postgres://user:password@host/database, with sslmode=require or sslmode=verify-full and
    /// sslrootcert=FILE for encrypted connections. Prefer the environment variable: other users of the machine can read
    /// command lines.
    #[arg(long, env = "DATABASE_URL", value_name = "URL", global = true)]
    database_url: Option<String>,

    /// What is logged: error, warn, info, debug or trace, or filters such as info,api_actix=debug
    /// [default: info for serve and demo, else warn].
    #[arg(long, env = "OCTAVO_LOG", value_name = "LEVEL", value_parser = values::log_filter, global = true)]
    pub(crate) log_level: Option<String>,

    /// How it is logged: lines for people, or one JSON object a line.
    #[arg(
        long,
        env = "OCTAVO_LOG_FORMAT",
        value_name = "FORMAT",
        default_value = "pretty",
        hide_possible_values = true,
        help = "How it is logged: pretty (lines for people) or json (one object a line)",
        global = true
    )]
    pub(crate) log_format: LogFormat,
}
