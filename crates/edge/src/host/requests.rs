//! Bounds requests that a guest makes and may never send, because the host keeps them.

use wasmtime::component::{Linker, Resource};
use wasmtime_wasi_http::{
    WasiHttpView,
    p2::{
        bindings::http::types::{HostOutgoingRequest as _, Method},
        types::HostOutgoingRequest,
    },
};

use super::Host;
use crate::capacity::limits::{LONG_PATH, LONG_PATHS, NAME_BYTES};

/// Refuses long methods and authorities, and long paths beside many other long paths. The interface
/// allows that; wasmtime itself accepts any length.
pub(super) fn bound(linker: &mut Linker<Host>) -> wasmtime::Result<()> {
    linker.allow_shadowing(true);
    let mut types = linker.instance("wasi:http/types@0.2.12")?;
    types.func_wrap(
        "[method]outgoing-request.set-method",
        |mut store, (request, method): (Resource<HostOutgoingRequest>, Method)| {
            let is_long = matches!(&method, Method::Other(name) if name.len() > NAME_BYTES);
            let set = if is_long { Err(()) } else { store.data_mut().http().set_method(request, method)? };
            Ok((set,))
        },
    )?;
    types.func_wrap(
        "[method]outgoing-request.set-authority",
        |mut store, (request, authority): (Resource<HostOutgoingRequest>, Option<String>)| {
            let is_long = authority.as_ref().is_some_and(|name| name.len() > NAME_BYTES);
            let set =
                if is_long { Err(()) } else { store.data_mut().http().set_authority(request, authority)? };
            Ok((set,))
        },
    )?;
    types.func_wrap(
        "[method]outgoing-request.set-path-with-query",
        |mut store, (request, path): (Resource<HostOutgoingRequest>, Option<String>)| {
            let host = store.data_mut();
            let length = path.as_ref().map_or(0, String::len);
            let is_too_much = length > LONG_PATH && length + long_path_bytes(host) > LONG_PATHS;
            let set = if is_too_much { Err(()) } else { host.http().set_path_with_query(request, path)? };
            Ok((set,))
        },
    )?;
    linker.allow_shadowing(false);
    Ok(())
}

/// Bytes of the long paths that an instance has now: those of requests that it made, and those of
/// calls that are on their way.
fn long_path_bytes(host: &mut Host) -> usize {
    let made = host.table.iter_mut().filter_map(|held| held.downcast_ref::<HostOutgoingRequest>());
    let lengths = made.filter_map(|request| Some(request.path_with_query.as_ref()?.len()));
    lengths.filter(|length| *length > LONG_PATH).sum::<usize>() + host.outbound.long_path_bytes()
}
