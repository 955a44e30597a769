//! RFC 8785 (JSON Canonicalization Scheme) over a text, token by token, so that no number passes
//! through a double and no key is lost before it could be seen twice.

use super::{BadJson, MAX_DEPTH, number};

/// The canonical form of `text`, which must be JSON already (RFC 8259).
pub(super) fn canonical(text: &str) -> Result<String, BadJson> {
    let mut walk = Walk { text, at: 0, depth: 0 };
    let mut out = String::with_capacity(text.len());
    walk.value(&mut out)?;
    Ok(out)
}

/// A reader of JSON tokens. The syntax was checked by whoever made the text a `RawValue`, so all
/// that is left is to tell the tokens apart.
struct Walk<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

impl<'a> Walk<'a> {
    fn peek(&mut self) -> u8 {
        let bytes = self.text.as_bytes();
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = bytes.get(self.at) {
            self.at += 1;
        }
        bytes.get(self.at).copied().unwrap_or(0)
    }

    /// Steps over the next token if it is that one.
    fn eat(&mut self, token: u8) -> bool {
        let here = self.peek() == token;
        self.at += usize::from(here);
        here
    }

    fn value(&mut self, out: &mut String) -> Result<(), BadJson> {
        match self.peek() {
            b'{' => self.nested(out, Self::object),
            b'[' => self.nested(out, Self::array),
            b'"' => self.string().map(|text| quote(&text, out)),
            b'-' | b'0'..=b'9' => self.number(out),
            _ => {
                out.push_str(self.scalar());
                Ok(())
            }
        }
    }

    fn nested(
        &mut self,
        out: &mut String,
        read: impl FnOnce(&mut Self, &mut String) -> Result<(), BadJson>,
    ) -> Result<(), BadJson> {
        if self.depth == MAX_DEPTH {
            return Err(BadJson::TooDeep);
        }
        self.depth += 1;
        self.at += 1;
        read(self, out)?;
        self.depth -= 1;
        Ok(())
    }

    fn array(&mut self, out: &mut String) -> Result<(), BadJson> {
        out.push('[');
        while !self.eat(b']') {
            if self.eat(b',') {
                out.push(',');
            }
            self.value(out)?;
        }
        out.push(']');
        Ok(())
    }

    fn object(&mut self, out: &mut String) -> Result<(), BadJson> {
        let mut members: Vec<Member> = Vec::new();
        while !self.eat(b'}') {
            self.eat(b',');
            self.peek();
            let at = self.at;
            let key = self.string()?;
            self.eat(b':');
            let mut value = String::new();
            self.value(&mut value)?;
            members.push(Member { key, value, at });
        }
        // RFC 8785, 3.2.3: keys sort by their UTF-16 code units.
        members.sort_by(|a, b| a.key.encode_utf16().cmp(b.key.encode_utf16()));
        if let Some(twice) = members.windows(2).find(|pair| pair[0].key == pair[1].key) {
            let at = twice[0].at.max(twice[1].at);
            return Err(BadJson::DuplicateKey { key: twice[0].key.clone(), at });
        }
        out.push('{');
        for (index, member) in members.iter().enumerate() {
            if index > 0 {
                out.push(',');
            }
            quote(&member.key, out);
            out.push(':');
            out.push_str(&member.value);
        }
        out.push('}');
        Ok(())
    }

    fn string(&mut self) -> Result<String, BadJson> {
        let (start, bytes) = (self.at, self.text.as_bytes());
        let mut end = start + 1;
        while let Some(byte) = bytes.get(end) {
            match byte {
                b'"' => break,
                b'\\' => end += 2,
                _ => end += 1,
            }
        }
        self.at = end + 1;
        let quoted = self.text.get(start..self.at).unwrap_or_default();
        serde_json::from_str(quoted).map_err(|e| BadJson::NotUnicode { at: start, why: e.to_string() })
    }

    fn number(&mut self, out: &mut String) -> Result<(), BadJson> {
        let at = self.at;
        number::canonical(self.scalar(), out).ok_or(BadJson::NumberRange { at })
    }

    /// A number, `true`, `false` or `null`: all up to whatever must follow it.
    fn scalar(&mut self) -> &'a str {
        let rest = &self.text[self.at..];
        let end = rest.find([',', ']', '}', ' ', '\t', '\n', '\r']).unwrap_or(rest.len());
        self.at += end.max(1);
        &rest[..end]
    }
}

struct Member {
    key: String,
    value: String,
    at: usize,
}

/// RFC 8785, 3.2.2.2: the serialiser escapes just what the scheme does, and in the same way.
fn quote(text: &str, out: &mut String) {
    out.push_str(&serde_json::Value::from(text).to_string());
}
