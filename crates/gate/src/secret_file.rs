//! Reading a file that holds a secret: a key, a token or a password.

use countersign_events::SecretValue;
use std::{
    fs::{self, File},
    io::{self, Read},
    os::unix::fs::MetadataExt,
    path::Path,
};

/// The least room for a secret, in bytes.
const MIN_ROOM: u64 = 4_096;

/// What the file of a secret may be.
#[derive(Debug, Clone, Copy)]
pub struct SecretFile {
    /// The permissions that it must not give.
    pub forbidden: u32,
    /// The most bytes.
    pub max_bytes: u64,
    /// Whether it may be a pipe. Reading one waits for its writer.
    pub may_be_pipe: bool,
}

/// Why the file of a secret is not used.
#[derive(Debug, thiserror::Error)]
pub enum SecretFileError {
    /// It cannot be read.
    #[error("{0}")]
    Unreadable(#[from] io::Error),
    /// It gives others a permission that it must not give.
    #[error("other users can read it (mode {mode:03o})")]
    Exposed {
        /// Its permissions.
        mode: u32,
    },
    /// It is a pipe, a folder or a device.
    #[error("it is not a regular file")]
    NotRegular,
    /// It has more bytes than a secret.
    #[error("it has more than {0} bytes, and a secret is shorter")]
    TooLarge(u64),
}

impl SecretFile {
    /// A file that only its owner may use, or a pipe.
    #[must_use]
    pub const fn of_owner(max_bytes: u64) -> Self {
        Self { forbidden: 0o077, max_bytes, may_be_pipe: true }
    }

    /// Reads the file. The permissions are those of the file that is read, even if another one takes its name meanwhile.
    pub fn read(self, path: &Path) -> Result<SecretValue<Vec<u8>>, SecretFileError> {
        if !self.may_be_pipe && !fs::metadata(path)?.is_file() {
            return Err(SecretFileError::NotRegular);
        }
        let file = File::open(path)?;
        let mode = file.metadata()?.mode() & 0o777;
        if mode & self.forbidden != 0 {
            return Err(SecretFileError::Exposed { mode });
        }
        // Room for all at once, because growing would leave a part of the secret in memory. A pipe has no length.
        let length = file.metadata()?.len().clamp(MIN_ROOM, self.max_bytes.max(MIN_ROOM)) + 1;
        let mut content = Vec::with_capacity(usize::try_from(length).unwrap_or_default());
        let read = file.take(self.max_bytes + 1).read_to_end(&mut content);
        let content = SecretValue::new(content);
        read?;
        if content.expose().len() as u64 > self.max_bytes {
            return Err(SecretFileError::TooLarge(self.max_bytes));
        }
        Ok(content)
    }

    /// Reads the file, which holds text.
    pub fn read_text(self, path: &Path) -> Result<SecretValue<String>, SecretFileError> {
        // The error of the conversion would own the bytes.
        let not_text =
            || SecretFileError::Unreadable(io::Error::new(io::ErrorKind::InvalidData, "it is not text"));
        let content = self.read(path)?;
        str::from_utf8(content.expose()).map(SecretValue::from).map_err(|_| not_text())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn only_short_private_files_are_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("secret");
        fs::write(&path, "12345").expect("written");
        let read = |mode: u32, terms: SecretFile| {
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("changed");
            terms.read_text(&path).map(|text| text.expose().clone()).map_err(|why| why.to_string())
        };
        assert_eq!(read(0o600, SecretFile::of_owner(5)).as_deref(), Ok("12345"));
        assert!(read(0o600, SecretFile::of_owner(4)).expect_err("long").contains("more than 4 bytes"));
        assert!(read(0o640, SecretFile::of_owner(5)).expect_err("its group").contains("mode 640"));
        let for_group = SecretFile { forbidden: 0o007, ..SecretFile::of_owner(5) };
        assert!(read(0o640, for_group).is_ok());
    }

    #[test]
    fn pipe_needs_permission() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("pipe");
        let made = std::process::Command::new("mkfifo").args(["-m", "600"]).arg(&path).status();
        assert!(made.expect("mkfifo runs").success());
        let refused = SecretFile { may_be_pipe: false, ..SecretFile::of_owner(5) }.read(&path);
        assert!(matches!(refused, Err(SecretFileError::NotRegular)));
        let writer = path.clone();
        let writing = std::thread::spawn(move || fs::write(writer, "12345"));
        assert_eq!(SecretFile::of_owner(5).read(&path).expect("read").expose(), b"12345");
        writing.join().expect("no panic").expect("written");
    }
}
