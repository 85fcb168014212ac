//! The data folder and the database.
use super::{InstanceSecret, Shared};
use crate::failure::Failure;
use adapters_diesel::Database;
use anyhow::{Context, Result};
use domain::ports::Secrets;
use std::fs;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// The file with the instance's secret.
const SECRET_FILE: &str = "secret";

/// The data folder and the database, which can be elsewhere.
#[derive(Clone)]
pub(crate) struct Place {
    data_dir: PathBuf,
    database_url: Option<String>,
}

impl Place {
    /// Checks the settings.
    ///
    /// # Errors
    /// If the URL of the database is invalid. The error does not contain the URL, since it can hold a password.
    pub(crate) fn new(shared: &Shared) -> Result<Self> {
        let place = Self { data_dir: shared.data_dir.clone(), database_url: shared.database_url.clone() };
        if place.data_dir.as_os_str().is_empty() {
            return Err(Failure::usage("OCTAVO_DATA_DIR (--data-dir): must not be empty")
                .advise("name a folder")
                .into());
        }
        Database::check(&place.database_url()).map_err(|error| {
            Failure::usage(format!("DATABASE_URL (--database-url): {error:#}"))
                .advise("use postgres://user:password@host/database, or the path of a SQLite file")
        })?;
        Ok(place)
    }

    pub(crate) fn database_url(&self) -> String {
        let own = || self.data_dir.join("octavo.db").to_string_lossy().into_owned();
        self.database_url.clone().unwrap_or_else(own)
    }

    /// The name of the database for people, without a password.
    pub(crate) fn database(&self) -> String {
        Database::name(&self.database_url())
    }

    /// The hosts and ports of the database; none for SQLite.
    pub(crate) fn database_endpoints(&self) -> Vec<(String, u16)> {
        Database::endpoints(&self.database_url())
    }

    pub(crate) fn data_dir(&self) -> &Path {
        &self.data_dir
    }

    /// The folder of uploaded and imported files.
    pub(crate) fn files(&self) -> PathBuf {
        self.data_dir.join("files")
    }

    /// Creates the data folder if it does not exist, and the private files and folders in it, all readable only by
    /// their owner. Checks that the folder is writable.
    ///
    /// # Errors
    /// If the folder cannot be created or written to.
    pub(crate) fn create(&self) -> Result<()> {
        self.make_folder().and_then(|()| self.try_writing()).map_err(|error| {
            Failure::new(format!("cannot use the data folder {}", self.data_dir.display()))
                .advise("choose a folder that this user can write to with --data-dir (OCTAVO_DATA_DIR)")
                .because(error)
                .into()
        })
    }

    fn make_folder(&self) -> std::io::Result<()> {
        let mut folder = fs::DirBuilder::new();
        folder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut folder, 0o700);
        folder.create(&self.data_dir)?;
        // The data folder can be an existing one that others can read.
        folder.create(self.files())?;
        if self.database_url.is_some() {
            return Ok(());
        }
        let mut database = fs::OpenOptions::new();
        database.append(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut database, 0o600);
        // SQLite treats an empty file as a new database, and gives its other files the same mode.
        match database.open(self.database_file()) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(error),
            _ => Ok(()),
        }
    }

    /// The default SQLite file.
    fn database_file(&self) -> PathBuf {
        self.data_dir.join("octavo.db")
    }

    /// Also checks for free space: SQLite reports a full disk as a broken one if it has no room for its index.
    fn try_writing(&self) -> std::io::Result<()> {
        let mut draft = self.unnamed(".writable-")?;
        draft.write_all(&[0; 64 * 1024])?;
        draft.close()
    }

    /// Checks that data exists, so that a command with a mistyped folder or file does not create a new database.
    ///
    /// # Errors
    /// If there is no data, or this user may not look for it.
    pub(crate) fn expect_data(&self) -> Result<()> {
        let folder = (self.data_dir.clone(), true);
        let database = Database::file(&self.database_url()).map(|file| (file, false));
        for (path, is_folder) in std::iter::once(folder).chain(database) {
            check_data(&path, fs::metadata(&path).map(|found| found.is_dir() == is_folder))?;
        }
        Ok(())
    }

    /// The instance's secret, and whether this call created it: it is created at the first start, and read at later
    /// ones. Two servers that start at once get the same secret.
    ///
    /// # Errors
    /// If the file cannot be read or written, or is damaged.
    pub(crate) fn secret(&self, random: &dyn Secrets) -> Result<(InstanceSecret, bool)> {
        let path = self.data_dir.join(SECRET_FILE);
        let (kept, is_new) = match self.recall(SECRET_FILE)? {
            Some(kept) => (kept, false),
            None => {
                let made = InstanceSecret(random.random());
                // The first server to name the file wins; the others read its secret.
                let written = self.draft(&made.to_hex());
                match written.and_then(|draft| Ok(draft.persist_noclobber(&path)?)) {
                    Err(error) if error.kind() != ErrorKind::AlreadyExists => {
                        return Err(error).with_context(|| format!("cannot write {}", path.display()));
                    }
                    written => (self.recall(SECRET_FILE)?.unwrap_or_default(), written.is_ok()),
                }
            }
        };
        let secret = InstanceSecret::from_hex(&kept).map_err(|rule| {
            Failure::new(format!("the instance's secret {} is damaged: it {rule}", path.display())).advise(
                "restore it from a backup; if there is none, delete it: page tokens, download links, invites by link \
                 and share links then become invalid, and secrets of webhooks and private keys of sites change",
            )
        })?;
        Ok((secret, is_new))
    }

    /// Whether the data folder has a secret that differs from this one.
    pub(crate) fn has_other_secret(&self, secret: InstanceSecret) -> bool {
        // The file is not used, so it does not matter whether it can be read.
        let kept = self.recall(SECRET_FILE).ok().flatten();
        kept.is_some_and(|kept| InstanceSecret::from_hex(&kept) != Ok(secret))
    }

    /// The line in a file of the data folder; `None` if the file does not exist.
    ///
    /// # Errors
    /// If the file exists and cannot be read.
    pub(crate) fn recall(&self, name: &str) -> Result<Option<String>> {
        let path = self.data_dir.join(name);
        match fs::read_to_string(&path) {
            Ok(line) => Ok(Some(line.trim().to_owned())),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error).with_context(|| format!("cannot read {}", path.display())),
        }
    }

    /// Stores a line in a file of the data folder that only its owner can read; replaces the earlier line.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub(crate) fn remember(&self, name: &str, line: &str) -> Result<()> {
        let path = self.data_dir.join(name);
        let written = self.draft(line).and_then(|draft| Ok(draft.persist(&path)?));
        written.map(drop).with_context(|| format!("cannot write {}", path.display()))
    }

    /// Writes a line to a temporary file, so that the file gets its name only when it is complete.
    fn draft(&self, line: &str) -> std::io::Result<NamedTempFile> {
        let mut file = self.unnamed(".draft-")?;
        writeln!(file, "{line}")?;
        file.as_file().sync_all()?;
        Ok(file)
    }

    /// An empty temporary file that only its owner can read, and that is deleted unless it gets a name. Its random name
    /// is unique, even for another container with the same folder and the same process id.
    fn unnamed(&self, prefix: &str) -> std::io::Result<NamedTempFile> {
        tempfile::Builder::new().prefix(prefix).tempfile_in(&self.data_dir)
    }
}

