//! Object stores that speak S3 and know conditional puts.
