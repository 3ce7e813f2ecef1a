//! [`Address`]: where a server is.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use redis::Client;

/// Where a server is, and how to get in. It is shown without the password.
///
/// ```
/// use redis_fleet::Address;
///
/// let address: Address = "redis://:secret@127.0.0.1:6379/2".parse()?;
/// assert_eq!(address.to_string(), "127.0.0.1:6379");
/// assert!("rediss://127.0.0.1".parse::<Address>().is_err()); // TLS is a feature of the `redis` crate
/// # Ok::<(), redis_fleet::BadAddress>(())
/// ```
#[derive(Clone)]
pub struct Address {
    url: String,
    client: Arc<Client>,
}

/// Why a text is no address.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0}; expected redis://[[USER]:PASSWORD@]HOST[:PORT][/DB] (or valkey://), \
     or unix:///PATH[?db=DB&user=USER&pass=PASSWORD] (or redis+unix://, valkey+unix://)"
)]
pub struct BadAddress(String);

impl Address {
    pub(crate) fn client(&self) -> Client {
        Client::clone(&self.client)
    }
}

impl FromStr for Address {
    type Err = BadAddress;

    fn from_str(url: &str) -> Result<Self, BadAddress> {
        match Client::open(url) {
            Ok(client) => Ok(Self { url: url.to_owned(), client: Arc::new(client) }),
            Err(error) => Err(BadAddress(error.to_string())),
        }
    }
}

impl PartialEq for Address {
    fn eq(&self, other: &Self) -> bool {
        self.url == other.url
    }
}

impl Eq for Address {}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.client.get_connection_info().addr().fmt(f)
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Address({self})")
    }
}
