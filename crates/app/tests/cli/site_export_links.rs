//! Where the links of an exported site lead, and the names of its files.
use crate::harness::{Octavo, files};
use crate::site_export::{Published, assert_that_links_work, read};

/// A page at the start with links to all that can be at the address of a server.
fn links(server: &str) -> String {
    format!(
        "# Welcome\n\n[API]({server}/docs/tokens?a=1#top), [spaces]({server}/v1/orgs),\n\
         [install]({server}/guides/install?from=here#linux), [named]({server}/s/product-docs/guides/install),\n\
         [other]({server}/s/other/page?q=1), and [gone]({server}/no/such/page).\n"
    )
}

#[test]
fn a_site_at_the_root_has_links_to_the_server_if_its_url_is_known() {
    let install = ("guides/install.md", "# Install\n\n## Linux\n\nAll.\n");
    let server = "https://octavo.example.org";
    let site = Published::new(&[("README.md", &links(server)), install]);
    let (out, said) = site.exported(&["--root-site", "product-docs", "--public-url", server]);
    let start = read(&out, "index.html");
    for address in ["/docs/tokens?a=1#top", "/v1/orgs", "/s/other/page?q=1"] {
        assert!(start.contains(&format!("href=\"{server}{address}\"")), "{address}: {start}");
    }
    for address in ["guides/install/index.html#linux\" rel", "guides/install/index.html\" rel"] {
        assert!(start.contains(&format!("href=\"{address}")), "{address}: {start}");
    }
    assert!(said.contains("lead nowhere") && said.contains(&format!("\n  {server}/no/such/page\n")), "{said}");
    assert_eq!(said.matches(server).count(), 1, "{said}");

    let server = "http://localhost";
    let folder = site.octavo.docs("second", &[("README.md", &links(server)), install]);
    site.octavo.run(&["import", "--space", &site.space, folder.to_str().unwrap()]).fine();
    let (out, said) = site.exported(&["--root-site", "product-docs", "--force"]);
    let start = read(&out, "index.html");
    assert!(start.contains("href=\"guides/install/index.html#linux\" rel") && start.contains("API"), "{start}");
    for address in ["/docs/tokens?a=1", "/v1/orgs", "/s/other/page?q=1", "/no/such/page"] {
        assert!(said.contains(&format!("\n  {server}{address}\n")), "{address}: {said}");
    }
    assert_eq!(said.matches(server).count(), 4, "{said}");
}

#[test]
fn markdown_leads_to_files_where_authors_wrote_whole_urls() {
    let start = "# Welcome\n\nAt [one](https://octavo.example.org/s/product-docs/guides/install#linux), as\n\
                 [Markdown](https://octavo.example.org/s/product-docs/guides/install.md), in\n\
                 [the list](https://octavo.example.org/s/product-docs/llms.txt), and\n\
                 [nowhere](https://octavo.example.org/s/product-docs/gone).\n";
    let site = Published::new(&[("README.md", start), ("guides/install.md", "# Install\n\n## Linux\n\nAll.\n")]);
    let to = "https://files.example.org";
    let (out, said) = site.exported(&["--public-url", "https://octavo.example.org", "--base-url", to]);
    let found =
        files(&out).into_iter().find(|(path, bytes)| path.ends_with(".md") && bytes.starts_with(b"# Welcome\n"));
    let markdown = String::from_utf8(found.unwrap().1).unwrap();
    for link in
        ["[one](https://files.example.org/guides/install/#linux)", "[the list](https://files.example.org/llms.txt)"]
    {
        assert!(markdown.contains(link), "{link}: {markdown}");
    }
    assert!(markdown.contains("[Markdown](https://files.example.org/guides/install.md)"), "{markdown}");
    assert!(markdown.contains("nowhere") && !markdown.contains("octavo.example.org"), "{markdown}");
    let html = read(&out, "index.html");
    for address in ["guides/install.md", "llms.txt"] {
        assert!(html.contains(&format!("href=\"{address}\" rel")), "{address}: {html}");
    }
    assert!(said.contains("\n  https://octavo.example.org/s/product-docs/gone\n"), "{said}");
}