/// Checks that data exists at a path, by whether `found` has the expected kind.
fn check_data(path: &Path, found: std::io::Result<bool>) -> Result<(), Failure> {
    match found {
        Ok(true) => Ok(()),
        Err(error) if error.kind() == ErrorKind::PermissionDenied => {
            Err(Failure::new(format!("cannot read {}", path.display()))
                .advise("run the command as the user that runs the server")
                .because(error))
        }
        _ => Err(Failure::new(format!("there is no Octavo data: {} is missing", path.display())).advise(
            "start the server once with `octavo serve`, or set the location of the data with --data-dir \
             (OCTAVO_DATA_DIR) or --database-url (DATABASE_URL)",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    /// Returns constant bytes.
    struct Fixed(u8);
    impl Secrets for Fixed {
        fn random(&self) -> [u8; 32] {
            [self.0; 32]
        }
    }

    fn place(data_dir: &Path, database_url: Option<&str>) -> Place {
        Place { data_dir: data_dir.to_owned(), database_url: database_url.map(str::to_owned) }
    }

    #[rstest]
    #[case(None, "SQLite /data/octavo.db")]
    #[case(Some("/var/lib/octavo.db"), "SQLite /var/lib/octavo.db")]
    #[case(Some("sqlite:///var/lib/octavo.db"), "SQLite /var/lib/octavo.db")]
    #[case(Some("postgres://ada:secret@db:5433/octavo?sslmode=require"), "PostgreSQL db/octavo")]
    #[case(Some("postgres://ada:secret@db"), "PostgreSQL db")]
    #[case(Some("postgres://ada:sec@ret/and,more@db/octavo"), "PostgreSQL db/octavo")]
    #[case(Some("postgres://ada:secret@[::1]:5433/octavo"), "PostgreSQL ::1/octavo")]
    #[case(Some("postgres://ada:secret@a:5432,b:5433/octavo"), "PostgreSQL a,b/octavo")]
    #[case(Some("postgres://ada:secret@%2Frun%2Fpostgresql/octavo"), "PostgreSQL /run/postgresql/octavo")]
    #[case(Some("postgres://ada:secret@/octavo?host=/run/postgresql"), "PostgreSQL /run/postgresql/octavo")]
    #[case(Some("postgres:///octavo?host=db&user=ada&password=secret"), "PostgreSQL db/octavo")]
    fn a_database_is_named_without_its_password(#[case] url: Option<&str>, #[case] named: &str) {
        assert_eq!(place(Path::new("/data"), url).database(), named);
    }

    #[test]
    fn the_secret_is_made_once_and_for_its_owner_only() {
        let folder = tempfile::tempdir().unwrap();
        let place = place(&folder.path().join("a/b"), None);
        place.create().unwrap();
        let secret = |number| place.secret(&Fixed(number)).map(|(secret, is_new)| (secret.0, is_new)).unwrap();
        assert_eq!(secret(1), ([1; 32], true));
        assert_eq!(secret(2), ([1; 32], false), "a second start reads it");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = |path: PathBuf| fs::metadata(path).unwrap().permissions().mode() & 0o777;
            assert_eq!(mode(place.data_dir.clone()), 0o700);
            assert_eq!(mode(place.data_dir.join(SECRET_FILE)), 0o600);
        }
        let mut left: Vec<_> =
            fs::read_dir(place.data_dir()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        left.sort();
        assert_eq!(left, ["files", "octavo.db", SECRET_FILE], "no draft is left behind");
    }

    #[cfg(unix)]
    #[test]
    fn what_is_in_a_folder_that_everybody_can_read_is_for_its_owner_only() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
        let place = place(folder.path(), None);
        place.create().unwrap();
        let mode = |path: PathBuf| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(place.files()), mode(place.database_file())), (0o700, 0o600));
        fs::write(place.database_file(), "kept").unwrap();
        place.create().unwrap();
        assert_eq!(fs::read_to_string(place.database_file()).unwrap(), "kept");
    }

    #[test]
    fn servers_that_start_at_once_have_one_secret_though_their_process_is_called_alike() {
        let folder = tempfile::tempdir().unwrap();
        let place = place(folder.path(), None);
        let start = std::sync::Barrier::new(8);
        let secrets: Vec<(InstanceSecret, bool)> = std::thread::scope(|scope| {
            let begin = |number| {
                let (place, start) = (&place, &start);
                scope.spawn(move || {
                    start.wait();
                    place.create().unwrap();
                    place.secret(&Fixed(number)).unwrap()
                })
            };
            let running: Vec<_> = (0..8).map(begin).collect();
            running.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert!(secrets.iter().all(|(secret, _)| *secret == secrets[0].0));
        assert_eq!(secrets.iter().filter(|(_, is_new)| *is_new).count(), 1, "one of them created it");
        assert_eq!(fs::read_dir(place.data_dir()).unwrap().count(), 3, "no draft is left behind");
    }

    #[test]
    fn a_damaged_secret_is_not_used() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(SECRET_FILE), "+f").unwrap();
        let error = place(folder.path(), None).secret(&Fixed(1)).unwrap_err();
        let text = crate::failure::explain(&error);
        assert!(text.contains("64 hexadecimal digits") && text.contains("next: restore it"), "{text}");
    }

    #[test]
    fn what_is_remembered_replaces_what_was() {
        let folder = tempfile::tempdir().unwrap();
        let place = place(folder.path(), None);
        assert_eq!(place.recall("note").unwrap(), None);
        place.remember("note", "one").unwrap();
        place.remember("note", "two").unwrap();
        assert_eq!(place.recall("note").unwrap().as_deref(), Some("two"));
    }

    #[test]
    fn a_file_in_place_of_the_folder_is_reported_with_the_setting() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "").unwrap();
        let text = crate::failure::explain(&place(&file, None).create().unwrap_err());
        assert!(text.contains("cannot use the data folder") && text.contains("--data-dir"), "{text}");
    }

    #[test]
    fn a_folder_without_data_is_not_initialized_by_a_command() {
        let folder = tempfile::tempdir().unwrap();
        let place = place(folder.path(), None);
        let text = crate::failure::explain(&place.expect_data().unwrap_err());
        assert!(text.contains("octavo.db is missing") && text.contains("octavo serve"), "{text}");
        fs::write(folder.path().join("octavo.db"), "").unwrap();
        assert!(place.expect_data().is_ok());
    }

    #[rstest]
    #[case::closed(Err(ErrorKind::PermissionDenied), "cannot read data: permission denied", "as the user that runs")]
    #[case::missing(Err(ErrorKind::NotFound), "data is missing", "octavo serve")]
    #[case::a_file_for_a_folder(Ok(false), "data is missing", "octavo serve")]
    fn data_of_another_user_is_not_reported_as_missing(
        #[case] found: Result<bool, ErrorKind>,
        #[case] problem: &str,
        #[case] advice: &str,
    ) {
        let failure = check_data(Path::new("data"), found.map_err(std::io::Error::from)).unwrap_err();
        let text = crate::failure::explain(&failure.into());
        assert!(text.contains(problem) && text.contains(advice), "{text}");
    }

    #[test]
    fn a_file_without_data_is_not_initialized_by_a_command() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("elsewhere.db");
        let at = |url: String| place(folder.path(), Some(url.as_str()));
        let urls = [file.display().to_string(), format!("sqlite:{}", file.display())];
        for url in &urls {
            let text = crate::failure::explain(&at(url.clone()).expect_data().unwrap_err());
            assert!(text.contains("elsewhere.db is missing") && text.contains("--database-url"), "{text}");
        }
        fs::write(&file, "").unwrap();
        for url in urls {
            assert!(at(url).expect_data().is_ok());
        }
        assert!(at("postgres://localhost/octavo".to_owned()).expect_data().is_ok(), "only a server knows");
    }
}
