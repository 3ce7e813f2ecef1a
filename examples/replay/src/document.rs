//! Documents: files that are written whole or not at all, and never over the input or over one another.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use same_file::Handle;

use crate::cli::Destination;
use crate::error::Error;
use crate::text::shown;

/// A file to be written at the end of a run.
pub(crate) struct Document {
    name: String,
    place: Place,
}

enum Place {
    Stdout,
    /// Beside the file that it replaces when it is complete.
    Beside {
        draft: Draft,
        path: PathBuf,
    },
    /// What is no regular file (a device, a pipe) cannot be replaced.
    Special(File),
}

impl Document {
    /// Finds out whether it can be written, before a long run; a file that is there stays as it is until [`write`](Self::write).
    ///
    /// # Errors
    ///
    /// [`Error::Overwrite`] where it is the input, and a place in which no file can be made.
    pub(crate) fn open(option: &'static str, destination: &Destination, input: Option<&Handle>) -> Result<Self, Error> {
        let path = match destination {
            Destination::Stdout => return Ok(Self { name: "standard output".to_owned(), place: Place::Stdout }),
            Destination::File(path) => path,
        };
        let name = name_of(path);
        refuse_input(option, path, input)?;
        let opened = match fs::metadata(path) {
            Ok(metadata) if metadata.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
            Ok(metadata) if !metadata.is_file() => OpenOptions::new().write(true).open(path).map(Place::Special),
            // What a symbolic link points to is replaced, not the link; and who may read it, still may.
            Ok(metadata) => fs::canonicalize(path).and_then(|path| {
                let draft = Draft::beside(&path)?;
                fs::set_permissions(&draft.path, metadata.permissions())?;
                Ok(Place::Beside { draft, path })
            }),
            Err(_) => Draft::beside(path).map(|draft| Place::Beside { draft, path: path.clone() }),
        };
        let place = opened.map_err(Error::writing(&name))?;
        Ok(Self { name, place })
    }

    /// Writes it, all at once.
    ///
    /// # Errors
    ///
    /// What cannot be written; a file that was there before is then as it was.
    pub(crate) fn write(self, text: &str) -> Result<(), Error> {
        let bytes = text.as_bytes();
        let written = match self.place {
            Place::Stdout => {
                let mut out = io::stdout().lock();
                out.write_all(bytes).and_then(|()| out.flush())
            }
            Place::Special(mut file) => file.write_all(bytes).and_then(|()| file.flush()),
            Place::Beside { mut draft, path } => draft.file.write_all(bytes).and_then(|()| draft.replace(&path)),
        };
        written.map_err(Error::writing(&self.name))
    }
}

/// Refuses to write over what is read.
///
/// # Errors
///
/// [`Error::Overwrite`] where `path` is the input.
pub(crate) fn refuse_input(option: &'static str, path: &Path, input: Option<&Handle>) -> Result<(), Error> {
    // Only a file that is there can be the input; a pipe would wait to be opened twice.
    if path.is_file() && input.is_some() && Handle::from_path(path).ok().as_ref() == input {
        return Err(Error::Overwrite { option, name: name_of(path) });
    }
    Ok(())
}

pub(crate) fn name_of(path: &Path) -> String {
    shown(&path.to_string_lossy(), 200)
}

/// A file under a name of its own, gone again unless it takes another's place.
struct Draft {
    file: File,
    path: PathBuf,
    kept: bool,
}

impl Draft {
    fn beside(path: &Path) -> io::Result<Self> {
        let mut name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?.to_owned();
        name.push(format!(".{}.part", std::process::id()));
        let path = path.with_file_name(name);
        let file = OpenOptions::new().write(true).create_new(true).open(&path)?;
        Ok(Self { file, path, kept: false })
    }

    fn replace(mut self, path: &Path) -> io::Result<()> {
        // What a full disk has to say is said here at the latest.
        self.file.sync_all()?;
        fs::rename(&self.path, path)?;
        self.kept = true;
        Ok(())
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        if !self.kept {
            // If it cannot be removed, it is still named as what it is.
            let _ = fs::remove_file(&self.path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(directory: &Path) -> Vec<String> {
        let names = fs::read_dir(directory).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<_> = names.collect();
        names.sort_unstable();
        names
    }

    #[test]
    fn a_document_appears_whole_and_leaves_nothing_else() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.svg");
        fs::write(&path, "earlier").unwrap();
        let document = Document::open("--plot", &Destination::File(path.clone()), None).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "earlier");
        document.write("later").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "later");
        assert_eq!(files(directory.path()), ["a.svg"]);
    }

    #[test]
    fn one_that_is_not_written_leaves_what_was_there() {
        let directory = tempfile::tempdir().unwrap();
        let (there, new) = (directory.path().join("a.svg"), directory.path().join("b.svg"));
        fs::write(&there, "earlier").unwrap();
        drop(Document::open("--plot", &Destination::File(there.clone()), None).unwrap());
        drop(Document::open("--plot", &Destination::File(new), None).unwrap());
        assert_eq!(files(directory.path()), ["a.svg"]);
        assert_eq!(fs::read_to_string(there).unwrap(), "earlier");
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_one_and_permissions_stay() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let directory = tempfile::tempdir().unwrap();
        let (target, link) = (directory.path().join("target"), directory.path().join("link"));
        fs::write(&target, "earlier").unwrap();
        fs::set_permissions(&target, fs::Permissions::from_mode(0o640)).unwrap();
        symlink(&target, &link).unwrap();
        Document::open("--html", &Destination::File(link.clone()), None).unwrap().write("later").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(&target).unwrap(), "later");
        assert_eq!(fs::metadata(&target).unwrap().permissions().mode() & 0o777, 0o640);
    }
}
