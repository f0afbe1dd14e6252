//! The book's code: every page with Rust in it is compiled, and mostly run, by the doc tests.
//!
//! `scripts/pages` fails when a page has Rust and is not here.

#[doc = include_str!("../../../README.md")]
struct Readme;

#[doc = include_str!("../../../docs/start/bot.md")]
struct StartBot;

/// This page shows the simulator.
#[cfg(feature = "sim")]
#[doc = include_str!("../../../docs/start/test.md")]
struct StartTest;

#[doc = include_str!("../../../docs/porting/csharp.md")]
struct PortingCsharp;

#[doc = include_str!("../../../docs/porting/javascript.md")]
struct PortingJavascript;

#[doc = include_str!("../../../docs/porting/python.md")]
struct PortingPython;

#[doc = include_str!("../../../docs/porting/samples.md")]
struct PortingSamples;

#[doc = include_str!("../../../docs/guides/authentication.md")]
struct Authentication;

#[doc = include_str!("../../../docs/guides/dialogs.md")]
struct Dialogs;

/// This page shows texts in the language of the user.
#[cfg(feature = "languages")]
#[doc = include_str!("../../../docs/guides/languages.md")]
struct Languages;

#[doc = include_str!("../../../docs/guides/messages.md")]
struct Messages;

#[doc = include_str!("../../../docs/guides/retention.md")]
struct Retention;

#[doc = include_str!("../../../docs/guides/state.md")]
struct State;

/// This page shows the simulator.
#[cfg(feature = "sim")]
#[doc = include_str!("../../../docs/guides/testing.md")]
struct Testing;

#[doc = include_str!("../../../docs/guides/skills.md")]
struct Skills;
#[doc = include_str!("../../../docs/guides/steps.md")]
struct Steps;

#[doc = include_str!("../../../docs/operations/README.md")]
struct Operations;

#[doc = include_str!("../../../docs/reference/configuration.md")]
struct Configuration;
