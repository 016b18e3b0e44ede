use bytes::Bytes;
use http_body::Frame;

use super::{uploads::UNIT, *};
use crate::service::BodyLimit;

const COUNTED: AdmissionClass = AdmissionClass::Counted;

fn streamed(bytes: u64) -> BodyRule {
    BodyRule::Streamed(BodyLimit { bytes, by_declared_length: true })
}

async fn read(held: &Upload, bytes: usize) -> bool {
    held.counted(banyan_web::full(vec![0; bytes])).collect().await.is_ok()
}

// rows: GW-ROOM
#[tokio::test]
async fn bodies_share_a_budget_and_give_it_back_with_the_answer() {
    let uploads = Uploads::new(100 << 10);
    let (first, second) = (uploads.begin(), uploads.begin());
    assert!(read(&first, 60 << 10).await);
    assert!(!read(&second, 60 << 10).await);
    assert!(second.was_refused() && !first.was_refused());
    drop(first);
    let third = uploads.begin();
    assert!(read(&third, 60 << 10).await);
}

// rows: GW-ROOM
#[test]
fn a_small_machine_holds_fewer_bodies_but_one_of_any_size() {
    let sizes = |memory, largest_body| {
        let admission = Admission::of(memory, largest_body);
        let uploaded = admission.uploads.budget.available_permits() * UNIT;
        (uploaded, admission.unread.most)
    };
    let body = 50 << 20;
    assert_eq!(sizes(1 << 30, body), (128 << 20, 128 << 20));
    assert_eq!(sizes(256 << 20, body), (50 << 20, 32 << 20));
    assert_eq!(sizes(16 << 30, body), (MOST_UPLOADED, MOST_ANSWERED));
}

// rows: GW-ROOM
#[tokio::test]
async fn a_body_that_is_passed_on_takes_no_room_from_others() {
    let admission = Admission::of(u64::MAX, 0);
    let permit = admission.permit(COUNTED, &Peer::Unix, &Method::POST).expect("a permit");
    let piece = Bytes::from(vec![0; 1 << 20]);
    let part = piece.clone();
    let pieces = (0..=MOST_UPLOADED >> 20).map(move |_| Ok(Frame::data(part.clone())));
    let body = http_body_util::StreamBody::new(futures_util::stream::iter(pieces)).boxed_unsync();
    let mut body = permit.bound(streamed(u64::MAX), Request::new(body)).into_body();
    while let Some(frame) = body.frame().await {
        frame.expect("nothing is full");
    }
    assert!(read(&admission.uploads.begin(), 60 << 10).await, "and the next one finds all of it");
    assert!(permit.judge(Response::new(banyan_web::full(""))).is_ok());
    let body = banyan_web::full(piece);
    let large = permit.bound(streamed(1000), Request::new(body)).into_body().collect().await;
    assert!(large.is_err(), "its own bound holds");
}

// rows: GW-ROOM
#[test]
fn answers_that_nobody_reads_end_the_taking_of_requests_until_they_are_dropped() {
    let admission = Admission::of(u64::MAX, 0);
    let large = || {
        let permit = admission.permit(COUNTED, &Peer::Unix, &Method::GET).expect("a permit");
        permit.judge(Response::new(banyan_web::full(vec![0; 300 << 20]))).expect("counted")
    };
    let kept = [large(), large()];
    assert!(admission.permit(COUNTED, &Peer::Unix, &Method::GET).is_err());
    assert!(admission.permit(AdmissionClass::Exempt, &Peer::Unix, &Method::GET).is_ok());
    drop(kept);
    assert!(admission.permit(COUNTED, &Peer::Unix, &Method::GET).is_ok());
}

// rows: GW-ROOM-SHARE
#[test]
fn an_address_that_leaves_its_answers_unread_leaves_room_for_others() {
    let admission = Admission::of(8 << 20, 0).shared(vec![Network::parse("10.0.0.0/8").unwrap()]);
    let peer = |address: &str| Peer::Tcp((address.parse::<std::net::IpAddr>().unwrap(), 40_000).into());
    let answer = |permit: &Permit<'_>| permit.judge(Response::new(banyan_web::full(vec![0; 200 << 10])));
    let (one, other, proxy) = (peer("203.0.113.7"), peer("203.0.113.8"), peer("10.0.0.1"));
    let get = |peer: &Peer| admission.permit(COUNTED, peer, &Method::GET);
    // All of them were taken before the first one was answered.
    let permits: Vec<_> = (0..3).map(|_| get(&one).expect("a permit")).collect();
    let kept: Vec<_> = permits.iter().map(answer).collect();
    let fit: Vec<_> = kept.iter().map(Result::is_ok).collect();
    assert_eq!(fit, [true, false, false], "a quarter of a mebibyte holds one");
    let written = answer(&admission.permit(COUNTED, &one, &Method::POST).expect("a permit"));
    assert!(written.is_ok(), "a change is always answered");
    assert!(get(&one).is_err() && get(&peer("::ffff:203.0.113.7")).is_err());
    assert!(answer(&get(&other).expect("a permit")).is_ok());
    let kept_by_proxy: Vec<_> = (0..2).map(|_| answer(&get(&proxy).expect("a permit"))).collect();
    assert!(kept_by_proxy.iter().all(Result::is_ok), "it asks for many");
    drop((kept, written));
    assert!(get(&one).is_ok(), "given back");
    drop(kept_by_proxy);
    assert!(admission.unread.waiting().by_client.is_empty(), "nothing is kept of who is gone");
}

// rows: GW-TRANSFERS
#[test]
fn transfers_leave_short_requests_their_permits_and_other_addresses_their_share() {
    let admission = Admission::of(64 << 20, 0).shared(Vec::new());
    let peer = |address: &str| Peer::Tcp((address.parse::<std::net::IpAddr>().unwrap(), 40_000).into());
    let upload = |peer: &Peer| admission.permit(AdmissionClass::Transfer, peer, &Method::POST);
    let held: Vec<_> = (0..LEAST_TRANSFERS).map_while(|_| upload(&peer("203.0.113.7")).ok()).collect();
    assert_eq!(held.len(), LEAST_TRANSFERS / PART_OF_ONE, "one address has a share");
    let others: Vec<_> = (0..LEAST_TRANSFERS).map_while(|_| upload(&Peer::Unix).ok()).collect();
    assert_eq!(held.len() + others.len(), LEAST_TRANSFERS);
    assert!(upload(&peer("203.0.113.8")).is_err(), "all are taken");
    assert!(admission.permit(COUNTED, &peer("203.0.113.7"), &Method::POST).is_ok());
    drop(held);
    assert!(upload(&peer("203.0.113.8")).is_ok(), "given back");
}

// rows: GW-TRANSFERS
#[test]
fn a_larger_machine_takes_more_transfers() {
    let most = |memory| Admission::of(memory, 0).most_transfers;
    assert_eq!([64 << 20, 1 << 30, 16 << 30].map(most), [LEAST_TRANSFERS, 256, MOST_TRANSFERS]);
}

#[test]
fn pieces_of_a_byte_take_no_more_than_their_bytes() {
    let uploads = Uploads::new(100 << 10);
    let held = uploads.begin();
    assert!((0..100 << 10).all(|_| held.take(1)));
    assert!(!held.take(1));
}
