//! `octavo site export`: a site as files.
use crate::harness::{Octavo, files};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use url::Url;

const DOCS: &[(&str, &str)] = &[
    (
        "README.md",
        "# Welcome\n\nRead [how to install](guides/install.md#linux), or [a secret of friends](linked.md).\n\n\
         Whole addresses: [one](http://localhost/s/product-docs/linked/../guides/./install),\n\
         [two](http://localhost/s/product-docs/../other/page),\n\
         [four](http://localhost/s/product-docs/..%2fproduct-docs%2fguides%2finstall), and\n\
         [three](http://localhost/s/product-docs/~/schema/a/b/c?at=x).\n\n\
         ![A dot](dot.svg)\n\n{% file src=\"page.html\" %}\n\n```mermaid\ngraph TD\n  A --> B\n```\n",
    ),
    (
        "guides/install.md",
        "---\ndescription: On all systems\n---\n# Install\n\n## Linux\n\nBack to [the start](../README.md).\n",
    ),
    ("hidden.md", "---\nhidden: true\n---\n# Hidden canary-hidden\n"),
    ("linked.md", "---\nhidden: true\n---\n# Linked\n\nFor those who have the link.\n"),
    ("pro.md", "---\nif: visitor.claims.plan == \"pro\"\n---\n# Pro canary-condition\n\n![Pro](pro.svg)\n"),
    ("pro.svg", "<svg xmlns=\"http://www.w3.org/2000/svg\"><title>canary-file</title></svg>\n"),
    ("dot.svg", "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"2\" height=\"2\"><circle r=\"1\"/></svg>\n"),
    ("page.html", "<script>alert(1)</script>\n"),
    (
        "news.md",
        "# News\n\n{% updates format=\"full\" %}\n{% update date=\"2026-03-01\" %}\n## First\n\n\
         See [how to install](guides/install.md#linux) and ![a dot](dot.svg)\n{% endupdate %}\n{% endupdates %}\n",
    ),
];

/// A published site with the basename `product-docs`.
pub(crate) struct Published {
    pub(crate) octavo: Octavo,
    /// A token of the administrator.
    pub(crate) token: String,
    /// The path of the site in the API.
    pub(crate) path: String,
    /// Its space.
    pub(crate) space: String,
}

impl Published {
    pub(crate) fn new(docs: &[(&str, &str)]) -> Self {
        let (octavo, token) = Octavo::started_once();
        let folder = octavo.docs("docs", docs);
        let imported = octavo.run(&["import", "--json", folder.to_str().unwrap()]).fine().json();
        let space = imported["space"].as_str().unwrap().to_owned();
        octavo.run(&["site", "create", "Product docs", "--space", &space]).fine();
        octavo.run(&["site", "publish", "product-docs"]).fine();
        let site = octavo.run(&["site", "list", "--json"]).fine().json()[0]["id"].as_str().unwrap().to_owned();
        let server = octavo.start(&["serve"]);
        let organization = server.get("/v1/orgs", &token).json()["items"][0]["id"].as_str().unwrap().to_owned();
        server.stop().fine();
        Self { octavo, token, path: format!("/v1/orgs/{organization}/sites/{site}"), space }
    }

    /// Exports the site; the options are those behind the folder.
    pub(crate) fn export(&self, options: &[&str]) -> PathBuf {
        self.exported(options).0
    }

    /// The same, with the messages of the command.
    pub(crate) fn exported(&self, options: &[&str]) -> (PathBuf, String) {
        let out = self.octavo.path("out");
        let arguments = ["site", "export", "product-docs", out.to_str().unwrap()];
        let said = self.octavo.run(&[arguments.as_slice(), options].concat()).fine().stderr;
        assert_that_links_work(&out);
        (out, said)
    }
}

