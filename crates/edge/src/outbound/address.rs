//! Which addresses a function may reach by a name (CONTRACT.md H03).

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Addresses of IPv4 with a special purpose or with many receivers: ranges that IANA's registry of
/// special-purpose addresses does not call globally reachable, multicast, and two ranges of /24 in
/// the registry that few hosts leave. Each is its first address and the length of its prefix.
const SPECIAL_V4: [(Ipv4Addr, u32); 15] = [
    (Ipv4Addr::new(0, 0, 0, 0), 8),
    (Ipv4Addr::new(10, 0, 0, 0), 8),
    (Ipv4Addr::new(100, 64, 0, 0), 10),
    (Ipv4Addr::new(127, 0, 0, 0), 8),
    (Ipv4Addr::new(169, 254, 0, 0), 16),
    (Ipv4Addr::new(172, 16, 0, 0), 12),
    (Ipv4Addr::new(192, 0, 0, 0), 24),
    (Ipv4Addr::new(192, 0, 2, 0), 24),
    // The old anycast address of 6to4 relays.
    (Ipv4Addr::new(192, 88, 99, 0), 24),
    (Ipv4Addr::new(192, 168, 0, 0), 16),
    (Ipv4Addr::new(198, 18, 0, 0), 15),
    (Ipv4Addr::new(198, 51, 100, 0), 24),
    (Ipv4Addr::new(203, 0, 113, 0), 24),
    (Ipv4Addr::new(224, 0, 0, 0), 4),
    (Ipv4Addr::new(240, 0, 0, 0), 4),
];

/// The addresses of IPv6 that IANA assigns as globally reachable. Outside are loopback, private,
/// link-local and site-local addresses, the discard prefix, segment ids, multicast, and old forms
/// of IPv4 addresses.
const GLOBAL_V6: (Ipv6Addr, u32) = (Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0), 3);

/// Addresses in that range with a special purpose.
const SPECIAL_V6: [(Ipv6Addr, u32); 4] = [
    // Protocol assignments: Teredo, benchmarking, ORCHID and others.
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23),
    // Documentation.
    (Ipv6Addr::new(0x2001, 0x0db8, 0, 0, 0, 0, 0, 0), 32),
    // 6to4. It leads to an IPv4 address by relays that nobody runs any more.
    (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16),
    // Documentation.
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20),
];

/// Whether an address is open to everybody.
pub(super) fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => match embedded_v4(address.segments()) {
            Some(embedded) => is_public_v4(embedded),
            None => is_public_v6(address),
        },
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let bits = u32::from(address);
    SPECIAL_V4.iter().all(|(first, length)| (bits ^ u32::from(*first)) >> (32 - length) != 0)
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let is_in =
        |(first, length): &(Ipv6Addr, u32)| (address.to_bits() ^ first.to_bits()) >> (128 - length) == 0;
    is_in(&GLOBAL_V6) && !SPECIAL_V6.iter().any(is_in)
}

/// The IPv4 address that a connection really goes to, for an IPv4-mapped address and for the
/// well-known prefix of NAT64. By NAT64 a machine without IPv4 reaches hosts that have only IPv4.
/// Any other prefix of NAT64 belongs to one network.
fn embedded_v4(parts: [u16; 8]) -> Option<Ipv4Addr> {
    match parts {
        [0, 0, 0, 0, 0, 0xffff, high, low] | [0x0064, 0xff9b, 0, 0, 0, 0, high, low] => {
            Some(Ipv4Addr::from((u32::from(high) << 16) | u32::from(low)))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: H03
    #[test]
    fn private_and_special_addresses_are_denied_in_every_disguise() {
        for denied in [
            "0.0.0.0",
            "10.1.2.3",
            "100.64.0.1",
            "127.0.0.1",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.8",
            "192.0.2.1",
            "192.168.1.1",
            "198.18.0.1",
            "198.19.255.255",
            "198.51.100.7",
            "203.0.113.9",
            "224.0.0.1",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "fc00::1",
            "fdff::1",
            "fe80::1",
            "febf::1",
            "ff02::1",
            "2001:db8::1",
            "::ffff:127.0.0.1",
            "::ffff:169.254.169.254",
            "::10.0.0.1",
            "64:ff9b::10.0.0.1",
            "64:ff9b:1::1",
            "2002:7f00:1::",
            "2002:a9fe:a9fe::1",
            "2002:101:101::1",
            "::1.1.1.1",
            "::ffff:0:1.1.1.1",
            "64:ff9b:1::1.1.1.1",
            "64:ff9b::ffff:1.1.1.1",
            "fec0::1",
            "feff::1",
            "100::1",
            "100:0:0:1::1",
            "2001::1",
            "2001:0:4136:e378:8000:63bf:3fff:fdd2",
            "2001:2::1",
            "2001:10::1",
            "2001:20::1",
            "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff",
            "3fff::1",
            "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff",
            "5f00::1",
            "4000::1",
            "1fff:ffff::1",
            "192.88.99.1",
        ] {
            assert!(!is_public(denied.parse().unwrap()), "{denied}");
        }
    }

    // rows: H03
    #[test]
    fn public_addresses_pass() {
        for public in [
            "1.1.1.1",
            "8.8.8.8",
            "100.63.255.255",
            "100.128.0.1",
            "172.15.0.1",
            "172.32.0.1",
            "198.17.255.255",
            "198.20.0.1",
            "223.255.255.255",
            "2606:4700::1111",
            "::ffff:1.1.1.1",
            "64:ff9b::1.1.1.1",
            "2001:200::1",
            "2001:4860:4860::8888",
            "2001:db7:ffff::1",
            "2001:db9::1",
            "2003::1",
            "2620:4f:8000::1",
            "3fff:1000::1",
            "192.88.98.1",
            "192.0.1.1",
        ] {
            assert!(is_public(public.parse().unwrap()), "{public}");
        }
    }
}
