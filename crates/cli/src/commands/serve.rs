//! `serve`: a page in the browser that shows all runs as they go.

use crate::console::Console;
#[cfg(feature = "page")]
use crate::exit::Failure;
use crate::exit::{Done, Exit};
use fairtrial_session::feature::PAGE;
use std::net::IpAddr;

/// The port that is tried first; it stays the same, so that `ssh -L` can name it.
#[cfg(feature = "page")]
const PORT: u16 = 7357;

/// Show all runs in the browser, as they go: a local page with search, curves, logs and comparisons
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  fairtrial serve                      then open the address that it prints
  fairtrial serve --control            runs can be cancelled, paused and resumed there, too
  ssh -L 7357:localhost:7357 cluster   and `fairtrial serve` on the cluster: the address works here

The address holds a secret: whoever has it sees your runs. The page writes nothing without --control.")]
pub(crate) struct Args {
    /// Port [default: 7357, or any free one where that is in use]
    #[arg(long)]
    port: Option<u16>,
    /// Address to listen at; anything else than this machine's own lets others on the network ask
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    host: IpAddr,
    /// A further name under which a browser may ask for this machine
    #[arg(long = "allow-host", value_name = "NAME")]
    names: Vec<String>,
    /// Let the page cancel, pause and resume runs
    #[arg(long)]
    control: bool,
}

pub(crate) fn run(args: &Args, console: &Console) -> Done {
    PAGE.need()?;
    serve(args, console)
}

#[cfg(feature = "page")]
fn serve(args: &Args, console: &Console) -> Done {
    use fairtrial_session::Event;
    use fairtrial_web::{ServeOptions, Server};

    let server = Server::listen(&ServeOptions {
        host: args.host,
        port: args.port.unwrap_or(PORT),
        any_port: args.port.is_none(),
        names: args.names.clone(),
        control: args.control,
    });
    let server = server.map_err(|error| {
        let hint = "another --port may be free";
        Failure::machine(error.to_string()).hint(hint)
    })?;
    let printer = console.printer;
    printer.line(server.url());
    if !args.host.is_loopback() {
        printer.warn(format!(
            "others on the network can reach {}: they need the secret in the address, which travels unencrypted",
            server.address()
        ));
    }
    let does = if args.control {
        "it can cancel, pause and resume runs"
    } else {
        "it changes nothing (--control lets it)"
    };
    printer.tell(format!(
        "open this address in a browser; {does}; Ctrl-C ends it"
    ));
    if let Some(error) = printer.finish() {
        return Err(Failure::machine(error.to_string()));
    }
    // What there is to know about a run is on its page.
    let session = console.session_heard_by(|_: Event<'_>| {});
    server
        .run(&session)
        .map_err(|error| Failure::machine(error.to_string()))?;
    Ok(Exit::Fine)
}

#[cfg(not(feature = "page"))]
fn serve(_: &Args, _: &Console) -> Done {
    Ok(Exit::Fine)
}
