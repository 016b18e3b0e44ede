// A language model that answers nothing but errors.
import assert from "node:assert/strict";
import { test } from "node:test";
import { balance, deduct, lesson, teacherWithCredits } from "./stack.mjs";

test("a failing model costs nothing and is told in words a teacher understands", async () => {
  const who = await teacherWithCredits();
  await deduct(who);
  const { data, error } = await who.client.functions.invoke("generate-lesson-plan", { body: lesson });
  assert.equal(data, null);
  assert.equal(error.context.status, 502);
  const body = await error.context.json();
  assert.equal(body.code, "generator_failed");
  assert.ok(body.error.length > 10 && body.requestId);
  assert.equal(await balance(who), 20, "the 20 credits came back with the answer");

  await who.client.from("profiles").update({ coins: 20 }).eq("user_id", who.user.id);
  assert.equal(await balance(who), 20, "the client's own refund changes nothing more");
});