#[test]
fn lists_name_the_files_that_are_there() {
    let slugs = ["Guide", "guide", "guide.md", "CON", "v1.", "index", "_redirects", "größe"];
    let names: Vec<String> = (0..slugs.len()).map(|number| format!("page-{number}.md")).collect();
    let text = |number: usize| {
        format!("---\nslug: {}\n---\n# Page {number}\n\nThe text of {number}.\n\n## Größe\n\nAll.\n", slugs[number])
    };
    let texts: Vec<String> = (0..slugs.len()).map(text).collect();
    let list: String = names.iter().map(|name| format!("* [{name}]({name})\n")).collect();
    let summary = format!("* [Welcome](README.md)\n{list}");
    let start = "# Welcome\n\nOn [sizes](page-7.md#größe), and [others](page-3.md).\n";
    let mut docs = vec![("README.md", start), ("SUMMARY.md", summary.as_str())];
    docs.extend(names.iter().map(String::as_str).zip(texts.iter().map(String::as_str)));
    let site = Published::new(&docs);
    let server = site.octavo.start(&["serve"]);
    let body = r#"{"source": "/old/*", "destination": {"kind": "external", "url": "https://example.org/"}}"#;
    assert_eq!(server.post(&format!("{}/redirects", site.path), &site.token, body).status, 201);
    server.stop().fine();
    let to = "https://files.example.org/";
    let out = site.export(&["--base-url", to]);
    let llms = read(&out, "llms.txt");
    let listed: Vec<&str> =
        llms.split(&format!("]({to}")).skip(1).map(|rest| rest.split(')').next().unwrap()).collect();
    let mut found = Vec::new();
    for path in &listed {
        let markdown = read(&out, &path.replace("gr%C3%B6%C3%9Fe", "größe"));
        found.extend(markdown.split("The text of ").nth(1).map(|rest| rest.split('.').next().unwrap().to_owned()));
    }
    found.sort();
    assert_eq!((found.len(), listed.len()), (slugs.len(), slugs.len() + 1), "{found:?}: {llms}");
    found.dedup();
    assert_eq!(found.len(), slugs.len(), "each is another page: {llms}");
    for path in ["CON~/index.html", "CON~.md", "v1.~/index.html", "index/index.html", "_redirects~2/index.html"] {
        assert!(out.join(path).is_file(), "{path}");
    }
    assert_eq!(read(&out, "_redirects"), "/old/* https://example.org/ 302\n");
    let start = read(&out, "index.html");
    assert!(start.contains("href=\"CON~/index.html\""), "{start}");
    let anchor = start.split("href=\"gr%C3%B6%C3%9Fe/index.html#").nth(1).unwrap().split('"').next().unwrap();
    let anchor = anchor.replace("%C3%B6", "ö").replace("%C3%9F", "ß");
    assert!(read(&out, "größe/index.html").contains(&format!("id=\"{anchor}\"")), "{anchor}");
}

#[test]
fn a_site_whose_default_space_is_empty_starts_with_its_first_page() {
    let (octavo, token) = Octavo::started_once();
    let folder = octavo.docs("docs", &[("README.md", "# Welcome\n\nHere.\n"), ("install.md", "# Install\n\nAll.\n")]);
    let imported = octavo.run(&["import", "--json", folder.to_str().unwrap()]).fine().json();
    let full = imported["space"].as_str().unwrap();
    let server = octavo.start(&["serve"]);
    let organization = server.get("/v1/orgs", &token).json()["items"][0]["id"].as_str().unwrap().to_owned();
    let made =
        server.post(&format!("/v1/orgs/{organization}/spaces"), &token, r#"{"title": "Nothing yet", "empty": true}"#);
    server.stop().fine();
    assert_eq!(made.status, 201, "{}", made.body);
    let made: serde_json::Value = serde_json::from_str(&made.body).unwrap();
    let empty = made["id"].as_str().unwrap();
    octavo.run(&["site", "create", "Product docs", "--space", empty, "--space", full]).fine();
    octavo.run(&["site", "publish", "product-docs"]).fine();
    let out = octavo.path("out");
    octavo.run(&["site", "export", "product-docs", out.to_str().unwrap()]).fine();
    assert_that_links_work(&out);
    let (start, welcome) = files(&out).into_iter().fold((String::new(), String::new()), |found, (path, bytes)| {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        match path.as_str() {
            "index.html" => (text, found.1),
            path if path.ends_with("/index.html") && text.contains("<p>Here.</p>") => (found.0, path.to_owned()),
            _ => found,
        }
    });
    assert!(!welcome.is_empty() && start.contains(&format!("content=\"0;url={welcome}\"")), "{welcome}: {start}");
}

#[test]
fn the_pages_and_old_paths_of_a_section_with_a_name_of_the_server_are_beside_the_server() {
    let site = Published::new(&[("README.md", "# Welcome\n\nHere.\n")]);
    let folder = site.octavo.docs("more", &[("README.md", "# Start\n"), ("install.md", "# Install\n\nThis way.\n")]);
    let imported = site.octavo.run(&["import", "--json", folder.to_str().unwrap()]).fine().json();
    let space = imported["space"].as_str().unwrap();
    let body = format!("{{\"spaceId\": \"{space}\", \"title\": \"Docs\"}}");
    let site = Published { octavo: site.octavo.with("OCTAVO_ROOT_SITE", "product-docs"), ..site };
    let server = site.octavo.start(&["serve"]);
    let made = server.post(&format!("{}/sections", site.path), &site.token, &body);
    assert_eq!(made.status, 201, "{}", made.body);
    assert!(server.get("/docs", "").body.contains("Octavo API"));
    let start = server.get("/", "").body;
    let section = start.split("href=\"").skip(1).map(|rest| rest.split('"').next().unwrap());
    let section = section.into_iter().find(|href| href.starts_with("/~/at/docs/")).unwrap_or_else(|| panic!("{start}"));
    let page = server.get(&format!("{section}/install"), "");
    assert!(page.status == 200 && page.body.contains("This way."), "{}", page.body);
    let markdown = server.get(&format!("{section}/install.md"), "");
    assert!(markdown.status == 200 && markdown.body.starts_with("# Install\n"), "{}", markdown.body);
    assert_eq!(server.get("/~/at/nothing", "").status, 404);
    server.stop().fine();
    let renamed = ("install.md", "---\nslug: setup\n---\n# Install\n\nThis way.\n");
    let folder = site.octavo.docs("renamed", &[("README.md", "# Start\n"), renamed]);
    site.octavo.run(&["import", "--space", space, folder.to_str().unwrap()]).fine();
    let out = site.export(&[]);
    let [page, old] = ["setup", "install"].map(|name| read(&out, &format!("{}/{name}/index.html", &section[1..])));
    assert!(page.contains("This way.") && old.contains("content=\"0;url=../setup/index.html\""), "{old}");
}
