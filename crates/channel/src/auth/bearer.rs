//! Bearer token extraction from the `Authorization` header.

use axum::http::{HeaderMap, header};

use super::rejection::Rejection;

/// Length limit of a token, larger than any that an issuer makes. Longer ones are not parsed.
const TOKEN_BYTES_MAX: usize = 16 * 1024;

/// Extracts the token from the `Authorization` header.
///
/// Two headers are refused, because a proxy in front of this server may have checked the other one.
pub(super) fn token(headers: &HeaderMap) -> Result<&str, Rejection> {
    let mut all = headers.get_all(header::AUTHORIZATION).into_iter();
    let (Some(only), None) = (all.next(), all.next()) else {
        return Err(Rejection::Unauthorized(
            "there must be exactly one Authorization header with a bearer token",
        ));
    };
    let bad =
        Rejection::Unauthorized("the Authorization header must be: Bearer, one space, a token");
    let token = only.to_str().ok().and_then(|text| text.strip_prefix("Bearer ")).ok_or(bad)?;
    if token.len() > TOKEN_BYTES_MAX {
        return Err(Rejection::Unauthorized("the token is too long"));
    }
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    if token.is_empty() || !token.bytes().all(is_token) {
        return Err(bad);
    }
    Ok(token)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_has_a_limit() {
        let token_of = |length: usize| {
            let value = format!("Bearer {}", "a".repeat(length)).parse().unwrap();
            let headers = HeaderMap::from_iter([(header::AUTHORIZATION, value)]);
            token(&headers).map(str::len)
        };
        assert_eq!(token_of(TOKEN_BYTES_MAX), Ok(TOKEN_BYTES_MAX));
        let too_long = Rejection::Unauthorized("the token is too long");
        assert_eq!(token_of(TOKEN_BYTES_MAX + 1), Err(too_long));
    }
}
