//! `octavo site export`: a site as files.
use crate::harness::{Octavo, files};
use std::collections::BTreeSet;
use std::path::Path;
use url::Url;

const DOCS: &[(&str, &str)] = &[
    (
        "README.md",
        "# Welcome\n\nRead [how to install](guides/install.md#linux), or [a secret of friends](linked.md).\n\n\
         Whole addresses: [one](http://localhost/s/product-docs/linked/../guides/./install),\n\
         [two](http://localhost/s/product-docs/../other/page), and\n\
         [three](http://localhost/s/product-docs/~/schema/a/b/c?at=x).\n\n\
         ![A dot](dot.svg)\n\n{% file src=\"page.html\" %}\n\n```mermaid\ngraph TD\n  A --> B\n```\n",
    ),
    (
        "guides/install.md",
        "---\ndescription: On all systems\n---\n# Install\n\n## Linux\n\nBack to [the start](../README.md).\n",
    ),
    ("hidden.md", "---\nhidden: true\n---\n# Hidden canary-hidden\n"),
    ("linked.md", "---\nhidden: true\n---\n# Linked\n\nFor those who have the link.\n"),
    ("pro.md", "---\nif: visitor.claims.plan == \"pro\"\n---\n# Pro canary-condition\n"),
    ("dot.svg", "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"2\" height=\"2\"><circle r=\"1\"/></svg>\n"),
    ("page.html", "<script>alert(1)</script>\n"),
];

/// An installation with the published site `product-docs`, which has a draft.
fn published() -> Octavo {
    let (octavo, token) = Octavo::started_once();
    let docs = octavo.docs("docs", DOCS);
    let draft = octavo.docs("draft", &[("README.md", "# Draft canary-draft\n")]);
    let import = |folder: &Path| octavo.run(&["import", "--json", folder.to_str().unwrap()]).fine().json();
    let [docs, draft] = [docs, draft].map(|folder| import(&folder)["space"].as_str().unwrap().to_owned());
    octavo.run(&["site", "create", "Product docs", "--space", &docs]).fine();
    let site = octavo.run(&["site", "list", "--json"]).fine().json()[0]["id"].as_str().unwrap().to_owned();
    let server = octavo.start(&["serve"]);
    let organization = server.get("/v1/orgs", &token).json()["items"][0]["id"].as_str().unwrap().to_owned();
    let spaces = format!("/v1/orgs/{organization}/sites/{site}/site-spaces");
    let body = format!("{{\"spaceId\": \"{draft}\", \"title\": \"Next\", \"draft\": true}}");
    assert_eq!(server.post(&spaces, &token, &body).status, 201);
    server.stop().fine();
    octavo.run(&["site", "publish", "product-docs"]).fine();
    octavo
}

/// The addresses in the attributes and styles of a page.
fn addresses(html: &str) -> BTreeSet<String> {
    [" href=\"", " src=\"", " action=\"", " data-dark=\"", " data-module=\"", "url(\""]
        .into_iter()
        .flat_map(|start| html.split(start).skip(1))
        .map(|rest| rest.split('"').next().unwrap().replace("&amp;", "&"))
        .collect()
}

/// Asserts that every local address of every page leads to a file of the export.
#[track_caller]
fn assert_that_links_work(folder: &Path) {
    let mut local = 0;
    for (path, bytes) in files(folder) {
        if !path.ends_with(".html") || path == "404.html" {
            continue;
        }
        let html = String::from_utf8(bytes).unwrap();
        let page = Url::from_file_path(folder.join(&path)).unwrap();
        for address in addresses(&html) {
            assert!(!address.starts_with('/') && !address.contains("://localhost"), "{path}: {address}");
            let mut target = page.join(&address).unwrap();
            if target.scheme() != "file" {
                continue;
            }
            local += 1;
            target.set_query(None);
            target.set_fragment(None);
            let target = target.to_file_path().unwrap();
            assert!(target.starts_with(folder) && target.is_file(), "{path} leads to {address}");
        }
    }
    assert!(local > 10, "{local} addresses");
}

