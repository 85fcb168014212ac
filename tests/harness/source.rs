//! Documentation to import, made in the test.
use bytes::Bytes;
use domain::content::import::{Source, SourceError, SourceTree};
use std::collections::BTreeMap;

/// A repository in memory.
pub struct Fixture {
    name: String,
    tree: SourceTree,
    files: BTreeMap<String, Bytes>,
}

impl Fixture {
    /// A repository of these files.
    pub fn new<'a>(name: &str, files: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let files: BTreeMap<String, Bytes> =
            files.into_iter().map(|(path, text)| (path.to_owned(), Bytes::from(text.to_owned()))).collect();
        let mut tree = SourceTree::default();
        for (path, bytes) in &files {
            tree.insert(path.as_str(), SourceTree::needs_text(path).then(|| bytes.clone()));
        }
        Self { name: name.to_owned(), tree, files }
    }

    /// A small guide with every sort of thing that reading must show: a group, nested pages, links within and out, a
    /// broken one, an image, a reusable content, variables and an expression.
    pub fn guide() -> Self {
        Self::new(
            "guide",
            [
                (
                    "SUMMARY.md",
                    "# Table of contents\n\n* [Engine Guide](README.md)\n* [Install](install/README.md)\n  * \
                     [On Linux](install/linux.md)\n  * [On macOS](install/macos.md)\n\n## Reference\n\n* [Options](options.md)\n\
                     * [Project](https://example.org/project)\n",
                ),
                (
                    "README.md",
                    "---\ndescription: How the engine is used.\n---\n\n# Engine Guide\n\nBegin with [installing](install/README.md).\n\n\
                     ![The engine](.gitbook/assets/engine.svg)\n\n## What it does\n\nIt weaves *algebraic* patterns.\n",
                ),
                (
                    "install/README.md",
                    "# Install\n\nSee [Linux](linux.md) or [nothing](missing.md).\n\n{% include \"../.gitbook/includes/note.md\" %}\n",
                ),
                (
                    "install/linux.md",
                    "# On Linux\n\nRun `apt install engine`.\n\n## Updating packages\n\nVersion <code class=\"expression\">space.vars.version</code> is the newest. \
                     See [the options](../options.md#verbose) and [the site](https://example.org/).\n",
                ),
                ("install/macos.md", "# On macOS\n\nDownload the package.\n"),
                (
                    "options.md",
                    "# Options\n\n## verbose\n\nTells more.\n\n| Name | Meaning |\n| --- | --- |\n| `quiet` | Tells less |\n",
                ),
                (".gitbook/includes/note.md", "---\ntitle: Note\n---\n\nMind the gears.\n"),
                (".gitbook/vars.yaml", "version: \"1.2\"\n"),
                (
                    ".gitbook/assets/engine.svg",
                    "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"8\" height=\"4\"><script>alert(1)</script></svg>",
                ),
            ],
        )
    }
}

impl Source for Fixture {
    fn name(&self) -> &str {
        &self.name
    }

    fn tree(&self) -> &SourceTree {
        &self.tree
    }

    fn read(&self, path: &str) -> Result<Bytes, SourceError> {
        self.files
            .get(path)
            .cloned()
            .ok_or_else(|| SourceError::Refused { path: path.to_owned(), rule: "is not in the fixture".to_owned() })
    }
}
