//! The signature that `ssh-keygen -Y sign` makes.

use super::{
    NAMESPACE, SshPublicKey,
    wire::{WireReader, push_string},
};
use crate::{
    BadProof,
    base64url::decode_ssh,
    public_key::{PublicKey, SignatureForm, without_leading_zeros},
};
use ring::digest;

const BEGIN: &str = "-----BEGIN SSH SIGNATURE-----";
const END: &str = "-----END SSH SIGNATURE-----";
const MAGIC: &[u8] = b"SSHSIG";
const VERSION: u32 = 1;

/// The maximum length of a signature as text, in bytes. An RSA signature with 8,192 bits has 3,200.
const MAX_TEXT_BYTES: usize = 8_192;

/// A FIDO token's flag: a person touched it.
const USER_PRESENT: u8 = 0x01;

/// A signature that `ssh-keygen -Y sign` made.
#[derive(Debug, Clone)]
pub struct SshSignature {
    key: SshPublicKey,
    namespace: String,
    hash: &'static digest::Algorithm,
    hash_name: &'static str,
    reserved: Vec<u8>,
    algorithm: String,
    signature: Vec<u8>,
    /// The FIDO token's flags and counter.
    token: Option<(u8, u32)>,
}

impl SshSignature {
    /// Reads a signature in its armor (`-----BEGIN SSH SIGNATURE-----`).
    pub fn parse(text: &str) -> Result<Self, BadProof> {
        if text.len() > MAX_TEXT_BYTES {
            return Err(BadProof::new(format!("the signature is longer than {MAX_TEXT_BYTES} bytes")));
        }
        let inner = text.trim().strip_prefix(BEGIN).and_then(|rest| rest.strip_suffix(END));
        let inner = inner.ok_or_else(|| BadProof::new(format!("an SSH signature begins with {BEGIN:?}")))?;
        let joined: String = inner.split_whitespace().collect();
        let blob = decode_ssh(&joined).ok_or_else(|| BadProof::new("the SSH signature is not base64"))?;
        Self::read(&blob)?.ok_or_else(|| BadProof::new("the SSH signature is damaged"))
    }

    fn read(blob: &[u8]) -> Result<Option<Self>, BadProof> {
        let mut fields = WireReader::new(blob);
        if fields.bytes(MAGIC.len()) != Some(MAGIC) || fields.u32() != Some(VERSION) {
            return Err(BadProof::new("the SSH signature has an unknown version"));
        }
        let parts = (fields.string(), fields.text(), fields.string(), fields.text(), fields.string());
        let (Some(key), Some(namespace), Some(reserved), Some(hash), Some(signature)) = parts else {
            return Ok(None);
        };
        let key = SshPublicKey::from_blob(key.to_vec()).map_err(|why| BadProof::new(why.to_string()))?;
        let (hash, hash_name) = match hash {
            "sha512" => (&digest::SHA512, "sha512"),
            "sha256" => (&digest::SHA256, "sha256"),
            _ => return Err(BadProof::new("the SSH signature has an unknown hash")),
        };
        let mut inner = WireReader::new(signature);
        let (Some(algorithm), Some(signature)) = (inner.text(), inner.string()) else { return Ok(None) };
        let token = if key.application.is_some() {
            let (Some(flags), Some(counter)) = (inner.u8(), inner.u32()) else { return Ok(None) };
            Some((flags, counter))
        } else {
            None
        };
        let is_whole = inner.end().and(fields.end()).is_some();
        let read = Self {
            key,
            namespace: namespace.to_owned(),
            hash,
            hash_name,
            reserved: reserved.to_vec(),
            algorithm: algorithm.to_owned(),
            signature: signature.to_vec(),
            token,
        };
        Ok(is_whole.then_some(read))
    }

    /// The key that is in the signature. It proves nothing until the signature is checked.
    #[must_use]
    pub const fn key(&self) -> &SshPublicKey {
        &self.key
    }

    /// Checks that this key signed the message for Countersign.
    pub fn check(&self, key: &SshPublicKey, message: &[u8]) -> Result<(), BadProof> {
        self.check_namespace(NAMESPACE, key, message)
    }

    /// Checks that this key signed the message in this namespace.
    pub(crate) fn check_namespace(
        &self,
        namespace: &str,
        key: &SshPublicKey,
        message: &[u8],
    ) -> Result<(), BadProof> {
        if self.key != *key {
            return Err(BadProof::new("the signature is by another SSH key"));
        }
        if self.namespace != namespace {
            let why =
                format!("the signature has another namespace; sign with `ssh-keygen -Y sign -n {namespace}`");
            return Err(BadProof::new(why));
        }
        let mut signed = MAGIC.to_vec();
        push_string(&mut signed, self.namespace.as_bytes());
        push_string(&mut signed, &self.reserved);
        push_string(&mut signed, self.hash_name.as_bytes());
        push_string(&mut signed, digest::digest(self.hash, message).as_ref());
        if let (Some((flags, counter)), Some(application)) = (self.token, &key.application) {
            if flags & USER_PRESENT == 0 {
                return Err(BadProof::new(
                    "nobody touched the security key; use a key that requires a touch",
                ));
            }
            let mut by_token = digest::digest(&digest::SHA256, application).as_ref().to_vec();
            by_token.push(flags);
            by_token.extend(counter.to_be_bytes());
            by_token.extend(digest::digest(&digest::SHA256, &signed).as_ref());
            signed = by_token;
        }
        let wrong = || BadProof::new("the SSH signature is not one of this statement");
        let (form, signature) = self.signature_form().ok_or_else(wrong)?;
        if key.key.verifies(form, &signed, &signature) { Ok(()) } else { Err(wrong()) }
    }

    /// The signature as the library takes it, if its algorithm fits the key.
    fn signature_form(&self) -> Option<(SignatureForm, Vec<u8>)> {
        match (&self.key.key, self.algorithm.as_str()) {
            (PublicKey::Rsa { .. }, "rsa-sha2-512") => {
                Some((SignatureForm::RsaSha512, self.signature.clone()))
            }
            (PublicKey::Rsa { .. }, "rsa-sha2-256") => Some((SignatureForm::Usual, self.signature.clone())),
            (PublicKey::Ed25519(_), algorithm) if algorithm == self.key.algorithm() => {
                Some((SignatureForm::Usual, self.signature.clone()))
            }
            (PublicKey::P256(_), algorithm) if algorithm == self.key.algorithm() => {
                let mut numbers = WireReader::new(&self.signature);
                let (r, s) = (numbers.string()?, numbers.string()?);
                numbers.end()?;
                let mut fixed = fixed_number(r)?;
                fixed.extend(fixed_number(s)?);
                Some((SignatureForm::Fixed, fixed))
            }
            _ => None,
        }
    }
}

/// A number in 32 bytes.
fn fixed_number(number: &[u8]) -> Option<Vec<u8>> {
    let number = without_leading_zeros(number);
    let mut fixed = vec![0; 32_usize.checked_sub(number.len())?];
    fixed.extend(number);
    Some(fixed)
}
