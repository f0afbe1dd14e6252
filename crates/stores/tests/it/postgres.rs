//! The engine under the suite, on a real server.
