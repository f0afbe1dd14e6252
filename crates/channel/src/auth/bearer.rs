//! The token in the headers of a request.

use axum::http::{HeaderMap, header};

use super::denial::Denial;

/// Longer than any token of an issuer; what is longer is not looked at.
const TOKEN_BYTES_MAX: usize = 16 * 1024;

/// Takes the token out of the one `Authorization` header.
///
/// Two headers are refused, because a server in front of this one may have checked the other.
pub(super) fn token(headers: &HeaderMap) -> Result<&str, Denial> {
    let mut all = headers.get_all(header::AUTHORIZATION).into_iter();
    let (Some(only), None) = (all.next(), all.next()) else {
        return Err(Denial::Unknown("there must be one Authorization header with a bearer token"));
    };
    let bad = Denial::Unknown("the Authorization header must be: Bearer, one space, a token");
    let token = only.to_str().ok().and_then(|text| text.strip_prefix("Bearer ")).ok_or(bad)?;
    if token.len() > TOKEN_BYTES_MAX {
        return Err(Denial::Unknown("the token is too long"));
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
        let too_long = Denial::Unknown("the token is too long");
        assert_eq!(token_of(TOKEN_BYTES_MAX + 1), Err(too_long));
    }
}
