// Ways to cheat the wallet, tried through the public API by signed-in users.
import assert from "node:assert/strict";
import { test } from "node:test";
import { anonymous, balance, deduct, lesson, service, teacher, teacherWithCredits, tools } from "./stack.mjs";

test("nobody reads or changes another teacher's profile", async () => {
  const [owner, thief] = [await teacherWithCredits(), await teacherWithCredits()];
  const mine = (query) => query.eq("user_id", owner.user.id);
  assert.deepEqual((await mine(thief.client.from("profiles").select("*"))).data, []);
  assert.deepEqual((await mine(thief.client.from("profiles").update({ coins: 0 })).select()).data, []);
  assert.deepEqual((await mine(thief.client.from("profiles").delete()).select()).data, []);
  const anonymously = await mine(anonymous().from("profiles").select("*"));
  assert.ok(anonymously.error || anonymously.data.length === 0);
  const claimed = await thief.client.from("profiles").insert({ user_id: owner.user.id, coins: 20 });
  assert.ok(claimed.error);
  assert.equal(await balance(owner), 20);
});

test("a forged token pays with nobody's credits", async () => {
  const victim = await teacherWithCredits();
  const claims = { role: "authenticated", sub: victim.user.id, email: victim.user.email };
  const payload = Buffer.from(JSON.stringify(claims)).toString("base64url");
  const { API_URL, ANON_KEY, PUBLISHABLE_KEY } = process.env;
  const [{ requests }] = tools.filter((tool) => tool.name === "generate-communication");
  for (const { name } of tools) {
    for (const token of [`sb_.${payload}.x`, `sb_publishable_.${payload}.x`, `h.${payload}.s`]) {
      for (const apikey of [ANON_KEY, PUBLISHABLE_KEY]) {
        const answer = await fetch(`${API_URL}/functions/v1/${name}`, {
          method: "POST",
          headers: { apikey, Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
          body: JSON.stringify(requests[0]),
        });
        assert.equal(answer.status, 401, `${name} ${token.slice(0, 20)}: ${await answer.text()}`);
      }
    }
  }
  assert.equal(await balance(victim), 20);
});

test("no call raises one's own coins", async () => {
  const who = await teacherWithCredits();
  const { client, user } = who;
  const profiles = () => client.from("profiles");
  const tries = [
    profiles().update({ coins: 40 }).eq("user_id", user.id),
    profiles().update({ coins: 1_000_000 }).eq("user_id", user.id),
    profiles().upsert({ user_id: user.id, coins: 100 }),
    profiles().upsert({ user_id: user.id, coins: 100 }, { ignoreDuplicates: true }),
    profiles().insert({ user_id: user.id, coins: 100 }),
    profiles().update({ coins: -1 }).eq("user_id", user.id),
    profiles().update({ coins: null }).eq("user_id", user.id),
    client.from("credit_ledger").insert({ user_id: user.id, delta: 100 }),
    client.from("credit_ledger").update({ delta: 100 }).eq("user_id", user.id),
    client.from("credit_ledger").delete().eq("user_id", user.id),
    client.rpc("claim_generation", { owner: user.id, tool: "generate-lesson-plan", request_key: "x" }),
    client.rpc("complete_generation", { generation_id: user.id, result: {} }),
    client.rpc("fail_generation", { generation_id: user.id, reason: "mine" }),
    client.rpc("sweep_deductions"),
  ];
  for (const tried of tries) await tried;
  assert.equal(await balance(who), 20);
});

test("a profile deleted and made again starts at the balance it had", async () => {
  const who = await teacherWithCredits();
  await deduct(who);
  await who.client.functions.invoke("generate-lesson-plan", { body: lesson });
  await who.client.from("profiles").delete().eq("user_id", who.user.id);
  await who.client.from("profiles").insert({ user_id: who.user.id, coins: 100 });
  assert.equal(await balance(who), 0);
});

test("a first profile starts with one of the two specified balances only", async () => {
  const who = await teacher();
  for (const coins of [0, 19, 21, 50, 101, 1_000_000]) {
    const { error } = await who.client.from("profiles").insert({ user_id: who.user.id, coins });
    assert.ok(error, `${coins} must be refused`);
  }
  assert.equal(await balance(who), null);
});

test("a delivered document is not refunded", async () => {
  const who = await teacherWithCredits();
  await deduct(who);
  const made = await who.client.functions.invoke("generate-lesson-plan", { body: lesson });
  assert.equal(made.error, null);
  await who.client.from("profiles").update({ coins: 20 }).eq("user_id", who.user.id);
  assert.equal(await balance(who), 0);
});

test("fifty deductions at once take 20 once", async () => {
  const who = await teacherWithCredits();
  const all = await Promise.all(Array.from({ length: 50 }, () => deduct(who)));
  assert.equal(all.filter(({ data }) => data?.length === 1).length, 1);
  assert.equal(await balance(who), 0);
});

test("fifty refunds at once give one deduction back once", async () => {
  const who = await teacherWithCredits();
  await deduct(who);
  await Promise.all(
    Array.from({ length: 50 }, () => who.client.from("profiles").update({ coins: 20 }).eq("user_id", who.user.id)),
  );
  assert.equal(await balance(who), 20);
  const { data: entries } = await service().from("credit_ledger").select("delta").eq("user_id", who.user.id);
  assert.equal(entries.reduce((sum, { delta }) => sum + delta, 0), 20);
});

test("fifty different requests for one deduction make one document", async () => {
  const who = await teacherWithCredits();
  await deduct(who);
  const calls = await Promise.all(
    Array.from({ length: 50 }, (_, n) =>
      who.client.functions.invoke("generate-lesson-plan", { body: { ...lesson, publisher: `Press ${n}` } }),
    ),
  );
  assert.equal(calls.filter(({ error }) => error === null).length, 1);
  const statuses = new Set(calls.filter(({ error }) => error).map(({ error }) => error.context.status));
  assert.ok([...statuses].every((status) => [402, 429, 503].includes(status)), [...statuses].join());
  assert.equal(await balance(who), 0);
});
