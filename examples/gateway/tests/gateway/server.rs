//! A server on a free port of the loopback, and a client that keeps all of an answer.

use std::ffi::OsString;
use std::net::SocketAddr;

use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, Method, Request, StatusCode, request};
use command_line::Parsed;
use gateway::arrival::TIME_HEADER;
use gateway::cli::{self, Settings};
use http_body_util::BodyExt;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use tokio::net::TcpListener;

/// 2023-11-14T22:13:26Z: 34 seconds before a full minute.
pub(crate) const NOW: u64 = 1_700_000_006_000;

/// A client that no other test uses.
pub(crate) const CLIENT: (&str, &str) = ("cf-connecting-ip", "203.0.113.9");

pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    client: Client<HttpConnector, Body>,
}

impl Server {
    /// Serves what these arguments ask for, with the clock of each request.
    pub(crate) async fn start(arguments: &str) -> Self {
        let settings = settings(&format!("{arguments} --time-header"));
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(gateway::server::serve(listener, gateway::app(&settings), std::future::pending()));
        Self::at(address)
    }

    /// One that runs already.
    pub(crate) fn at(address: SocketAddr) -> Self {
        Self { address, client: Client::builder(TokioExecutor::new()).build_http() }
    }

    pub(crate) async fn ask(&self, question: &Question<'_>) -> Answer {
        let Question { method, path, at, headers } = question;
        let mut request = Request::builder().method(method).uri(format!("http://{}{path}", self.address));
        request = request.header(TIME_HEADER, at.to_string());
        let request =
            headers.iter().fold(request, |request: request::Builder, (name, value)| request.header(*name, *value));
        let response = self.client.request(request.body(Body::empty()).unwrap()).await.unwrap();
        let (parts, body) = response.into_parts();
        let body = body.collect().await.unwrap().to_bytes();
        Answer { status: parts.status, headers: parts.headers, body }
    }

    /// The statuses of so many of the same.
    pub(crate) async fn ask_times(&self, times: usize, question: &Question<'_>) -> Vec<u16> {
        let mut statuses = Vec::new();
        for _ in 0..times {
            statuses.push(self.ask(question).await.status.as_u16());
        }
        statuses
    }
}

pub(crate) fn settings(arguments: &str) -> Settings {
    match cli::parse(format!("gateway {arguments}").split_whitespace().map(OsString::from)).unwrap() {
        Parsed::Run(settings) => settings,
        Parsed::Print(text) => panic!("{text}"),
    }
}

#[derive(Clone)]
pub(crate) struct Question<'a> {
    method: Method,
    path: &'a str,
    at: u64,
    headers: Vec<(&'a str, &'a str)>,
}

/// `GET` by [`CLIENT`], at [`NOW`].
pub(crate) fn get(path: &str) -> Question<'_> {
    Question { method: Method::GET, path, at: NOW, headers: vec![CLIENT] }
}

pub(crate) fn post(path: &str) -> Question<'_> {
    get(path).method(Method::POST)
}

impl<'a> Question<'a> {
    pub(crate) fn method(self, method: Method) -> Self {
        Self { method, ..self }
    }

    /// So many milliseconds after [`NOW`].
    pub(crate) fn later(self, millis: u64) -> Self {
        Self { at: NOW + millis, ..self }
    }

    pub(crate) fn at(self, at: u64) -> Self {
        Self { at, ..self }
    }

    /// With these header lines alone.
    pub(crate) fn headers(self, headers: &[(&'a str, &'a str)]) -> Self {
        Self { headers: headers.to_vec(), ..self }
    }

    pub(crate) fn header(mut self, name: &'a str, value: &'a str) -> Self {
        self.headers.push((name, value));
        self
    }
}

pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Answer {
    /// The one value of that name.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.headers.get_all(name).iter();
        let line = lines.next().map(|value| value.to_str().unwrap());
        assert_eq!(lines.next(), None, "{name} is there twice");
        line
    }

    /// Passed, with what the fields tell; or no fields.
    pub(crate) fn assert_passed(&self, limits: Option<(&str, &str)>) {
        assert_eq!(self.status, StatusCode::OK);
        assert_eq!(self.body, br#"{"ok":true}"#[..]);
        assert_eq!(self.header("content-type"), Some("application/json"));
        assert_eq!(self.header("retry-after"), None);
        assert_eq!(self.header("ratelimit-policy").zip(self.header("ratelimit")), limits);
        assert_eq!(self.headers.contains_key("ratelimit"), limits.is_some());
    }

    /// Denied, with this body, to the byte, and these fields.
    pub(crate) fn assert_denied(&self, body: &str, retry_after: Option<&str>, limits: (&str, &str)) {
        assert_eq!(self.status, StatusCode::TOO_MANY_REQUESTS);
        assert_eq!(std::str::from_utf8(&self.body).unwrap(), body);
        assert_eq!(self.header("content-type"), Some("application/json"));
        assert_eq!(self.header("retry-after"), retry_after);
        assert_eq!(self.header("ratelimit-policy").zip(self.header("ratelimit")), Some(limits));
    }
}
