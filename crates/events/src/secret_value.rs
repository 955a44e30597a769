//! A value that nothing prints and that is wiped from memory.

use serde::{Deserialize, Serialize};
use std::fmt;
use zeroize::Zeroize;

/// A secret: a key, a token or a password. `{:?}` omits it, and its memory is overwritten when it is dropped, so that a
/// memory dump, a swap file or a later allocation does not contain it.
///
/// A copy that another library makes of it, such as a header or a TLS record, is not wiped. So take the value out as
/// late as possible, and do not grow it in place: growing leaves the smaller buffer behind.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SecretValue<T: Zeroize>(T);

impl<T: Zeroize> SecretValue<T> {
    /// Takes the secret over.
    #[must_use]
    pub const fn new(secret: T) -> Self {
        Self(secret)
    }

    /// The secret itself.
    #[must_use]
    pub const fn expose(&self) -> &T {
        &self.0
    }

    /// The secret itself, to be filled in place.
    pub const fn expose_mut(&mut self) -> &mut T {
        &mut self.0
    }
}

impl SecretValue<String> {
    /// A copy of the text without white space around it.
    #[must_use]
    pub fn trimmed(&self) -> Self {
        Self(self.0.trim().to_owned())
    }
}

impl<T: Zeroize> From<T> for SecretValue<T> {
    fn from(secret: T) -> Self {
        Self(secret)
    }
}

impl From<&str> for SecretValue<String> {
    fn from(secret: &str) -> Self {
        Self(secret.to_owned())
    }
}

impl<T: Zeroize> Drop for SecretValue<T> {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

impl<T: Zeroize> fmt::Debug for SecretValue<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretValue")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{cell::RefCell, rc::Rc};

    /// A buffer that outlives its owner, so that a test can read what the owner left in it.
    #[derive(Clone)]
    struct SharedBuffer(Rc<RefCell<[u8; 6]>>);

    impl Zeroize for SharedBuffer {
        fn zeroize(&mut self) {
            self.0.borrow_mut().zeroize();
        }
    }

    #[test]
    fn dropped_secret_leaves_zeros() {
        let buffer = SharedBuffer(Rc::new(RefCell::new(*b"secret")));
        let secret = SecretValue::new(buffer.clone());
        let copy = secret.clone();
        assert_eq!(*copy.expose().0.borrow(), *b"secret");
        drop(secret);
        assert_eq!(*buffer.0.borrow(), [0; 6]);
    }

    #[test]
    fn debug_text_omits_the_secret() {
        let shown = format!("{:?}", [SecretValue::from("hunter2"), SecretValue::from(" a ").trimmed()]);
        assert_eq!(shown, "[SecretValue, SecretValue]");
    }
}
