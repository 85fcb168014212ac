//! `octavo fonts`: the fonts of the server for sites.
use crate::config::FolderFont;
use crate::failure::Failure;
use crate::output::Output;
use anyhow::Result;
use clap::{Args, Subcommand};
use domain::site::served_font::ServedFont;
use http_server::chain;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Debug, Subcommand)]
pub(crate) enum FontsCommand {
    /// List the known fonts of sites, and whether the configured folder has them.
    ///
    /// The folder has packages of Fontsource, as npm installs them: @fontsource-variable/inter, inter or
    /// @fontsource/inter in it. The server reads it when it starts. Visitors see a font of their system in place of a
    /// missing one.
    ///
    /// Exit codes: 0 all fonts are found, 1 a font is missing or cannot be read, 2 wrong settings.
    #[command(after_long_help = "\
Examples:
  npm install --prefix /srv/fonts @fontsource-variable/inter
  octavo fonts check --dir /srv/fonts/node_modules")]
    Check(Check),
}

#[derive(Args, Debug)]
pub(crate) struct Check {
    /// The folder with the packages.
    #[arg(long, env = "OCTAVO_FONTS_DIR", value_name = "FOLDER")]
    dir: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

impl FontsCommand {
    /// Runs the command.
    ///
    /// # Errors
    /// If no folder is set, or it cannot be read.
    pub(crate) fn run(self) -> Result<ExitCode> {
        let Self::Check(check) = self;
        check.run()
    }
}

impl Check {
    fn run(self) -> Result<ExitCode> {
        let Some(dir) = self.dir else {
            let failure = Failure::usage("OCTAVO_FONTS_DIR (--dir): is not set");
            return Err(failure.advise("set it to a folder with packages of Fontsource").into());
        };
        let fonts = FolderFont::all(&dir, "--dir")?;
        let output = Output::new(self.json);
        if output.is_json() {
            output.json(&Value::Array(fonts.iter().map(described).collect()));
        } else {
            output.table(
                ["font", "package", "version", "faces", "bytes", "licence"],
                fonts.iter().map(row).collect(),
                "There are no known fonts.",
            );
            for FolderFont { known, found } in &fonts {
                if let Err(error) = found {
                    output.note(format_args!("{}: {}", known.as_str(), chain(error)));
                }
            }
        }
        let found = fonts.iter().filter(|font| matches!(font.found, Ok(Some(_)))).count();
        output.note(format_args!("{found} of {} fonts found", fonts.len()));
        Ok(if found == fonts.len() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}

fn row(FolderFont { known, found }: &FolderFont) -> [String; 6] {
    let name = known.as_str();
    match found {
        Ok(Some(font)) => {
            let (faces, bytes) = (font.faces.len().to_string(), font.size().to_string());
            let ServedFont { package, version, licence, .. } = font;
            [name, package.as_str(), version.as_str(), faces.as_str(), bytes.as_str(), licence.as_str()]
                .map(str::to_owned)
        }
        Ok(None) => [name, "missing", "", "", "", ""].map(str::to_owned),
        Err(_) => [name, "cannot be read", "", "", "", ""].map(str::to_owned),
    }
}

fn described(FolderFont { known, found }: &FolderFont) -> Value {
    let name = known.as_str();
    match found {
        Ok(Some(font)) => json!({
            "font": name,
            "package": font.package,
            "version": font.version,
            "faces": font.faces.len(),
            "bytes": font.size(),
            "licence": font.licence,
        }),
        Ok(None) => json!({"font": name, "package": null}),
        Err(error) => json!({"font": name, "package": null, "error": chain(error)}),
    }
}
