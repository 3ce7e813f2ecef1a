//! Servers for tests: each test has its own, on a free port of the loopback, and does to it what it likes.

use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// A server without persistence, which ends with this.
#[derive(Debug)]
pub struct LiveServer {
    child: Child,
    port: u16,
}

impl LiveServer {
    /// Starts one.
    ///
    /// # Panics
    ///
    /// Where there is no program `redis-server` (or what the variable `REDIS_SERVER` names), or it does not start.
    pub fn start() -> Self {
        // Another may take the port before the server does: then it ends, and the next is tried.
        (0..5).find_map(|_| Self::try_start(free_port())).expect("a server starts")
    }

    fn try_start(port: u16) -> Option<Self> {
        let program = std::env::var_os("REDIS_SERVER").unwrap_or_else(|| "redis-server".into());
        let mut command = Command::new(&program);
        command.args(["--port", &port.to_string(), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]);
        // A test that asks for a lot at once may share its processor with the server.
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::inherit());
        let child = command.spawn().unwrap_or_else(|error| panic!("{program:?}, which these tests need: {error}"));
        let mut server = Self { child, port };
        let end = Instant::now() + Duration::from_secs(10);
        while Instant::now() < end {
            if server.child.try_wait().is_ok_and(|status| status.is_some()) {
                return None;
            }
            if server.answers().unwrap_or(false) {
                return Some(server);
            }
            thread::sleep(Duration::from_millis(10));
        }
        None
    }

    /// Whether the server that answers on the port is this one, and not another that took it before.
    fn answers(&self) -> redis::RedisResult<bool> {
        let client = redis::Client::open(self.url())?;
        let mut connection = client.get_connection_with_timeout(Duration::from_secs(1))?;
        let info: String = redis::cmd("INFO").arg("server").query(&mut connection)?;
        let id = info.lines().find_map(|line| line.strip_prefix("process_id:"));
        Ok(id == Some(&self.child.id().to_string()))
    }

    /// Where it is.
    pub fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    /// A connection for what tests do behind the back of those that are tested.
    ///
    /// # Panics
    ///
    /// Where there is none to be had.
    pub fn connection(&self) -> redis::Connection {
        let client = redis::Client::open(self.url()).expect("the address is one");
        client.get_connection().expect("the server answers")
    }

    /// Stops it, as a machine that hangs: connections stay, and nothing is answered.
    pub fn pause(&self) {
        self.signal("-STOP");
    }

    /// Lets it go on.
    pub fn resume(&self) {
        self.signal("-CONT");
    }

    /// Ends it without a word.
    pub fn kill(&mut self) {
        // One that has ended already is gone too.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Ends it, and starts another in its place, which knows nothing.
    ///
    /// # Panics
    ///
    /// Where it does not start.
    pub fn restart(&mut self) {
        self.kill();
        *self = Self::try_start(self.port).expect("the port is still free");
    }

    fn signal(&self, signal: &str) {
        let sent = Command::new("kill").args([signal, &self.child.id().to_string()]).status();
        assert!(sent.is_ok_and(|status| status.success()), "kill {signal}");
    }
}

impl Drop for LiveServer {
    fn drop(&mut self) {
        self.kill();
    }
}

fn free_port() -> u16 {
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port is free");
    listener.local_addr().expect("it has an address").port()
}
