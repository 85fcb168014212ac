//! The files that settings in JavaScript and TypeScript import values from: those of the repository, by relative
//! addresses.
use super::literal::Imports;
use super::navigation::Files;
use super::path;

/// Extensions of files with values.
const EXTENSIONS: [&str; 9] = ["ts", "js", "mts", "mjs", "cts", "cjs", "tsx", "jsx", "json"];

/// Extensions in addresses, and those of the files that they can also mean.
const COMPILED: [(&str, &str); 4] = [(".js", ".ts"), (".mjs", ".mts"), (".cjs", ".cts"), (".jsx", ".tsx")];

/// The name of the file that stands for its folder, without an extension.
const INDEX: &str = "index";

impl Imports for Files<'_> {
    fn find(&self, from: &str, address: &str) -> Option<String> {
        let place = path::resolve(path::folder(from), address)?;
        let exists = |path: String| self.tree.contains(&path).then_some(path);
        let with_extension = |stem: &str| EXTENSIONS.iter().find_map(|extension| exists(format!("{stem}.{extension}")));
        let has_extension = |path: &String| {
            let extension = path::name(path).rsplit_once('.').map_or("", |(_, extension)| extension);
            EXTENSIONS.contains(&extension)
        };
        let compiled =
            |(of_address, of_file): &(&str, &str)| exists(format!("{}{of_file}", place.strip_suffix(*of_address)?));
        exists(place.clone())
            .filter(has_extension)
            .or_else(|| with_extension(&place))
            .or_else(|| COMPILED.iter().find_map(compiled))
            .or_else(|| with_extension(&path::join(&place, INDEX)))
    }

    fn read(&self, path: &str) -> Option<String> {
        self.text(path)
    }
}

#[cfg(test)]
mod tests {
    use super::super::source::SourceTree;
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("./x", Some("a/x.ts"))]
    #[case("./x.js", Some("a/x.ts"))]
    #[case("./y.json", Some("a/y.json"))]
    #[case("./y", Some("a/y.json"))]
    #[case("./z", Some("a/z/index.mjs"))]
    #[case("./z/", Some("a/z/index.mjs"))]
    #[case("../b.c", Some("b.c.js"))]
    #[case("./page.md", None)]
    #[case("./gone", None)]
    #[case("../../a/x", None)]
    fn a_relative_address_means_a_file_with_values(#[case] address: &str, #[case] expected: Option<&str>) {
        let mut tree = SourceTree::default();
        let paths = ["a/x.ts", "a/y.json", "a/z/index.mjs", "b.c.js", "a/page.md"];
        paths.into_iter().for_each(|path| tree.insert(path));
        let read = |_: &str| None;
        let files = Files::new(&tree, &read);
        assert_eq!(files.find("a/sidebars.ts", address).as_deref(), expected);
    }
}
