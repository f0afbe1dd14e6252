//! Nothing is lost: whatever is read as an activity is written as the same JSON value.

#[cfg(test)]
mod generated;
#[cfg(test)]
mod same;
#[cfg(test)]
mod samples;
