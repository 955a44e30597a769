//! Claims from two documents: the ID token, and the answer of the endpoint `UserInfo`.

use crate::claim_mapping::{EMAIL, EMAIL_VERIFIED};
use serde_json::{Map, Value};

/// The claims of both documents. Those in the ID token take precedence, because the provider has signed them.
///
/// The e-mail address and the claim that it is verified come from one document: `email_verified` says something about
/// the address beside it only. Otherwise an unverified address in one document would count as verified because the
/// other document has verified another one.
pub(crate) fn merge_claims(
    id_token: Map<String, Value>,
    user_info: Map<String, Value>,
) -> Map<String, Value> {
    let pair_of = |claims: &Map<String, Value>| [EMAIL, EMAIL_VERIFIED].map(|name| claims.get(name).cloned());
    let is_complete = pair_of(&id_token).iter().all(Option::is_some);
    let pair =
        if is_complete || !user_info.contains_key(EMAIL) { pair_of(&id_token) } else { pair_of(&user_info) };
    let mut all = user_info;
    all.extend(id_token);
    for (name, value) in [EMAIL, EMAIL_VERIFIED].into_iter().zip(pair) {
        match value {
            Some(value) => all.insert(name.to_owned(), value),
            None => all.remove(name),
        };
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn merged(id_token: Value, user_info: Value) -> Value {
        let (Value::Object(id_token), Value::Object(user_info)) = (id_token, user_info) else {
            panic!("two objects")
        };
        Value::Object(merge_claims(id_token, user_info))
    }

    #[test]
    fn claims_in_the_id_token_take_precedence() {
        let all = merged(json!({"sub": "a", "groups": ["x"]}), json!({"groups": ["y"], "name": "Ada"}));
        assert_eq!(all, json!({"sub": "a", "groups": ["x"], "name": "Ada"}));
    }

    #[test]
    fn one_document_vouches_for_its_own_address_only() {
        let (own, other) = (json!("ada@example.com"), json!("root@example.com"));
        for (id_token, user_info, expected) in [
            (
                json!({"email": own}),
                json!({"email": other, "email_verified": true}),
                json!({"email": other, "email_verified": true}),
            ),
            (json!({"email": own}), json!({"email_verified": true}), json!({"email": own})),
            (json!({"email_verified": true}), json!({"email": other}), json!({"email": other})),
            (
                json!({"email": own, "email_verified": false}),
                json!({"email": own, "email_verified": true}),
                json!({"email": own, "email_verified": false}),
            ),
            (
                json!({"email": own, "email_verified": true}),
                json!({"email": other}),
                json!({"email": own, "email_verified": true}),
            ),
            (
                json!({}),
                json!({"email": own, "email_verified": true}),
                json!({"email": own, "email_verified": true}),
            ),
        ] {
            assert_eq!(merged(id_token.clone(), user_info.clone()), expected, "{id_token} {user_info}");
        }
    }
}