/// An installation with the published site `product-docs`, which has a draft.
fn published() -> Octavo {
    let site = Published::new(DOCS);
    let folder = site.octavo.docs("draft", &[("README.md", "# Draft canary-draft\n")]);
    let imported = site.octavo.run(&["import", "--json", folder.to_str().unwrap()]).fine().json();
    let draft = imported["space"].as_str().unwrap();
    let body = format!("{{\"spaceId\": \"{draft}\", \"title\": \"Next\", \"draft\": true}}");
    let server = site.octavo.start(&["serve"]);
    assert_eq!(server.post(&format!("{}/site-spaces", site.path), &site.token, &body).status, 201);
    server.stop().fine();
    site.octavo
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
pub(crate) fn assert_that_links_work(folder: &Path) {
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

pub(crate) fn read(folder: &Path, path: &str) -> String {
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
    for absent in ["404.html", "sitemap.xml", "llms.txt", "_redirects"] {
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
    assert!(!out.join("~/pages").exists(), "an address with an encoded `..` is one of the page that is there");
    assert!(start.contains("page.html.txt\"") && start.contains(".light.svg\""), "{start}");
    let install = read(&out, "guides/install/index.html");
    assert!(install.contains("href=\"../../index.html\""), "{install}");
    let list = read(&out, "~/search/index.html");
    assert!(list.contains("href=\"../../guides/install/index.html\"") && list.contains("On all systems"), "{list}");
    assert!(!list.contains("Linked"), "{list}");
}

#[test]
fn a_page_of_an_export_leads_to_its_file_in_the_repository() {
    let site = Published::new(DOCS);
    let (folder, url) = (site.octavo.path("docs"), "https://git.example.org/docs/edit/main/");
    site.octavo.run(&["import", folder.to_str().unwrap(), "--space", &site.space, "--edit-url", url]).fine();
    let install = read(&site.export(&[]), "guides/install/index.html");
    assert!(install.contains(&format!("href=\"{url}guides/install.md\" rel=\"noopener\"")), "{install}");
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
    let feed = read(&out, "news/rss.xml");
    for part in [
        format!("<link>{base}/news/</link>"),
        format!("href=\"{base}/news/rss.xml\" rel=\"self\""),
        format!("href=&quot;{base}/guides/install/#linux&quot;"),
        format!("src=&quot;{base}/~/files/"),
    ] {
        assert!(feed.contains(&part), "{part}: {feed}");
    }
    let news = read(&out, "news/index.html");
    assert!(news.contains("type=\"application/rss+xml\" title=\"News\" href=\"rss.xml\""), "{news}");
    for path in ["sitemap.xml", "llms.txt", "guides/install.md", "news/rss.xml"] {
        assert!(!read(&out, path).contains("localhost"), "{path}");
    }
}

#[test]
fn whole_urls_of_the_site_become_links_to_files() {
    let start = "# Welcome\n\nAt [one](https://octavo.example.org/s/product-docs/guides/install),\n\
                 [two](https://docs.example.org/guides/install#linux), [three](http://docs.example.org), and\n\
                 [another site](https://octavo.example.org/s/other/page?q=1).\n";
    let install = "# Install\n\n## Linux\n\nWith [others](https://octavo.example.org/s/product-docs).\n";
    let site = Published::new(&[("README.md", start), ("guides/install.md", install)]);
    site.octavo.run(&["site", "hostname", "product-docs", "docs.example.org"]).fine();
    let out = site.export(&["--public-url", "https://octavo.example.org"]);
    let start = read(&out, "index.html");
    for address in ["guides/install/index.html\" rel", "guides/install/index.html#linux\"", "index.html\" rel"] {
        assert!(start.contains(&format!("href=\"{address}")), "{address}: {start}");
    }
    assert!(start.contains("href=\"https://octavo.example.org/s/other/page?q=1\""), "{start}");
    let install = read(&out, "guides/install/index.html");
    assert!(install.contains("href=\"../../index.html\" rel"), "{install}");
    for page in [start, install] {
        assert!(!page.contains("://docs.example.org") && !page.contains("/s/product-docs"), "{page}");
    }
}

#[test]
fn old_links_lead_on_from_a_page_of_the_export() {
    let config = (".gitbook.yaml", "redirects:\n  legacy/start.html: README.md\n  legacy/gone: gone.md\n");
    let summary = ("SUMMARY.md", "* [Welcome](README.md)\n\n## Guides\n\n* [Setup](setup.md)\n* [Secret](secret.md)\n");
    let (start, secret) = ("# Welcome\n", "---\nhidden: true\n---\n# Secret\n\nOnly with the link.\n");
    let setup = "# Setup\n\nHow to set all of it up, step by step.\n";
    let first = [config, summary, ("README.md", start), ("setup.md", setup), ("secret.md", secret)];
    let site = Published::new(&first);
    let renamed = ["---\nslug: install\n---\n", "---\nslug: canary\n"];
    let (setup, secret) = (renamed[0].to_owned() + setup, secret.replacen("---\n", renamed[1], 1));
    let second = [config, summary, ("README.md", start), ("setup.md", &*setup), ("secret.md", &*secret)];
    let folder = site.octavo.docs("second", &second);
    site.octavo.run(&["import", "--space", &site.space, folder.to_str().unwrap()]).fine();
    let server = site.octavo.start(&["serve"]);
    for body in [
        r#"{"source": "/away", "destination": {"kind": "external", "url": "https://example.org/?a=1&b=2"}}"#,
        r#"{"source": "/v1/*", "captureWildcard": true, "destination": {"kind": "external", "url": "https://example.org/v2?a=1"}}"#,
        r#"{"source": "/guides/install", "destination": {"kind": "external", "url": "https://example.org/taken"}}"#,
        r#"{"source": "/old/*", "captureWildcard": true, "destination": {"kind": "external", "url": "http://localhost/s/product-docs/guides"}}"#,
        r#"{"source": "/all/*", "destination": {"kind": "external", "url": "http://localhost/s/product-docs/guides"}}"#,
        r#"{"source": "/later", "destination": {"kind": "external", "url": "https://example.org/"}, "draft": true}"#,
    ] {
        assert_eq!(server.post(&format!("{}/redirects", site.path), &site.token, body).status, 201, "{body}");
    }
    server.stop().fine();
    let out = site.export(&["--base-url", "https://files.example.org/docs"]);
    let names: Vec<String> = files(&out).into_iter().map(|(path, _)| path).collect();
    let pages = names.iter().filter(|name| name.ends_with("/index.html") && !name.starts_with('~'));
    let pages: Vec<&str> = pages.map(String::as_str).collect();
    let expected = ["away", "guides", "guides/install", "guides/setup", "legacy/start"];
    assert_eq!(pages, expected.map(|path| format!("{path}/index.html")));
    let setup = read(&out, "guides/setup/index.html");
    for part in [
        "<meta http-equiv=\"refresh\" content=\"0;url=../install/index.html\">",
        "<link rel=\"canonical\" href=\"https://files.example.org/docs/guides/install/\">",
        "<a href=\"../install/index.html\">",
    ] {
        assert!(setup.contains(part), "{part}: {setup}");
    }
    assert!(read(&out, "legacy/start/index.html").contains("url=../../index.html\""));
    assert!(read(&out, "away/index.html").contains("content=\"0;url=https://example.org/?a=1&amp;b=2\""));
    // The rest of a path stays behind the path of a group, which has no page of its own.
    let list = "/docs/all/* https://files.example.org/docs/guides/install/ 302\n\
                /docs/old/* https://files.example.org/docs/guides/:splat 302\n\
                /docs/v1/* https://example.org/v2/:splat?a=1 302\n";
    assert_eq!(read(&out, "_redirects"), list);
    assert!(!files(&out).iter().any(|(_, bytes)| String::from_utf8_lossy(bytes).contains("canary")), "{names:?}");
}

#[test]
fn no_page_of_an_export_takes_the_file_of_another_one() {
    let slugs = ["Guide", "guide", "index.html", "404.html", "guide.md"];
    let pages: Vec<(&str, &str)> = ["a.md", "b.md", "c.md", "d.md", "e.md"].into_iter().zip(slugs).collect();
    let diagram = "```mermaid\ngraph TD\n  A --> B\n```";
    let text = |(file, slug): &(&str, &str)| {
        format!("---\nslug: {slug}\n---\n# Page {file}\n\nThe text of {file}.\n\n{diagram}\n")
    };
    let texts: Vec<String> = pages.iter().map(text).collect();
    let summary: String = pages.iter().map(|(file, _)| format!("* [Page {file}]({file})\n")).collect();
    let summary = format!("* [Welcome](README.md)\n{summary}");
    let mut docs = vec![("README.md", "# Welcome\n\nThe text of README.\n"), ("SUMMARY.md", summary.as_str())];
    docs.extend(pages.iter().zip(&texts).map(|((file, _), text)| (*file, text.as_str())));
    let site = Published::new(&docs);
    let out = site.export(&["--base-url", "https://files.example.org"]);
    let all = files(&out);
    let mut paths: Vec<String> = all.iter().map(|(path, _)| path.to_lowercase()).collect();
    paths.sort();
    paths.dedup();
    assert_eq!(paths.len(), all.len(), "no two are one file where case does not matter");
    let sitemap = read(&out, "sitemap.xml");
    for file in ["README", "a.md", "b.md", "c.md", "d.md", "e.md"] {
        let has = |(path, bytes): &&(String, Vec<u8>)| {
            path.ends_with("index.html") && String::from_utf8_lossy(bytes).contains(&format!("The text of {file}."))
        };
        let pages: Vec<&str> = all.iter().filter(has).map(|(path, _)| path.as_str()).collect();
        let [page] = *pages else { panic!("{file}: {pages:?}") };
        let folder = page.strip_suffix("index.html").unwrap();
        assert!(sitemap.contains(&format!("<loc>https://files.example.org/{folder}</loc>")), "{folder}: {sitemap}");
    }
    assert!(read(&out, "404.html").contains("noindex"), "it is the page for addresses that lead nowhere");
}

#[test]
fn an_export_replaces_an_earlier_one_with_force_and_never_other_files() {
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
        ("partners", "is not public"),
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
