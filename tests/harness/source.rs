//! Documentation for imports, built in memory.
use bytes::Bytes;
use domain::content::import::{InMemory, Source, SourceError, SourceTree};

/// A repository in memory.
pub struct Fixture(InMemory);

impl Fixture {
    /// A repository with these files.
    pub fn new<'a>(name: &str, files: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        Self(InMemory::new(name, files.into_iter().map(|(path, text)| (path, Bytes::from(text.to_owned())))))
    }

    /// A repository of `count` pages, `page-000.md` and so on. Each has its own words: the marker, its number, and both
    /// joined.
    pub fn pages(count: usize, marker: &str) -> Self {
        let page = |n: usize| {
            let text = format!("# Page {n}\n\nThe {marker} {marker}{n} runs.\n\n## More of {n}\n\nAnd on it runs.\n");
            (format!("page-{n:03}.md"), Bytes::from(text))
        };
        Self(InMemory::new("pages", (0..count).map(page)))
    }

    /// A small guide with one of everything that a read must show: a group, nested pages, internal and external links,
    /// a broken link, an image, reusable content, variables and an expression.
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
        self.0.name()
    }

    fn tree(&self) -> &SourceTree {
        self.0.tree()
    }

    fn read(&self, path: &str) -> Result<Bytes, SourceError> {
        self.0.read(path)
    }
}
