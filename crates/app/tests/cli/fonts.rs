//! `octavo fonts check`, and a server with a folder of fonts.
use crate::harness::Octavo;
use serde_json::{Value, json};
use std::path::PathBuf;

/// Writes a package of Inter to the folder `fonts`. Returns the folder.
fn fonts(octavo: &Octavo) -> PathBuf {
    let package = json!({"name": "@fontsource-variable/inter", "version": "5.3.0", "license": "OFL-1.1"}).to_string();
    let axes = json!({"wght": {"min": "100", "max": "900"}});
    let metadata = json!({"id": "inter", "weights": [400], "variable": axes}).to_string();
    let unicode = json!({"latin": "U+0000-00FF", "greek": "U+0370-0377"}).to_string();
    octavo.docs(
        "fonts",
        &[
            ("@fontsource-variable/inter/package.json", &package),
            ("@fontsource-variable/inter/metadata.json", &metadata),
            ("@fontsource-variable/inter/unicode.json", &unicode),
            ("@fontsource-variable/inter/files/inter-latin-wght-normal.woff2", "wOF2 made up"),
            ("lato/package.json", "no JSON"),
        ],
    )
}

#[test]
fn a_check_lists_what_is_found_what_is_missing_and_what_cannot_be_read() {
    let octavo = Octavo::new();
    let folder = fonts(&octavo);
    let listed = octavo.run(&["fonts", "check", "--dir", folder.to_str().unwrap()]);
    assert_eq!(listed.code, 1, "{}", listed.stderr);
    let row = |font: &str| listed.stdout.lines().find(|line| line.starts_with(font)).unwrap_or_default();
    for part in ["@fontsource-variable/inter", "5.3.0", "OFL-1.1", "12"] {
        assert!(row("Inter ").contains(part) && row("ABCFavorit ").contains(part), "{part}: {}", listed.stdout);
    }
    assert!(row("Roboto ").contains("missing"), "{}", listed.stdout);
    // Its other descriptions are missing, which comes first.
    assert!(row("Lato ").contains("cannot be read") && listed.stderr.contains("Lato: "), "{}", listed.stderr);
    assert!(listed.stderr.contains("2 of 23 fonts found"), "{}", listed.stderr);
    let octavo = octavo.with("OCTAVO_FONTS_DIR", folder.to_str().unwrap());
    let json = octavo.run(&["fonts", "check", "--json"]).json();
    let of = |font: &str| -> Value {
        json.as_array().unwrap().iter().find(|one| one["font"] == font).cloned().unwrap_or_default()
    };
    let inter = of("Inter");
    assert_eq!((&inter["package"], &inter["version"]), (&json!("@fontsource-variable/inter"), &json!("5.3.0")));
    assert_eq!((&inter["faces"], &inter["bytes"], &inter["licence"]), (&json!(1), &json!(12), &json!("OFL-1.1")));
    assert_eq!(of("Roboto"), json!({"font": "Roboto", "package": null}));
    assert!(of("Lato")["error"].is_string(), "{json}");
}

#[test]
fn a_check_without_a_folder_names_the_setting() {
    for arguments in [&["fonts", "check"][..], &["fonts", "check", "--dir", "nowhere"]] {
        let ended = Octavo::new().run(arguments);
        assert_eq!(ended.code, 2, "{}", ended.stderr);
        assert!(ended.stderr.contains("OCTAVO_FONTS_DIR (--dir)"), "{}", ended.stderr);
    }
}

#[test]
fn a_server_with_a_folder_of_fonts_sends_them_to_visitors() {
    let (octavo, token) = Octavo::started_once();
    let docs = octavo.docs("docs", &[("README.md", "# Welcome\n"), ("install.md", "# Install\n")]);
    octavo.run(&["import", docs.to_str().unwrap()]).fine();
    let folder = fonts(&octavo);
    let octavo = octavo.with("OCTAVO_FONTS_DIR", folder.to_str().unwrap());
    let mut server = octavo.start(&["serve"]);
    server.wait_for("cannot read a font");
    let organization = server.get("/v1/orgs", &token).json()["items"][0]["id"].as_str().unwrap().to_owned();
    let spaces = server.get(&format!("/v1/orgs/{organization}/spaces"), &token).json();
    let space = spaces["items"][0]["id"].as_str().unwrap();
    octavo.run(&["site", "create", "Guide", "--space", space, "--visibility", "unlisted"]).fine();
    octavo.run(&["site", "publish", "guide"]).fine();
    let page = server.get("/s/guide/install", "");
    let file = page.body.split("url(\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap_or_default();
    assert!(file.starts_with("/s/guide/~/assets/inter-latin-wght-normal-"), "{}", page.body);
    assert!(page.body.contains("font-weight:100 900"), "{}", page.body);
    let font = server.get(file, "");
    assert_eq!((font.status, font.body.as_str()), (200, "wOF2 made up"));
    assert_eq!(server.get("/s/guide/~/assets/inter-latin-wght-normal.woff2", "").status, 404);
    server.stop().fine();
}
