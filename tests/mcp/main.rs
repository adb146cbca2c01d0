//! The service as agents meet it: both eras of the protocol, over memory, child process and HTTP.

#![cfg(feature = "mcp")]

mod bytes;
mod client;
mod eras;
mod files;
mod http;
mod load;
mod quills;
mod repair_loop;
mod tools;
