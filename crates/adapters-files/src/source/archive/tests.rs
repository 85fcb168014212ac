use super::*;
use rstest::rstest;
use std::io::Write;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

fn stored() -> SimpleFileOptions {
    SimpleFileOptions::default().compression_method(CompressionMethod::Stored)
}

fn archive(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (path, content) in files {
        writer.start_file(*path, SimpleFileOptions::default()).unwrap();
        writer.write_all(content).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

fn open(archive: Vec<u8>) -> Result<ZipSource, SourceError> {
    ZipSource::from_bytes("docs", archive.into(), Limits::default())
}

fn refusal(archive: Vec<u8>) -> String {
    open(archive).expect_err("refused").to_string()
}

/// The error of reading a file from an archive that passes the check as a whole.
fn refusal_of_file(archive: Vec<u8>, path: &str) -> String {
    open(archive).unwrap().read(path).expect_err("refused").to_string()
}

/// Replaces every `old` by `new` of the same length: for names in headers that the zip writer would refuse.
fn patched(mut archive: Vec<u8>, old: &[u8], new: &[u8]) -> Vec<u8> {
    assert_eq!(old.len(), new.len());
    let mut count = 0;
    for at in 0..archive.len() - old.len() {
        if archive[at..].starts_with(old) {
            archive[at..at + old.len()].copy_from_slice(new);
            count += 1;
        }
    }
    assert!(count > 0);
    archive
}

/// The offset of the first file header in the central directory.
fn central(archive: &[u8]) -> usize {
    archive.windows(4).position(|four| four == b"PK\x01\x02").unwrap()
}

fn set(archive: &mut [u8], at: usize, value: u32) {
    archive[at..at + 4].copy_from_slice(&value.to_le_bytes());
}

#[test]
fn files_are_read_by_their_paths() {
    let source = open(archive(&[("README.md", b"# A"), ("img/x.png", b"png")])).unwrap();
    assert_eq!(source.tree().paths().collect::<Vec<_>>(), ["README.md", "img/x.png"]);
    assert_eq!(source.read("README.md").unwrap(), "# A");
    assert_eq!(source.read("img/x.png").unwrap(), "png");
    assert_eq!(source.read("img/x.png").unwrap(), "png", "and again");
    assert_eq!(source.name(), "docs");
}

#[rstest]
#[case(&["repo/README.md", "repo/a/b.md", "__MACOSX/repo/._README.md"], &["README.md", "a/b.md"])]
#[case(&["repo/README.md", "LICENSE"], &["LICENSE", "repo/README.md"])]
#[case(&["repo/a/b.md", "repo/a/c.md"], &["a/b.md", "a/c.md"])]
fn a_single_folder_at_the_top_is_entered(#[case] files: &[&str], #[case] expected: &[&str]) {
    let files: Vec<(&str, &[u8])> = files.iter().map(|path| (*path, b"x".as_slice())).collect();
    assert_eq!(open(archive(&files)).unwrap().tree().paths().collect::<Vec<_>>(), expected);
}

#[test]
fn files_outside_documentation_are_left_out() {
    let source = open(archive(&[
        ("r/README.md", b""),
        ("r/.git/config", b""),
        ("r/x/.DS_Store", b""),
        ("r/build/x.md", b""),
        ("r/.gitignore", b"build/"),
    ]));
    assert_eq!(source.unwrap().tree().paths().collect::<Vec<_>>(), [".gitignore", "README.md"]);
}

#[rstest]
#[case(b"../evil.md", "..")]
#[case(b"a/../../ev", "..")]
#[case(b"/etc/passw", "absolute")]
#[case(b"C:\\evil.md", "backslash")]
#[case(b"C:/evil.md", "drive")]
#[case(b"evil\0.md..", "control")]
#[case(b"e\xe2\x80\xae\xe2\x80\xae.md", "direction-changing")]
#[case(b"a//b/c/d.e", "empty names")]
#[case(b"./a/b/c.md", "empty names or \".\"")]
fn a_name_that_leads_outside_is_refused(#[case] name: &[u8], #[case] rule: &str) {
    let plain = archive(&[("placehold.", b"x")]);
    // Names are cut or padded to ten characters, so that all have the same length.
    let mut name = name.to_vec();
    name.resize(10, b'x');
    let error = refusal(patched(plain, b"placehold.", &name));
    assert!(error.contains(rule), "{error}");
}

#[test]
fn a_name_in_an_unknown_encoding_is_only_a_strange_name() {
    let plain = archive(&[("pla\u{e7}e.md", b"x")]);
    let broken = patched(plain, "pla\u{e7}e.md".as_bytes(), b"pla\xff\xfee.md");
    match open(broken) {
        Err(error) => assert!(error.to_string().contains("name"), "{error}"),
        Ok(source) => assert!(source.tree().paths().all(|path| check_path(path).is_ok())),
    }
}

#[rstest]
#[case("a.md", "A.md", "case")]
#[case("é.md", "e\u{301}.md", "encoding")]
#[case("f/a.md", "F/b.md", "case")]
#[case("a", "a/b.md", "both a file and a folder")]
fn names_that_collide_are_refused(#[case] one: &str, #[case] other: &str, #[case] rule: &str) {
    let error = refusal(archive(&[("z.md", b""), (one, b""), (other, b"")]));
    assert!(error.contains(rule), "{error}");
}

#[test]
fn a_duplicate_file_is_refused() {
    let twice = patched(archive(&[("aaaa.md", b"1"), ("bbbb.md", b"2")]), b"bbbb.md", b"aaaa.md");
    assert_eq!(refusal(twice), "aaaa.md: an archive must not contain a file twice");
}

#[test]
fn a_symbolic_link_is_refused() {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    writer.add_symlink("link", "/etc/passwd", SimpleFileOptions::default()).unwrap();
    writer.start_file("z.md", SimpleFileOptions::default()).unwrap();
    assert!(refusal(writer.finish().unwrap().into_inner()).contains("symbolic links"));
}

#[test]
fn a_device_or_pipe_is_refused() {
    let mut made = archive(&[("pipe", b"")]);
    let at = central(&made);
    set(&mut made, at + 38, 0o010_644 << 16);
    assert!(refusal(made).contains("regular files"), "a pipe");
}

#[test]
fn an_encrypted_archive_is_refused() {
    // Only the flag: an encrypted entry is refused without decrypting it.
    let mut made = archive(&[("a.md", b"secret")]);
    let at = central(&made);
    made[at + 8] |= 1;
    made[6] |= 1;
    assert!(refusal(made).contains("encrypted"));
}

#[test]
fn a_bomb_is_refused_before_anything_is_unpacked() {
    let zeros = vec![0; 11 << 20];
    let error = refusal(archive(&[("bomb.md", &zeros)]));
    assert_eq!(error, "bomb.md: content larger than 10 MiB must not be compressed more than 1:200");
    let many: Vec<(String, &[u8])> = (0..3).map(|at| (format!("{at}.md"), &zeros[..4 << 20])).collect();
    let many: Vec<(&str, &[u8])> = many.iter().map(|(path, content)| (path.as_str(), *content)).collect();
    assert!(refusal(archive(&many)).starts_with("docs: content larger than 10 MiB"), "many small ones");
}

#[rstest]
#[case(Limits { file_bytes: 4, ..Limits::default() }, "b.md: a file must not exceed 4 bytes")]
#[case(Limits { total_bytes: 7, ..Limits::default() }, "b.md: all files together must not exceed 7 bytes")]
#[case(Limits { text_bytes: 7, ..Limits::default() }, "all Markdown and YAML files together must not exceed 7 bytes")]
#[case(Limits { entries: 1, ..Limits::default() }, "docs: must have at most 1 files and folders, not 2")]
#[case(Limits { depth: 1, ..Limits::default() }, "must be at most 1 folders deep")]
fn more_than_the_limits_allow_is_refused(#[case] limits: Limits, #[case] expected: &str) {
    let made = archive(&[("a.md", b"123"), ("f/b.md", b"12345")]);
    let error = ZipSource::from_bytes("docs", made.into(), limits).expect_err("refused").to_string();
    assert!(error.contains(expected), "{error}");
}

#[rstest]
#[case(3)]
#[case(9)]
fn a_size_that_lies_is_refused(#[case] lie: u32) {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    writer.start_file("a.md", SimpleFileOptions::default()).unwrap();
    writer.write_all(b"12345").unwrap();
    let mut made = writer.finish().unwrap().into_inner();
    let at = central(&made);
    set(&mut made, at + 24, lie);
    set(&mut made, 22, lie);
    let error = refusal_of_file(made.clone(), "a.md");
    assert!(error.starts_with("a.md: "), "{error}");
    let at = central(&made);
    set(&mut made, at + 24, 5);
    assert!(refusal(made).contains("damaged"), "the two headers differ");
}

#[test]
fn a_wrong_checksum_is_refused() {
    let mut made = archive(&[("a.md", b"12345")]);
    let at = central(&made);
    set(&mut made, at + 16, 7);
    set(&mut made, 14, 7);
    assert!(refusal_of_file(made, "a.md").contains("damaged"));
}

#[test]
fn entries_that_share_bytes_are_refused() {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for name in ["a.bin", "b.bin"] {
        writer.start_file(name, stored()).unwrap();
        writer.write_all(&[7; 100]).unwrap();
    }
    let mut made = writer.finish().unwrap().into_inner();
    // The first file declares the bytes of both.
    let at = central(&made);
    for (central_field, local_field) in [(20, 18), (24, 22)] {
        set(&mut made, at + central_field, 200);
        set(&mut made, local_field, 200);
    }
    let error = refusal(made);
    assert!(error.contains("overlaps") || error.contains("damaged"), "{error}");
}

#[test]
fn a_million_entries_are_refused_without_reading_them() {
    let mut made = archive(&[("a.md", b"x")]);
    let end = made.len() - 22;
    for field in [8, 10] {
        made[end + field..end + field + 2].copy_from_slice(&60_000u16.to_le_bytes());
    }
    assert!(refusal(made).starts_with("docs: "));
}

#[rstest]
#[case(b"")]
#[case(b"PK\x03\x04")]
#[case(b"PK\x05\x06")]
fn an_invalid_archive_is_refused(#[case] bytes: &[u8]) {
    assert!(refusal(bytes.to_vec()).starts_with("docs: "));
}

#[test]
fn an_archive_cut_short_or_with_any_byte_changed_never_panics() {
    let made = archive(&[("README.md", b"# Title\n"), ("a/b.png", &[1, 2, 3, 4])]);
    for length in 0..made.len() {
        let _ = open(made[..length].to_vec());
    }
    for at in 0..made.len() {
        for change in [1, 0x80, 0xff] {
            let mut changed = made.clone();
            changed[at] ^= change;
            if let Ok(source) = open(changed) {
                for path in source.tree().paths().map(str::to_owned).collect::<Vec<_>>() {
                    let _ = source.read(&path);
                }
            }
        }
    }
}

#[test]
fn an_archive_inside_an_archive_is_a_file_like_others() {
    let inner = archive(&[("../evil.md".replace("..", "xx").as_str(), b"x")]);
    let source = open(archive(&[("a.md", b""), ("inner.zip", &inner)])).unwrap();
    assert_eq!(source.tree().paths().collect::<Vec<_>>(), ["a.md", "inner.zip"]);
}
