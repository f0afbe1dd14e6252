//! Valid and forged tokens, built byte by byte.

use std::sync::LazyLock;

use aws_lc_rs::{
    hmac,
    rand::SystemRandom,
    rsa::KeySize,
    signature::{
        KeyPair, RSA_PKCS1_SHA256, RSA_PKCS1_SHA384, RSA_PKCS1_SHA512, RSA_PSS_SHA256,
        RSA_PSS_SHA384, RSA_PSS_SHA512, RsaEncoding, RsaKeyPair,
    },
};
use base64::{
    Engine as _,
    engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD},
};
use serde_json::{Value, json};

/// The issuer's key.
pub(crate) static KEY: LazyLock<Signer> = LazyLock::new(Signer::new);
/// The issuer's next key, after a rotation.
pub(crate) static NEXT: LazyLock<Signer> = LazyLock::new(Signer::new);
/// An attacker's key.
pub(crate) static EVIL: LazyLock<Signer> = LazyLock::new(Signer::new);

/// RSA key that signs any text.
pub(crate) struct Signer(RsaKeyPair);

impl Signer {
    fn new() -> Self {
        Self(RsaKeyPair::generate(KeySize::Rsa2048).unwrap())
    }

    /// The public key as a JSON Web Key, with further members.
    pub(crate) fn jwk(&self, kid: &str, more: Value) -> Value {
        let public = self.0.public_key();
        let number = |bytes: &[u8]| URL_SAFE_NO_PAD.encode(bytes);
        let mut jwk = json!({
            "kty": "RSA",
            "use": "sig",
            "kid": kid,
            "n": number(public.modulus().big_endian_without_leading_zero()),
            "e": number(public.exponent().big_endian_without_leading_zero()),
        });
        let Value::Object(more) = more else { panic!("members") };
        jwk.as_object_mut().unwrap().extend(more);
        jwk
    }

    /// The public key in every encoding used for algorithm confusion attacks: PEM, DER, modulus,
    /// JSON.
    pub(crate) fn shapes(&self) -> Vec<Vec<u8>> {
        let der = self.0.public_key().as_ref().to_vec();
        let text = STANDARD.encode(&der);
        let pem = format!("-----BEGIN RSA PUBLIC KEY-----\n{text}\n-----END RSA PUBLIC KEY-----\n");
        let modulus = self.0.public_key().modulus().big_endian_without_leading_zero().to_vec();
        let jwk = self.jwk("k1", json!({}));
        let number = jwk["n"].as_str().unwrap().as_bytes().to_vec();
        vec![pem.into_bytes(), der, modulus, number, jwk.to_string().into_bytes(), Vec::new()]
    }

    /// The private key as PEM, in PKCS#8.
    pub(crate) fn private_pem(&self) -> String {
        use aws_lc_rs::encoding::AsDer;
        let der: aws_lc_rs::encoding::Pkcs8V1Der<'_> = self.0.as_der().unwrap();
        let text = STANDARD.encode(der.as_ref());
        format!("-----BEGIN PRIVATE KEY-----\n{text}\n-----END PRIVATE KEY-----\n")
    }

    /// Signs a header and claims, byte for byte, with the algorithm of this name.
    pub(crate) fn sign(&self, name: &str, header: &str, claims: &str) -> String {
        let encoding: &'static dyn RsaEncoding = match name {
            "RS256" => &RSA_PKCS1_SHA256,
            "RS384" => &RSA_PKCS1_SHA384,
            "RS512" => &RSA_PKCS1_SHA512,
            "PS256" => &RSA_PSS_SHA256,
            "PS384" => &RSA_PSS_SHA384,
            "PS512" => &RSA_PSS_SHA512,
            other => panic!("no such algorithm: {other}"),
        };
        let text = unsigned(header, claims);
        let mut signature = vec![0; self.0.public_modulus_len()];
        self.0.sign(encoding, &SystemRandom::new(), text.as_bytes(), &mut signature).unwrap();
        format!("{text}.{}", part(signature))
    }

    /// A token as the issuer makes it.
    pub(crate) fn token(&self, kid: &str, claims: &Value) -> String {
        let header = json!({"typ": "JWT", "alg": "RS256", "kid": kid});
        self.sign("RS256", &header.to_string(), &claims.to_string())
    }
}

/// Signs with a shared secret.
pub(crate) fn hmac(name: &str, secret: &[u8], header: &str, claims: &str) -> String {
    let algorithm = match name {
        "HS256" => hmac::HMAC_SHA256,
        "HS384" => hmac::HMAC_SHA384,
        _ => hmac::HMAC_SHA512,
    };
    let text = unsigned(header, claims);
    let tag = hmac::sign(&hmac::Key::new(algorithm, secret), text.as_bytes());
    format!("{text}.{}", part(tag))
}

/// Header and claims, encoded.
pub(crate) fn unsigned(header: &str, claims: &str) -> String {
    format!("{}.{}", part(header), part(claims))
}

pub(crate) fn part(bytes: impl AsRef<[u8]>) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}
