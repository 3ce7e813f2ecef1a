//! What a caller shows: an API key as a bearer token, a session as a cookie; and the keys that there are, with their tiers.
//!
//! The systems verify keys elsewhere. Here the public id of one stands for a key that was verified.

use std::collections::HashMap;
use std::str::FromStr;

use axum::http::HeaderMap;
use axum::http::header::{AUTHORIZATION, COOKIE};

/// The longest public id that is read, so that a key has a bounded size.
pub const LONGEST_ID: usize = 128;

/// What is longer than this is no name of a tier that was misspelt. It may be an id in the wrong place.
const LONGEST_WORD: usize = 10;

/// The public id in `Authorization: Bearer <public_id>` (RFC 6750, section 2.1). None where it is malformed, or there twice.
pub fn api_key(headers: &HeaderMap) -> Option<&str> {
    let mut lines = headers.get_all(AUTHORIZATION).iter();
    let (Some(line), None) = (lines.next(), lines.next()) else { return None };
    let (scheme, id) = line.to_str().ok()?.split_once(' ')?;
    let id = id.trim();
    (scheme.eq_ignore_ascii_case("bearer") && check_id(id).is_ok()).then_some(id)
}

/// Whether there is a cookie `session` with something in it.
pub fn has_session(headers: &HeaderMap) -> bool {
    let lines = headers.get_all(COOKIE).iter().filter_map(|line| line.to_str().ok());
    let mut cookies = lines.flat_map(|line| line.split(';')).filter_map(|cookie| cookie.trim().split_once('='));
    cookies.any(|(name, value)| name == "session" && !value.is_empty())
}

fn check_id(id: &str) -> Result<(), KeysError> {
    let is_token = |found: char| found.is_ascii_alphanumeric() || "-._~+/=".contains(found);
    match id.len() {
        0 => return Err(KeysError::NoId),
        1..=LONGEST_ID => {}
        len => return Err(KeysError::LongId(len)),
    }
    match (1..).zip(id.chars()).find(|&(_, found)| !is_token(found)) {
        Some((place, found)) => Err(KeysError::Id { place, found }),
        None => Ok(()),
    }
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
            short if short.len() <= LONGEST_WORD => Err(KeysError::Tier(short.to_owned())),
            long => Err(KeysError::LongTier(long.len())),
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
            check_id(id).map_err(at)?;
            if keys.insert(id.to_owned(), tier).is_some() {
                return Err(at(KeysError::Twice));
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

/// What is wrong with a line of it. An id lets in whoever has it, so it is told what is wrong with one, and not the id; a line without a comma may
/// be one, and so may what stands in the place of a tier, unless it is as short as a word.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KeysError {
    /// There is no comma.
    #[error("there is no comma: expected an id, a comma and a tier, as in `9f2c41aa,pro`")]
    Shape,
    /// Nothing stands before the comma.
    #[error("the id is empty: expected 1 to {LONGEST_ID} letters, digits or any of -._~+/=")]
    NoId,
    /// No bearer token is so long.
    #[error("the id has {0} bytes: expected 1 to {LONGEST_ID}")]
    LongId(usize),
    /// No bearer token has such a character in it.
    #[error("the id has {found:?} as its character {place}: expected letters, digits or any of -._~+/=")]
    Id {
        /// Which of its characters, from 1.
        place: usize,
        /// That character.
        found: char,
    },
    /// A tier that there is not.
    #[error("there is no tier {0:?}: expected free, pro or team")]
    Tier(String),
    /// Nor one that is so long.
    #[error("there is no tier of {0} bytes: expected free, pro or team")]
    LongTier(usize),
    /// One id for two keys.
    #[error("the id is that of an earlier line: expected each id once")]
    Twice,
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
        assert_eq!(
            error("a,free\nsecret"),
            "line 2: there is no comma: expected an id, a comma and a tier, as in `9f2c41aa,pro`"
        );
        assert_eq!(error("a,gold"), r#"line 1: there is no tier "gold": expected free, pro or team"#);
        assert_eq!(error("pro,pk_1234567890"), "line 1: there is no tier of 13 bytes: expected free, pro or team");
        assert_eq!(error(",pro"), "line 1: the id is empty: expected 1 to 128 letters, digits or any of -._~+/=");
        assert_eq!(error(&format!("{},pro", "k".repeat(129))), "line 1: the id has 129 bytes: expected 1 to 128");
        assert_eq!(
            error("sec ret,pro"),
            "line 1: the id has ' ' as its character 4: expected letters, digits or any of -._~+/="
        );
        assert_eq!(
            error("secret,pro\n\nsecret,pro"),
            "line 3: the id is that of an earlier line: expected each id once"
        );
    }
}
