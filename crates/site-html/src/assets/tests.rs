use super::*;
use rstest::rstest;
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Classes without a rule. Each has its reason.
const BARE: &[(&str, &str)] = &[
    ("o-check", "a character"),
    ("o-default", "has the colours of the text around it"),
    ("o-entry", "keeps a title and its description together"),
    ("o-footer-logo", "its image has a rule"),
    ("o-inline-original", "an image as it is"),
    ("o-missing-page", "names the page for those who test it"),
    ("o-place", "an empty place that an address leads to"),
    ("o-samples", "tabs like others"),
    ("o-statuses", "tabs like others"),
    ("o-tex", "code like other code"),
    ("o-x", "begins the classes of one page"),
];

#[test]
fn a_file_is_found_by_its_name() {
    for asset in ALL {
        assert_eq!(find(asset.name).map(|found| found.name), Some(asset.name));
    }
    assert!(find("style.css").is_none());
}

#[test]
fn a_name_has_the_hash_of_the_bytes() {
    for asset in ALL {
        let hash: String = Sha256::digest(asset.bytes).iter().take(8).map(|byte| format!("{byte:02x}")).collect();
        assert!(asset.name.contains(&format!("-{hash}.")), "{}", asset.name);
    }
}

#[test]
fn compressed_bytes_are_the_same_bytes() {
    for asset in ALL {
        let mut plain = Vec::new();
        brotli::Decompressor::new(asset.brotli, 4096).read_to_end(&mut plain).unwrap();
        assert!(plain == asset.bytes, "{}", asset.name);
        plain.clear();
        flate2::read::GzDecoder::new(asset.gzip).read_to_end(&mut plain).unwrap();
        assert!(plain == asset.bytes, "{}", asset.name);
    }
}

#[rstest]
#[case(&STYLE, 8 * 1024)]
#[case(&REFERENCE, 2 * 1024)]
#[case(&APP, 4 * 1024)]
#[case(&SEARCH, 6 * 1024)]
#[case(&MORE, 2 * 1024)]
#[case(&TRY, 6 * 1024)]
#[case(&PRINT, 256)]
#[case(&EXPORT, 4 * 1024)]
fn a_file_is_small(#[case] asset: &Asset, #[case] most: usize) {
    assert!(asset.brotli.len() <= most, "{}: {} bytes", asset.name, asset.brotli.len());
}

/// Rules that some pages have in their style element.
const PARTS: [&str; 6] = [BARE_STYLE, FIND_STYLE, FEEDBACK_STYLE, MARKS_STYLE, PREVIEW_STYLE, PRINT_STYLE];

/// All rules, also those that scripts bring.
fn rules() -> String {
    let files = ALL.iter().map(|asset| String::from_utf8_lossy(asset.bytes).into_owned());
    files.chain(PARTS.map(str::to_owned)).collect()
}

/// The names that begin with a prefix, such as those of classes.
fn names(text: &str, prefix: &str) -> BTreeSet<String> {
    let of_a_name = |char: char| char.is_ascii_lowercase() || char.is_ascii_digit() || char == '-';
    text.match_indices(prefix)
        .filter(|(at, _)| !text[..*at].ends_with(|char: char| char.is_alphanumeric() || char == '-'))
        .map(|(at, _)| {
            let rest = &text[at..];
            rest[..rest.find(|char| !of_a_name(char)).unwrap_or(rest.len())].to_owned()
        })
        .collect()
}

/// The sources below a folder of the crate, without tests.
fn sources(folder: &Path, all: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true if path.ends_with("tests") => {}
            true => sources(&path, all),
            false => all.push(path),
        }
    }
}

