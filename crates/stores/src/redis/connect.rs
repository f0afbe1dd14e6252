//! Connecting: one attempt within its time, and the check that the server is the one to write to.

use std::time::Duration;

use redis::{
    AsyncConnectionConfig, Cmd, ConnectionAddr, ConnectionInfo, Value, aio::MultiplexedConnection,
    from_redis_value,
};
use tokio::time::timeout;

use super::{access::Access, acks::Acks, failure::Failure};
use crate::login::Password;

/// The number of calls that may wait to be written to one connection; more wait for a place.
const QUEUE_MAX: usize = 1024;

/// The time limit of a single question to a sentinel or a node.
const ASK_MAX: Duration = Duration::from_secs(1);

/// Opens a connection with a password that the server takes. The time limit includes the greetings:
/// a frozen server accepts connections, but it does not answer.
pub(super) async fn connect(
    server: &ConnectionInfo,
    access: &Access,
    limit: Duration,
) -> Result<MultiplexedConnection, Failure> {
    let login = &access.login;
    let mut tries = login.tries();
    loop {
        let password = login.password().await.map_err(Failure::Unfit)?;
        let answer = connect_as(access, with(server, password.as_ref()), limit).await;
        tries -= 1;
        let is_worth_another = tries > 0
            && answer.as_ref().is_err_and(Failure::is_about_rights)
            && password.is_some_and(|password| login.refused(&password));
        if !is_worth_another {
            return answer;
        }
    }
}

async fn connect_as(
    access: &Access,
    server: ConnectionInfo,
    limit: Duration,
) -> Result<MultiplexedConnection, Failure> {
    let failed = |error| Failure::Unsent(Some(error));
    let client = access.client(server).map_err(failed)?;
    // Without a time-out of the library's for calls: only ours knows what was sent.
    let config = AsyncConnectionConfig::new()
        .set_connection_timeout(Some(limit))
        .set_response_timeout(None)
        .set_pipeline_buffer_size(QUEUE_MAX);
    let connection = client.get_multiplexed_async_connection_with_config(&config);
    connection.await.map_err(failed)
}

/// A server, with the password to present.
fn with(server: &ConnectionInfo, password: Option<&Password>) -> ConnectionInfo {
    let server = server.clone();
    let Some(password) = password else { return server };
    let settings = server.redis_settings().clone().set_password(password.text.expose());
    server.set_redis_settings(settings)
}

/// Presents a newer token on an open connection, before the one that it has expires.
pub(super) async fn renew(
    connection: &mut MultiplexedConnection,
    user: Option<&str>,
    password: &Password,
) -> Result<(), Failure> {
    let mut auth = redis::cmd("AUTH");
    if let Some(user) = user {
        let _command = auth.arg(user);
    }
    let _command = auth.arg(password.text.expose());
    let answer = timeout(ASK_MAX, connection.send_packed_command(&auth)).await;
    let answer = answer.map_err(|_| Failure::Unsent(None))?;
    answer.and_then(Value::extract_error).map(drop).map_err(Failure::unsent)
}

/// Opens a connection to a server that must be a master, with enough replicas if writes wait for
/// some.
pub(super) async fn connect_to_master(
    server: &ConnectionInfo,
    access: &Access,
    limit: Duration,
    acks: Option<Acks>,
) -> Result<MultiplexedConnection, Failure> {
    let checked = async {
        let mut connection = connect(server, access, limit).await?;
        let asked = connection.send_packed_command(redis::cmd("INFO").arg("replication")).await;
        let info = asked.and_then(Value::extract_error).map_err(Failure::unsent)?;
        let info: String = from_redis_value(info).unwrap_or_default();
        judge(&info, acks).map_or(Ok(connection), |reason| Err(Failure::Unfit(reason)))
    };
    timeout(limit, checked).await.unwrap_or(Err(Failure::Unsent(None)))
}

/// The reason why nothing must be written to the server that reports this, if there is one.
fn judge(info: &str, acks: Option<Acks>) -> Option<String> {
    if !info.lines().any(|line| line == "role:master") {
        return Some("it is a replica now; its master is looked for again".to_owned());
    }
    let is_online = |line: &&str| line.starts_with("slave") && line.contains(",state=online,");
    let online = info.lines().filter(is_online).count();
    let acks = acks.filter(|acks| online < acks.count())?;
    Some(format!(
        "it has {online} connected replicas and {acks} in the URL asks for {}; start more of them",
        acks.count()
    ))
}

/// Asks one question on a connection that is closed again.
pub(super) async fn ask(
    server: &ConnectionInfo,
    access: &Access,
    question: &Cmd,
) -> Result<Value, Failure> {
    let asked = async {
        let mut connection = connect(server, access, ASK_MAX).await?;
        let answer = connection.send_packed_command(question).await;
        answer.and_then(Value::extract_error).map_err(Failure::unsent)
    };
    timeout(ASK_MAX, asked).await.unwrap_or(Err(Failure::Unsent(None)))
}

/// Another server with the same user, password, database and encryption.
pub(super) fn at(like: &ConnectionInfo, host: &str, port: u16) -> ConnectionInfo {
    let host = host.to_owned();
    let addr = match like.addr() {
        ConnectionAddr::TcpTls { insecure, tls_params, .. } => ConnectionAddr::TcpTls {
            host,
            port,
            insecure: *insecure,
            tls_params: tls_params.clone(),
        },
        _ => ConnectionAddr::Tcp(host, port),
    };
    like.clone().set_addr(addr)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_master_with_enough_replicas_is_written_to() {
        let acks = Acks::parse("2");
        let one = "role:master\r\nconnected_slaves:1\r\nslave0:ip=h,port=1,state=online,offset=1";
        let syncing = format!("{one}\r\nslave1:ip=h,port=2,state=wait_bgsave,offset=0");
        let two = format!("{one}\r\nslave1:ip=h,port=2,state=online,offset=1,lag=0");
        for (info, acks, why) in [
            (one, None, None),
            (two.as_str(), acks, None),
            (one, acks, Some("1 connected replicas")),
            (syncing.as_str(), acks, Some("wait=2")),
            ("role:slave\r\nmaster_host:h", None, Some("is a replica now")),
            ("", None, Some("is a replica now")),
        ] {
            let reason = judge(info, acks);
            assert_eq!(reason.is_some(), why.is_some(), "{info}");
            let reason = reason.unwrap_or_default();
            assert!(reason.contains(why.unwrap_or_default()), "{reason}");
        }
    }
}