fn read(folder: &Path, path: &str) -> String {
    std::fs::read_to_string(folder.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

#[test]
fn every_link_of_the_exported_demo_leads_to_a_file() {
    let octavo = Octavo::new();
    octavo.start(&["demo"]).stop().fine();
    let out = octavo.path("out");
    let said = octavo.run(&["site", "export", "octavo-guide", out.to_str().unwrap()]).fine().stdout;
    assert!(said.starts_with("Exported ") && said.contains(" pages in "), "{said}");
    assert_that_links_work(&out);
    let names: Vec<String> = files(&out).into_iter().map(|(path, _)| path).collect();
    assert!(names.iter().filter(|name| name.ends_with("/index.html")).count() > 40, "{names:?}");
    for absent in ["404.html", "sitemap.xml", "llms.txt"] {
        assert!(!names.iter().any(|name| name == absent), "{absent} has absolute addresses");
    }
    let start = read(&out, "index.html");
    for absent in ["o-feedback\"", "data-try=", "data-embed=", "rel=\"canonical\"", "type=\"module\""] {
        assert!(!start.contains(absent), "{absent}: {start}");
    }
}

#[test]
fn an_export_has_what_every_visitor_sees_and_nothing_else() {
    let octavo = published();
    let out = octavo.path("out");
    octavo.run(&["site", "export", "product-docs", out.to_str().unwrap()]).fine();
    assert_that_links_work(&out);
    for (path, bytes) in files(&out) {
        assert!(!path.contains("canary") && !String::from_utf8_lossy(&bytes).contains("canary"), "{path}");
    }
    let start = read(&out, "index.html");
    assert!(start.contains("href=\"guides/install/index.html#linux\""), "{start}");
    assert!(start.contains("href=\"linked/index.html\""), "a visible page leads to it: {start}");
    assert!(start.contains("href=\"guides/install/index.html\" rel=\"noopener\""), "it is a whole address: {start}");
    assert!(start.contains("page.html.txt\"") && start.contains(".light.svg\""), "{start}");
    let install = read(&out, "guides/install/index.html");
    assert!(install.contains("href=\"../../index.html\""), "{install}");
    let list = read(&out, "~/search/index.html");
    assert!(list.contains("href=\"../../guides/install/index.html\"") && list.contains("On all systems"), "{list}");
    assert!(!list.contains("Linked"), "{list}");
}

#[test]
fn with_an_address_an_export_has_what_needs_one() {
    let octavo = published();
    let out = octavo.path("out");
    let base = "https://files.example.org/docs";
    octavo.run(&["site", "export", "product-docs", out.to_str().unwrap(), "--base-url", base]).fine();
    assert_that_links_work(&out);
    let install = read(&out, "guides/install/index.html");
    assert!(install.contains(&format!("<link rel=\"canonical\" href=\"{base}/guides/install/\">")), "{install}");
    let sitemap = read(&out, "sitemap.xml");
    assert!(
        sitemap.contains(&format!("<loc>{base}/guides/install/</loc>")) && !sitemap.contains("linked"),
        "{sitemap}"
    );
    assert!(read(&out, "llms.txt").contains(&format!("]({base}/guides/install.md): On all systems")));
    let markdown = read(&out, "guides/install.md");
    assert!(markdown.contains(&format!("[the start]({base}/)")), "{markdown}");
    let missing = read(&out, "404.html");
    assert!(
        missing.contains(&format!("href=\"{base}/guides/install/\"")) && !missing.contains("localhost"),
        "{missing}"
    );
    for path in ["sitemap.xml", "llms.txt", "guides/install.md"] {
        assert!(!read(&out, path).contains("localhost"), "{path}");
    }
}

#[test]
fn an_export_replaces_an_earlier_one_if_it_is_told_to_and_never_other_files() {
    let octavo = published();
    let out = octavo.path("out");
    let export =
        |force: &[&str]| octavo.run(&[&["site", "export", "product-docs", out.to_str().unwrap()], force].concat());
    export(&[]).fine();
    let before = files(&out);
    let refused = export(&[]);
    assert!(refused.code == 1 && refused.stderr.contains("is not empty"), "{}", refused.stderr);
    std::fs::write(out.join("index.html"), "old").unwrap();
    export(&["--force"]).fine();
    assert!(files(&out) == before, "it is written as a whole");
    std::fs::remove_dir_all(&out).unwrap();
    std::fs::create_dir(&out).unwrap();
    std::fs::write(out.join("mine"), "mine").unwrap();
    let refused = export(&["--force"]);
    assert!(refused.code == 1 && refused.stderr.contains("is no earlier export"), "{}", refused.stderr);
    assert_eq!(files(&out), [("mine".to_owned(), b"mine".to_vec())]);
}

#[test]
fn a_site_that_not_everybody_sees_is_not_exported() {
    let octavo = published();
    let out = octavo.path("out");
    octavo.run(&["site", "create", "Partners", "--visibility", "share-link"]).fine();
    octavo.run(&["site", "publish", "partners"]).fine();
    octavo.run(&["site", "create", "Later"]).fine();
    octavo.run(&["site", "create", "Empty"]).fine();
    octavo.run(&["site", "publish", "empty"]).fine();
    for (site, told) in [
        ("partners", "is not for everybody"),
        ("later", "is not published"),
        ("empty", "has no pages"),
        ("nothing", "there is no site nothing"),
    ] {
        let refused = octavo.run(&["site", "export", site, out.to_str().unwrap()]);
        assert!(refused.code == 1 && refused.stderr.contains(told), "{site}: {}", refused.stderr);
        assert!(!out.exists(), "{site}");
    }
    let wrong = octavo.run(&["site", "export", "product-docs", out.to_str().unwrap(), "--base-url", "files"]);
    assert!(wrong.code == 2 && wrong.stderr.contains("--base-url"), "{}", wrong.stderr);
}
