//! [`Link`]: from a request to an answer, over HTTP.

use std::time::Duration;

use gateway::arrival::TIME_HEADER;
use tollgate::Timestamp;
use ureq::Agent;

use crate::answer::Answer;
use crate::cli::Error;
use crate::server::Server;

/// The longest that an answer may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// The longest body that is read.
const LONGEST_BODY: u64 = 64 * 1024;

/// A client of one server. It keeps its connections.
#[derive(Clone, Debug)]
pub struct Link {
    agent: Agent,
    url: String,
}

impl Link {
    /// To this server.
    pub fn new(server: &Server) -> Self {
        // A refusal is an answer as any other.
        let config = Agent::config_builder().http_status_as_error(false).timeout_global(Some(PATIENCE)).build();
        Self { agent: config.into(), url: server.url() }
    }

    /// Asks for one piece of work; in a simulation at the time that it has.
    ///
    /// # Errors
    ///
    /// Where no answer comes.
    pub fn ask(&self, at: Option<Timestamp>) -> Result<Answer, Error> {
        let mut request = self.agent.post(&self.url);
        if let Some(at) = at {
            request = request.header(TIME_HEADER, (at.as_nanos() / 1_000_000).to_string());
        }
        let mut response = request.send_empty().map_err(|error| Error::Link(Box::new(error)))?;
        let headers = response.headers().iter();
        let headers = headers.map(|(name, value)| (name.as_str().to_owned(), value.as_bytes().to_vec())).collect();
        let body = response.body_mut().with_config().limit(LONGEST_BODY).read_to_vec();
        let body = body.map_err(|error| Error::Link(Box::new(error)))?;
        Ok(Answer { status: response.status().as_u16(), headers, body })
    }
}
