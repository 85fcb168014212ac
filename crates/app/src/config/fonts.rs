//! The folder with fonts for sites.
use crate::failure::Failure;
use adapters_files::{FontError, FontFolder};
use anyhow::Result;
use domain::site::served_font::{FontTable, KnownFont, ServedFont};
use http_server::chain;
use std::path::Path;

/// A known font in a folder.
#[derive(Debug)]
pub(crate) struct FolderFont {
    pub(crate) known: KnownFont,
    /// The font; `None` if the folder has no package of it.
    pub(crate) found: Result<Option<ServedFont>, FontError>,
}

impl FolderFont {
    /// All known fonts, as found in a folder. `option` is the command line option with the folder.
    ///
    /// # Errors
    /// If there is no such folder. The error names the setting.
    pub(crate) fn all(folder: &Path, option: &str) -> Result<Vec<Self>> {
        let opened = FontFolder::open(folder).map_err(|error| {
            Failure::usage(format!("OCTAVO_FONTS_DIR ({option}): must be a folder that can be read"))
                .advise("create the folder and install packages of Fontsource in it")
                .because(error)
        })?;
        Ok(KnownFont::all().map(|known| Self { known, found: opened.font(known) }).collect())
    }
}

/// The fonts of the configured folder. A font that cannot be read is logged, and visitors see fonts of their systems.
///
/// # Errors
/// If there is no such folder.
pub(crate) fn table(folder: Option<&Path>) -> Result<FontTable> {
    let mut table = FontTable::default();
    let Some(folder) = folder else { return Ok(table) };
    for FolderFont { known, found } in FolderFont::all(folder, "--fonts-dir")? {
        match found {
            Ok(Some(font)) => table.add(known, font),
            Ok(None) => {}
            Err(error) => {
                tracing::warn!(
                    font = known.as_str(),
                    error = chain(&error),
                    "cannot read a font; visitors see one of their systems"
                );
            }
        }
    }
    if table.is_empty() {
        tracing::warn!(folder = %folder.display(), "OCTAVO_FONTS_DIR has no known fonts: see `octavo fonts check`");
    }
    Ok(table)
}
