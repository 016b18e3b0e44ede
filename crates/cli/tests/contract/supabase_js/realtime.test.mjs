// Realtime with the published client: broadcasts of both versions, over the socket and HTTP, private topics, sign-out.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, test } from "node:test";
import { createClient } from "@supabase/supabase-js";
import { anonymous, teacher } from "./stack.mjs";

const { API_URL, PUBLISHABLE_KEY } = process.env;

const open = [];
after(() => Promise.all(open.map((client) => client.removeAllChannels())));

/** A channel that has joined, and what it has received so far of an event. */
async function joined(client, name, config = {}, event = "*") {
  open.push(client);
  const channel = client.channel(name, { config });
  const received = [];
  channel.on("broadcast", { event }, (message) => received.push(message));
  const [status, error] = await subscribed(channel);
  assert.equal(status, "SUBSCRIBED", error?.message);
  return { channel, received };
}

/** The first state of a channel that subscribes. */
function subscribed(channel) {
  return new Promise((resolve) => {
    channel.subscribe((status, error) => resolve([status, error]));
  });
}

/** Waits for something that has to become true. */
async function until(what, reason) {
  for (let tries = 0; tries < 400; tries += 1) {
    if (what()) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  assert.fail(reason);
}

/** A message without what it is called by. */
const broadcast = (event, payload) => ({ type: "broadcast", event, payload });

test("a broadcast reaches the others of its topic, and its sender if it asks to", async () => {
  const name = `room-${randomUUID()}`;
  const sender = await joined(anonymous(), name, { broadcast: { self: true, ack: true } });
  const receiver = await joined((await teacher()).client, name);
  const elsewhere = await joined(anonymous(), `${name}-other`);
  for (let number = 0; number < 20; number += 1) {
    assert.equal(await sender.channel.send(broadcast("count", { number })), "ok");
  }
  await until(() => receiver.received.length === 20, "the last one arrives");
  const all = Array.from({ length: 20 }, (_, number) => broadcast("count", { number }));
  assert.deepEqual(receiver.received, all);
  assert.deepEqual(sender.received, all);
  assert.deepEqual(elsewhere.received, []);
});

test("bytes arrive as they were sent", async () => {
  const name = `room-${randomUUID()}`;
  const sender = await joined(anonymous(), name, { broadcast: { ack: true } });
  const receiver = await joined(anonymous(), name);
  const payload = Uint8Array.from({ length: 1000 }, (_, place) => place % 256).buffer;
  assert.equal(await sender.channel.send(broadcast("bytes", payload)), "ok");
  await until(() => receiver.received.length === 1, "it arrives");
  assert.deepEqual(new Uint8Array(receiver.received[0].payload), new Uint8Array(payload));
});

test("clients of both versions hear each other", async () => {
  const name = `room-${randomUUID()}`;
  const options = { auth: { persistSession: false }, realtime: { vsn: "1.0.0" } };
  const old = await joined(createClient(API_URL, PUBLISHABLE_KEY, options), name, { broadcast: { ack: true } });
  const current = await joined(anonymous(), name, { broadcast: { ack: true } });
  assert.equal(await old.channel.send(broadcast("of version 1", { number: 1 })), "ok");
  assert.equal(await current.channel.send(broadcast("of version 2", { number: 2 })), "ok");
  await until(() => old.received.length + current.received.length === 2, "both arrive");
  assert.deepEqual(current.received, [broadcast("of version 1", { number: 1 })]);
  assert.deepEqual(old.received, [broadcast("of version 2", { number: 2 })]);
});

test("a broadcast over HTTP needs no channel", async () => {
  const name = `room-${randomUUID()}`;
  const receiver = await joined(anonymous(), name);
  const sent = await anonymous().channel(name).httpSend("over HTTP", { number: 3 });
  assert.equal(sent.success, true);
  await until(() => receiver.received.length === 1, "it arrives");
  assert.deepEqual(receiver.received[0].payload, { number: 3 });
});

test("a private topic is open to whom its policies let in", async () => {
  const [owner, other] = [await teacher(), await teacher()];
  const name = `contract:${owner.user.id}`;
  const config = { private: true, broadcast: { self: true, ack: true } };
  for (const client of [other.client, anonymous()]) {
    open.push(client);
    const [status, error] = await subscribed(client.channel(name, { config }));
    assert.equal(status, "CHANNEL_ERROR");
    assert.match(error.message, /^Unauthorized: You do not have permissions to read from this Channel topic: contract:/);
    await client.removeAllChannels();
  }
  const own = await joined(owner.client, name, config);
  const elsewhere = await joined(other.client, name);
  assert.equal(await own.channel.send(broadcast("own", {})), "ok");
  await until(() => own.received.length === 1, "it arrives");
  assert.deepEqual(elsewhere.received, [], "the public topic of this name is another one");
});

test("who signs out everywhere is in no channel any more", async () => {
  const { client, session } = await teacher();
  const tab = createClient(API_URL, PUBLISHABLE_KEY, { auth: { persistSession: false, autoRefreshToken: false } });
  await tab.auth.setSession(session);
  const states = [];
  open.push(tab);
  const channel = tab.channel(`room-${randomUUID()}`);
  channel.subscribe((status) => states.push(status));
  await until(() => states.includes("SUBSCRIBED"), "the tab has joined");
  const { error } = await client.auth.signOut({ scope: "global" });
  assert.equal(error, null);
  await until(() => states.includes("CLOSED"), "the tab hears of it");
});
