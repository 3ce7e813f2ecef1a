//! What a caller shows: an API key as a bearer token, a session as a cookie; and the keys that there are, with their tiers.
//!
//! The systems verify keys elsewhere. Here the public id of one stands for a key that was verified.

use std::collections::HashMap;
use std::str::FromStr;

use axum::http::HeaderMap;
use axum::http::header::{AUTHORIZATION, COOKIE};

/// The longest public id that is read, so that a key has a bounded size.
pub const LONGEST_ID: usize = 128;

/// The public id in `Authorization: Bearer <public_id>` (RFC 6750, section 2.1). None where it is malformed, or there twice.
pub fn api_key(headers: &HeaderMap) -> Option<&str> {
    let mut lines = headers.get_all(AUTHORIZATION).iter();
    let (Some(line), None) = (lines.next(), lines.next()) else { return None };
    let (scheme, id) = line.to_str().ok()?.split_once(' ')?;
    let id = id.trim();
    (scheme.eq_ignore_ascii_case("bearer") && is_id(id)).then_some(id)
}

/// Whether there is a cookie `session` with something in it.
pub fn has_session(headers: &HeaderMap) -> bool {
    let lines = headers.get_all(COOKIE).iter().filter_map(|line| line.to_str().ok());
    let mut cookies = lines.flat_map(|line| line.split(';')).filter_map(|cookie| cookie.trim().split_once('='));
    cookies.any(|(name, value)| name == "session" && !value.is_empty())
}

fn is_id(id: &str) -> bool {
    let token = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~+/=".contains(&byte);
    (1..=LONGEST_ID).contains(&id.len()) && id.bytes().all(token)
}

/// What was agreed with the holder of a key. Anonymous calls are on the free one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tier {
    /// The least.
    #[default]
    Free,
    /// More.
    Pro,
    /// The most.
    Team,
}

impl FromStr for Tier {
    type Err = KeysError;

    fn from_str(text: &str) -> Result<Self, KeysError> {
        match text {
            "free" => Ok(Self::Free),
            "pro" => Ok(Self::Pro),
            "team" => Ok(Self::Team),
            _ => Err(KeysError::Tier(text.to_owned())),
        }
    }
}

/// The API keys that there are: a public id and a tier each, on a line `id,tier`. Blank lines and those that start with `#` say nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Keys(HashMap<String, Tier>);

impl Keys {
    /// The id and the tier of a call that carries one of the keys.
    pub fn verified<'a>(&self, headers: &'a HeaderMap) -> Option<(&'a str, Tier)> {
        let id = api_key(headers)?;
        self.0.get(id).map(|&tier| (id, tier))
    }
}

impl FromStr for Keys {
    type Err = KeysLineError;

    fn from_str(text: &str) -> Result<Self, KeysLineError> {
        let mut keys = HashMap::new();
        for (number, line) in (1..).zip(text.lines()) {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let at = |error| KeysLineError { line: number, error };
            let (id, tier) = line.split_once(',').ok_or(at(KeysError::Shape))?;
            let (id, tier) = (id.trim(), tier.trim().parse().map_err(at)?);
            if !is_id(id) {
                return Err(at(KeysError::Id));
            }
            if keys.insert(id.to_owned(), tier).is_some() {
                return Err(at(KeysError::Twice(id.to_owned())));
            }
        }
        Ok(Self(keys))
    }
}

/// Why a file of keys cannot be used.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {error}")]
pub struct KeysLineError {
    line: u64,
    error: KeysError,
}

/// What is wrong with a line of it.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KeysError {
    /// There is no comma.
    #[error("expected an id, a comma and a tier, as in `9f2c41aa,pro`")]
    Shape,
    /// No bearer token could be so.
    #[error("expected an id of 1 to {LONGEST_ID} letters, digits or any of -._~+/=")]
    Id,
    /// A tier that there is not.
    #[error("there is no tier {0:?}: expected free, pro or team")]
    Tier(String),
    /// One id for two keys.
    #[error("the id {0} is there already: expected each id once")]
    Twice(String),
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderName, HeaderValue};

    use super::*;

    fn headers(lines: &[(HeaderName, &[u8])]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in lines {
            headers.append(name, HeaderValue::from_bytes(value).unwrap());
        }
        headers
    }

    #[test]
    fn an_api_key_is_one_well_formed_bearer_token() {
        let found = |value: &[u8]| api_key(&headers(&[(AUTHORIZATION, value)])).map(str::to_owned);
        assert_eq!(found(b"Bearer pk_1").as_deref(), Some("pk_1"));
        assert_eq!(found(b"bearer  pk_1 ").as_deref(), Some("pk_1"));
        for malformed in
            [&b"Basic pk_1"[..], b"Bearer", b"Bearer ", b"Bearer a b", b"Bearer a,b", b"Bearer \xff", b"pk_1", b""]
        {
            assert_eq!(found(malformed), None, "{malformed:?}");
        }
        assert_eq!(found(&[b"Bearer ", &[b'k'; LONGEST_ID][..]].concat()), Some("k".repeat(LONGEST_ID)));
        assert_eq!(found(&[b"Bearer ", &[b'k'; LONGEST_ID + 1][..]].concat()), None);
        assert_eq!(api_key(&headers(&[(AUTHORIZATION, b"Bearer a"), (AUTHORIZATION, b"Bearer b")])), None);
    }

    #[test]
    fn a_session_is_a_cookie_of_that_name() {
        let found = |values: &[&[u8]]| has_session(&headers(&values.iter().map(|&v| (COOKIE, v)).collect::<Vec<_>>()));
        assert!(found(&[b"session=1"]));
        assert!(found(&[b"theme=dark; session=1"]));
        assert!(found(&[b"\xff", b"session=1"]));
        for none in [&b"session="[..], b"session", b"xsession=1", b"session=1\xff", b""] {
            assert!(!found(&[none]), "{none:?}");
        }
    }

    #[test]
    fn a_file_of_keys_is_read_or_its_first_bad_line_named() {
        let keys: Keys = "# ids and tiers\n\na,free\n b , pro \nc,team".parse().unwrap();
        let tier = |id: &str| {
            let headers = headers(&[(AUTHORIZATION, format!("Bearer {id}").as_bytes())]);
            keys.verified(&headers).map(|(_, tier)| tier)
        };
        let tiers = [Some(Tier::Free), Some(Tier::Pro), Some(Tier::Team), None];
        assert_eq!(["a", "b", "c", "d"].map(tier), tiers);
        let error = |text: &str| text.parse::<Keys>().unwrap_err().to_string();
        assert_eq!(error("a,free\nb"), "line 2: expected an id, a comma and a tier, as in `9f2c41aa,pro`");
        assert_eq!(error("a,gold"), r#"line 1: there is no tier "gold": expected free, pro or team"#);
        assert_eq!(error("a b,pro"), "line 1: expected an id of 1 to 128 letters, digits or any of -._~+/=");
        assert_eq!(error("a,pro\n\na,pro"), "line 3: the id a is there already: expected each id once");
    }
}
