//! Link codes: what a chat gives to an account that is linked to nobody, so that a person can link it. A code is no secret: it
//! says which account a signed-in person would link to themselves, and until when.

use crate::webhook_key::WebhookKey;
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use countersign_events::{Sha256, Timestamp, id::check_name};
use countersign_gate::ChatLinkCode;
use ring::hmac;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// How long a code is valid.
const VALID: Duration = Duration::from_mins(10);

/// The longest name in a code, in characters, so that a link with a code fits into a short message.
const MAX_NAME: usize = 32;

/// The longest code, in bytes.
const MAX_CODE: usize = 2_048;

/// Why a code links nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum BadLinkCode {
    #[error("this server did not make it; press the button in the chat again, and open the whole link")]
    Unknown,
    #[error("it has expired; press the button in the chat again")]
    Expired,
}

/// The content of a code. The names are short because the link should be.
#[derive(Serialize, Deserialize)]
struct CodeContent {
    w: i64,
    a: String,
    n: String,
    e: i64,
}

/// Makes the code for an account.
pub(crate) fn make_link_code(
    key: &WebhookKey,
    log: Sha256,
    account: &ChatLinkCode,
    now: Timestamp,
) -> String {
    let content = CodeContent {
        w: account.webhook,
        a: account.account.clone(),
        n: shown_name(account),
        e: now.after(VALID).as_millis() / 1_000,
    };
    let content = serde_json::to_string(&content).unwrap_or_default();
    let claim = URL_SAFE_NO_PAD.encode(content);
    let mac = hmac::sign(&signer(key), signed_text(log, &claim).as_bytes());
    format!("{claim}.{}", URL_SAFE_NO_PAD.encode(mac))
}

/// The name for people. One that could pass for another, as with hidden characters or letters of two scripts, is left out.
fn shown_name(account: &ChatLinkCode) -> String {
    let name: String = account.name.trim().chars().take(MAX_NAME).collect();
    let name = name.trim_end();
    if check_name(name).is_ok() { name.to_owned() } else { account.account.clone() }
}

/// Reads a code that this server made.
pub(crate) fn read_link_code(
    key: &WebhookKey,
    log: Sha256,
    code: &str,
    now: Timestamp,
) -> Result<ChatLinkCode, BadLinkCode> {
    let read = || {
        let (claim, mac) = code.trim().split_once('.').filter(|_| code.len() <= MAX_CODE)?;
        let mac = URL_SAFE_NO_PAD.decode(mac).ok()?;
        hmac::verify(&signer(key), signed_text(log, claim).as_bytes(), &mac).ok()?;
        serde_json::from_slice::<CodeContent>(&URL_SAFE_NO_PAD.decode(claim).ok()?).ok()
    };
    let content = read().ok_or(BadLinkCode::Unknown)?;
    if content.e <= now.as_millis() / 1_000 {
        return Err(BadLinkCode::Expired);
    }
    Ok(ChatLinkCode { webhook: content.w, account: content.a, name: content.n })
}

fn signer(key: &WebhookKey) -> hmac::Key {
    key.derive("countersign chat links")
}

fn signed_text(log: Sha256, claim: &str) -> String {
    format!("{log}\n{claim}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::WebhookKeyFile;

    #[test]
    fn deceptive_name_is_left_out() {
        let shown = |name: &str| {
            shown_name(&ChatLinkCode { webhook: 7, account: "T01/U02".to_owned(), name: name.to_owned() })
        };
        assert_eq!((shown(" Ada L. "), shown("אדה")), ("Ada L.".to_owned(), "אדה".to_owned()));
        assert_eq!(shown(&"x".repeat(99)), "x".repeat(MAX_NAME));
        for name in ["", "  ", "ada\u{202e}", "a\nb", "\u{430}da"] {
            assert_eq!(shown(name), "T01/U02", "{name:?}");
        }
    }

    #[test]
    fn code_names_its_account_for_ten_minutes() {
        let folder = tempfile::tempdir().expect("a folder");
        let key = WebhookKeyFile::new(folder.path().join("key")).read_or_create().expect("a key");
        let other = WebhookKeyFile::new(folder.path().join("other")).read_or_create().expect("a key");
        let account = ChatLinkCode { webhook: 7, account: "T01/U02".to_owned(), name: "ada".to_owned() };
        let (log, now) = (Sha256::ZERO, Timestamp::from_millis(1_800_000_000_000));
        let code = make_link_code(&key, log, &account, now);
        assert_eq!(read_link_code(&key, log, &code, now), Ok(account));
        let late = now.after(VALID);
        assert_eq!(read_link_code(&key, log, &code, late), Err(BadLinkCode::Expired));
        let bad = [
            read_link_code(&other, log, &code, now),
            read_link_code(&key, Sha256::digest(b"other log"), &code, now),
            read_link_code(&key, log, &code.replacen('e', "f", 1), now),
            read_link_code(&key, log, &code[..code.len() - 1], now),
            read_link_code(&key, log, "", now),
            read_link_code(&key, log, &"x.".repeat(MAX_CODE), now),
        ];
        assert!(bad.iter().all(|read| *read == Err(BadLinkCode::Unknown)), "{bad:?}");
    }
}
