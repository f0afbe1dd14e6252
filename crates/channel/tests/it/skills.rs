//! This bot as a skill: other bots call it, each in a name space of its own and with tokens of its
//! own.

mod exchange;
mod login;
mod name_spaces;
mod relay;
mod restart;
mod sdk;
mod world;
