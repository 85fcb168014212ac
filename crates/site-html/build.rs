//! Joins, minifies and compresses the style sheet and the scripts, and writes a table of them.
use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest, Sha256};
use std::error::Error;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

#[path = "src/assets/minify.rs"]
mod minify;

/// An asset: the folder of its sources, its ending, its media type, the name of its static and the meaning of it.
struct Made {
    folder: &'static str,
    ending: &'static str,
    content_type: &'static str,
    name: &'static str,
    doc: &'static str,
}

const ASSETS: [Made; 8] = [
    Made {
        folder: "style",
        ending: "css",
        content_type: "text/css; charset=utf-8",
        name: "STYLE",
        doc: "The style sheet of all pages.",
    },
    Made {
        folder: "reference",
        ending: "css",
        content_type: "text/css; charset=utf-8",
        name: "REFERENCE",
        doc: "The style of OpenAPI blocks, for pages that have them: besides [`STYLE`].",
    },
    Made {
        folder: "app",
        ending: "js",
        content_type: "text/javascript; charset=utf-8",
        name: "APP",
        doc: "The script of all pages: a module.",
    },
    Made {
        folder: "search",
        ending: "js",
        content_type: "text/javascript; charset=utf-8",
        name: "SEARCH",
        doc: "The search dialog: a module that [`APP`] imports on its first use.",
    },
    Made {
        folder: "more",
        ending: "js",
        content_type: "text/javascript; charset=utf-8",
        name: "MORE",
        doc: "What few pages need: a module that [`APP`] imports on its first use.",
    },
    Made {
        folder: "try",
        ending: "js",
        content_type: "text/javascript; charset=utf-8",
        name: "TRY",
        doc: "Forms that try operations of an API: a module that [`APP`] imports on its first use.",
    },
    Made {
        folder: "print",
        ending: "js",
        content_type: "text/javascript; charset=utf-8",
        name: "PRINT",
        doc: "The script of pages for printing: a module, instead of [`APP`].",
    },
    Made {
        folder: "export",
        ending: "js",
        content_type: "text/javascript; charset=utf-8",
        name: "EXPORT",
        doc: "The script of pages of an export, instead of [`APP`]: no module, since browsers load none from files.",
    },
];

/// The parts of the script of all pages that need no server. They are in the script of exports too.
const WITHOUT_SERVER: [&str; 3] = ["10-start.js", "20-frame.js", "30-text.js"];

/// Rules that some pages have in their style element: the file of their source, the name of their constant and the
/// meaning of it.
const PARTS: [(&str, &str, &str); 6] = [
    ("bare", "BARE_STYLE", "The style of the sidebar that takes the place of the header, for pages that have it."),
    ("find", "FIND_STYLE", "The style of the search form and of results, for pages that have them."),
    ("feedback", "FEEDBACK_STYLE", "The style of the feedback form, for pages that have one."),
    ("marks", "MARKS_STYLE", "The colours of marks and tags, for pages that have them."),
    ("preview", "PREVIEW_STYLE", "The style of the list of changed pages, for previews that have one."),
    ("print", "PRINT_STYLE", "The style of pages for printing."),
];

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/assets/minify.rs");
    println!("cargo::rerun-if-changed=assets");
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let mut table = String::new();
    for asset in &ASSETS {
        make(asset, &out, &mut table)?;
    }
    let names: Vec<String> = ASSETS.iter().map(|asset| format!("&{}", asset.name)).collect();
    writeln!(table, "/// All of them.\nstatic ALL: [&Asset; {}] = [{}];", names.len(), names.join(", "))?;
    for (file, name, doc) in PARTS {
        let rules = minify::style(&fs::read_to_string(Path::new("assets/parts").join(file).with_extension("css"))?);
        writeln!(table, "/// {doc}\npub(crate) const {name}: &str = {rules:?};")?;
    }
    fs::write(out.join("assets.rs"), table)?;
    Ok(())
}

/// Writes an asset in three encodings, and its static to the table.
fn make(asset: &Made, out: &Path, table: &mut String) -> Result<(), Box<dyn Error>> {
    let mut source = joined(&Path::new("assets").join(asset.folder), asset.ending)?;
    if asset.name == "EXPORT" {
        let parts = WITHOUT_SERVER.map(|file| fs::read_to_string(Path::new("assets/app").join(file)));
        let parts = parts.into_iter().collect::<Result<Vec<_>, _>>()?.join("\n");
        source = format!("(() => {{\n\"use strict\";\n{parts}\n{source}\n}})();\n");
    }
    let small = if asset.ending == "css" { minify::style(&source) } else { minify::script(&source) };
    let hash: String = Sha256::digest(small.as_bytes()).iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    let Made { folder, ending, content_type, name, doc } = asset;
    let file = out.join(format!("{folder}.{ending}"));
    let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
    gzip.write_all(small.as_bytes())?;
    let mut brotli = Vec::new();
    brotli::CompressorWriter::new(&mut brotli, 4096, 11, 22).write_all(small.as_bytes())?;
    fs::write(&file, &small)?;
    fs::write(file.with_extension(format!("{ending}.gz")), gzip.finish()?)?;
    fs::write(file.with_extension(format!("{ending}.br")), brotli)?;
    let path = file.display();
    writeln!(
        table,
        r#"/// {doc}
pub static {name}: Asset = Asset {{
    name: "{folder}-{hash}.{ending}",
    content_type: "{content_type}",
    bytes: include_bytes!({file:?}),
    gzip: include_bytes!("{path}.gz"),
    brotli: include_bytes!("{path}.br"),
}};"#,
    )?;
    Ok(())
}

/// The sources in a folder, one after the other in the order of their names.
fn joined(folder: &Path, ending: &str) -> Result<String, Box<dyn Error>> {
    let mut files = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>, std::io::Error>>()?;
    files.retain(|file| file.extension().is_some_and(|own| own == ending));
    files.sort();
    let mut all = String::new();
    for file in files {
        all.push_str(&fs::read_to_string(file)?);
        all.push('\n');
    }
    Ok(all)
}
