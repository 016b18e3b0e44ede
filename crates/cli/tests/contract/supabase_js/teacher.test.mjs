// The product's main path with the published client: sign in, 20 credits, a lesson plan, 0 credits.
import assert from "node:assert/strict";
import { test } from "node:test";
import { anonymous, balance, codeFor, deduct, freshAddress, lesson, teacher, teacherWithCredits } from "./stack.mjs";

test("a teacher signs in with a code, makes a lesson plan and pays 20 credits once", async () => {
  const who = await teacherWithCredits();
  assert.equal(await balance(who), 20);

  const paid = await deduct(who);
  assert.equal(paid.error, null);
  assert.deepEqual(paid.data.map((row) => row.coins), [0]);

  const { data, error } = await who.client.functions.invoke("generate-lesson-plan", { body: lesson });
  assert.equal(error, null);
  assert.match(Buffer.from(data.docContent, "base64").toString("latin1"), /^\{\\rtf1/);
  assert.match(data.filename, /^[a-z0-9-]+\.rtf$/);
  assert.ok(data.lessonPlan.includes("Light"), "the plan names its chapter");
  assert.equal(data.meta.generator, "template");
  assert.equal(await balance(who), 0);

  const again = await who.client.functions.invoke("generate-lesson-plan", { body: lesson });
  assert.equal(again.error, null, "the same request within ten minutes gives the stored document");
  assert.equal(again.data.docContent, data.docContent);
  assert.equal(await balance(who), 0);
});

test("without a deduction the paid function answers 402 in words a teacher understands", async () => {
  const who = await teacherWithCredits();
  const { data, error } = await who.client.functions.invoke("generate-lesson-plan", { body: lesson });
  assert.equal(data, null);
  assert.equal(error.context.status, 402);
  const body = await error.context.json();
  assert.equal(body.code, "insufficient_credits");
  assert.ok(body.error.length > 10 && body.requestId);
  assert.equal(await balance(who), 20, "nothing was taken");
});

test("a refused request gives nothing to pay for and the deduction can be taken back", async () => {
  const who = await teacherWithCredits();
  await deduct(who);
  const { error } = await who.client.functions.invoke("generate-lesson-plan", { body: { ...lesson, chapter: "" } });
  assert.equal(error.context.status, 400);
  assert.ok("chapter" in (await error.context.json()).fields);
  const back = await who.client.from("profiles").update({ coins: 20 }).eq("user_id", who.user.id).select();
  assert.equal(back.error, null);
  assert.equal(await balance(who), 20);
});

test("the function is closed to callers who are not signed in", async () => {
  const { error } = await anonymous().functions.invoke("generate-lesson-plan", { body: lesson });
  assert.equal(error.context.status, 401);
});

test("a wrong code is refused, the right one works once", async () => {
  const address = freshAddress();
  const client = anonymous();
  await client.auth.signInWithOtp({ email: address });
  const code = await codeFor(address);
  const wrong = String((Number(code) + 1) % 1_000_000).padStart(6, "0");
  const refused = await client.auth.verifyOtp({ email: address, token: wrong, type: "email" });
  assert.equal(refused.error.code, "otp_expired");
  const accepted = await client.auth.verifyOtp({ email: address, token: code, type: "email" });
  assert.equal(accepted.error, null);
  const replayed = await anonymous().auth.verifyOtp({ email: address, token: code, type: "email" });
  assert.equal(replayed.error.code, "otp_expired");
});

test("a session is refreshed, read and ended", async () => {
  const who = await teacher();
  const refreshed = await who.client.auth.refreshSession();
  assert.equal(refreshed.error, null);
  assert.notEqual(refreshed.data.session.refresh_token, who.session.refresh_token);
  const read = await who.client.auth.getUser();
  assert.equal(read.data.user.email, who.user.email);
  const ended = await who.client.auth.signOut();
  assert.equal(ended.error, null);
  const after = await anonymous().auth.refreshSession({ refresh_token: refreshed.data.session.refresh_token });
  assert.ok(after.error, "an ended session cannot be refreshed");
});