#[test]
fn every_class_has_a_rule_or_a_reason() {
    let mut files = Vec::new();
    for folder in ["src/blocks", "src/frame"] {
        sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder), &mut files);
    }
    let text: String = files.iter().map(|file| fs::read_to_string(file).unwrap()).collect();
    let ruled = names(&rules(), "o-");
    let bare: BTreeSet<&str> = BARE.iter().map(|(name, _)| *name).collect();
    let used = names(&text, "o-");
    // What ends with a hyphen is put together with something else.
    let used: Vec<&String> = used.iter().filter(|name| !name.ends_with('-') && name.len() > 2).collect();
    assert!(used.len() > 100);
    let missing: Vec<_> = used.iter().filter(|name| !ruled.contains(**name) && !bare.contains(name.as_str())).collect();
    assert!(missing.is_empty(), "without a rule: {missing:?}");
    let stale: Vec<_> =
        bare.iter().filter(|name| ruled.contains(**name) || !used.iter().any(|used| used == *name)).collect();
    assert!(stale.is_empty(), "no longer bare: {stale:?}");
}

#[test]
fn every_token_is_defined() {
    let rules = rules();
    let themes: String = ["mod.rs", "palette.rs", "code_themes.rs", "fonts.rs", "scale.rs"]
        .iter()
        .map(|file| fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/theme").join(file)).unwrap())
        .collect();
    // A use with a default is right without a definition.
    let uses = names(&rules.replace("var(--", "var( --"), "--");
    let missing: Vec<_> = uses
        .iter()
        .filter(|name| rules.contains(&format!("var({name})")))
        .filter(|name| !rules.contains(&format!("{name}:")))
        .filter(|name| !themes.contains(&format!("\"{}\"", &name[2..])) && !is_put_together(name))
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}

/// Whether the name of a token is not written whole in a theme.
fn is_put_together(name: &str) -> bool {
    // Blocks write it.
    if name == "--lines" {
        return true;
    }
    let is_one_of = |text: &str, parts: &[&str]| parts.iter().any(|part| text.ends_with(part));
    name.starts_with("--c-") || name.starts_with("--cb-") || is_one_of(name, &["-ground", "-line", "-text"])
}

/// A page can be in a language that is written from right to left.
#[test]
fn rules_have_no_left_and_right() {
    let rules = rules();
    for physical in ["margin-left", "margin-right", "padding-left", "padding-right", "border-left", "border-right"] {
        assert!(!rules.contains(physical), "{physical}");
    }
}

/// Paper shows all of a page.
#[test]
fn parts_that_are_laid_out_late_are_so_only_on_the_screen() {
    let rules = rules();
    let late: Vec<&str> = rules.split("content-visibility:auto").collect();
    assert!(late.len() > 1);
    for before in &late[..late.len() - 1] {
        let (_, inside) = before.rsplit_once("@media screen{").unwrap();
        assert!(inside.matches('{').count() > inside.matches('}').count(), "{inside}");
    }
}

#[test]
fn parts_can_be_in_a_style_element() {
    for part in PARTS {
        assert!(!part.contains('<') && !part.is_empty());
    }
}

/// The policy of pages has no Trusted Types, and allows no text as code.
#[test]
fn scripts_make_nodes_one_by_one() {
    for script in [&APP, &SEARCH, &MORE, &TRY, &PRINT, &EXPORT] {
        let text = String::from_utf8_lossy(script.bytes);
        for forbidden in
            ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function", "srcdoc"]
        {
            assert!(!text.contains(forbidden), "{}: {forbidden}", script.name);
        }
    }
}

#[test]
fn scripts_can_be_parsed() {
    let folder = std::env::temp_dir().join(format!("octavo-scripts-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    for script in [&APP, &SEARCH, &MORE, &TRY, &PRINT, &EXPORT] {
        let file = folder.join(script.name).with_extension("mjs");
        fs::write(&file, script.bytes).unwrap();
        match Command::new("node").arg("--check").arg(&file).output() {
            Ok(output) => assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr)),
            Err(_) => println!("node is not installed: {} is not checked", script.name),
        }
    }
    fs::remove_dir_all(folder).unwrap();
}
