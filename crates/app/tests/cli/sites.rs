//! `octavo site`: creating, publishing and addressing docs sites.
use crate::harness::Octavo;

#[test]
fn a_site_is_created_published_and_taken_offline_while_the_server_runs() {
    let (octavo, token) = Octavo::started_once();
    let docs = octavo.docs("docs", &[("README.md", "# Welcome\n"), ("install.md", "# Install\n")]);
    octavo.run(&["import", docs.to_str().unwrap()]).fine();
    let server = octavo.start(&["serve"]);
    let organization = server.get("/v1/orgs", &token).json()["items"][0]["id"].as_str().unwrap().to_owned();
    let spaces = server.get(&format!("/v1/orgs/{organization}/spaces"), &token).json();
    let space = spaces["items"][0]["id"].as_str().unwrap();
    assert!(octavo.run(&["site", "list"]).fine().stderr.contains("There are no sites."));
    let made =
        octavo.run(&["site", "create", "Product docs", "--space", space, "--visibility", "unlisted"]).fine().stderr;
    assert!(made.contains("Created the site product-docs") && made.contains("not published yet"), "{made}");
    assert_eq!(server.get("/s/product-docs/install", "").status, 404);
    assert!(octavo.run(&["site", "publish", "Product-Docs"]).fine().stderr.contains("product-docs is published"));
    let page = server.get("/s/product-docs/install", "");
    assert!(page.status == 200 && page.body.contains("<h1"), "{}", page.body);
    let listed = octavo.run(&["site", "list", "--json"]).fine().json();
    assert_eq!((&listed[0]["basename"], &listed[0]["visibility"]), (&"product-docs".into(), &"unlisted".into()));
    let table = octavo.run(&["site", "list"]).fine().stdout;
    assert!(table.lines().any(|line| line.contains("product-docs") && line.contains("published")), "{table}");
    let id = listed[0]["id"].as_str().unwrap();
    octavo.run(&["site", "unpublish", id]).fine();
    assert_eq!(server.get("/s/product-docs/install", "").status, 404);
    server.stop().fine();
}

#[test]
fn a_host_name_is_set_and_removed() {
    let (octavo, _token) = Octavo::started_once();
    octavo.run(&["site", "create", "Docs"]).fine();
    octavo.run(&["site", "create", "Other"]).fine();
    octavo.run(&["site", "hostname", "docs", "docs.example.org"]).fine();
    let hostname = |at: usize| octavo.run(&["site", "list", "--json"]).fine().json()[at]["hostname"].clone();
    assert!([hostname(0), hostname(1)].contains(&"docs.example.org".into()));
    let taken = octavo.run(&["site", "hostname", "other", "docs.example.org"]);
    assert!(taken.code == 1 && taken.stderr.contains("hostname"), "{}", taken.stderr);
    octavo.run(&["site", "hostname", "docs", "--remove"]).fine();
    assert!(!hostname(0).is_string() && !hostname(1).is_string());
    for (wrong, told) in [
        (&["site", "hostname", "docs"][..], "<HOSTNAME>"),
        (&["site", "hostname", "docs", "not a host"][..], "HOSTNAME"),
        (&["site", "create", "Docs", "--visibility", "nobody"][..], "visibility"),
    ] {
        let refused = octavo.run(wrong);
        assert!(refused.code == 2 && refused.stderr.contains(told), "{}", refused.stderr);
    }
    let missing = octavo.run(&["site", "publish", "nothing"]);
    assert!(missing.code == 1 && missing.stderr.contains("there is no site nothing"), "{}", missing.stderr);
    assert!(missing.stderr.contains("docs"), "it names those that there are: {}", missing.stderr);
}
