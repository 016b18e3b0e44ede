// A language model behind the tools, which does what a request names.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { balance, deduct, eventsOf, lesson, service, teacherWithCredits, tools } from "./stack.mjs";

/** A request of a tool that makes the model do this. */
function doing(tool, what) {
  const request = tool.name === "generate-lesson-plan" ? { ...lesson, class: 9, chapter: "How Forces Affect Motion" } : tool.requests[0];
  for (const field of ["chapter", "chapterName", "purpose"]) if (field in request) return { ...request, [field]: `${request[field]} ${what}` };
  throw new Error(`${tool.name} has no field for a topic`);
}
const lessonTool = tools.find(({ name }) => name === "generate-lesson-plan");

async function ready(tool) {
  const who = await teacherWithCredits();
  if (tool.paidBefore) await deduct(who);
  return who;
}

const failures = [
  ["answers 500", 502, "generator_failed"],
  ["answers 429", 502, "generator_failed"],
  ["breaks off", 502, "generator_failed"],
  ["stalls", 504, "generator_timeout"],
];
for (const [what, status, code] of failures) {
  for (const tool of tools) {
    // rows: app/D10
    test(`${tool.name}: a model that ${what} costs nothing and is told in words a teacher understands`, { concurrency: true }, async () => {
      const who = await ready(tool);
      const { data, error } = await who.client.functions.invoke(tool.name, { body: doing(tool, what) });
      assert.equal(data, null);
      assert.equal(error.context.status, status);
      const body = await error.context.json();
      assert.equal(body.code, code);
      assert.ok(body.error.length > 10 && body.requestId);
      assert.equal(await balance(who), 20, "the 20 credits came back with the answer");
      await who.client.from("profiles").update({ coins: 20 }).eq("user_id", who.user.id);
      assert.equal(await balance(who), 20, "the client's own refund changes nothing more");
    });
  }
}

for (const tool of tools) {
  // rows: functions/V01
  test(`${tool.name}: a model that tells stories leaves a document of the bank that says so`, async () => {
    const who = await ready(tool);
    const { data, error } = await who.client.functions.invoke(tool.name, { body: doing(tool, "tells stories") });
    assert.equal(error, null);
    assert.deepEqual([data.meta.generator, data.meta.model], ["template", null]);
    assert.ok(!data[tool.text].includes("Once upon"));
    assert.equal(await balance(who), 0);
  });
}

test("section by section is told while a model writes, and then the result", async () => {
  const who = await ready(lessonTool);
  const body = doing(lessonTool, "");
  const heard = [];
  for await (const event of eventsOf(who, lessonTool.name, body)) heard.push({ ...event, at: performance.now() });
  assert.deepEqual(heard.map(({ name }) => name), ["planned", "section", "section", "section", "checking", "result"]);
  assert.deepEqual(heard.slice(0, 4).map(({ data }) => data), [{ sections: 3 }, { done: 1, of: 3 }, { done: 2, of: 3 }, { done: 3, of: 3 }]);
  const [planned, frame, period] = heard;
  // The model thinks before each; an answer in one piece would bring all at once.
  assert.ok(frame.at - planned.at > 200, `the first section came ${frame.at - planned.at} ms after the plan`);
  assert.ok(period.at - frame.at > 200, `the second section came ${period.at - frame.at} ms after the first`);
  const result = heard.at(-1).data;
  assert.deepEqual([result.meta.generator, result.meta.coverage], ["model", 1]);
  const again = await who.client.functions.invoke(lessonTool.name, { body });
  assert.equal(again.data.docContent, result.docContent, "the stored document is the same");
  assert.equal(await balance(who), 0);
});

// rows: app/D09
test("who leaves while a model writes gets the document later, paid once", async () => {
  const who = await ready(lessonTool);
  const body = doing(lessonTool, "");
  const leave = new AbortController();
  for await (const { name } of eventsOf(who, lessonTool.name, body, { signal: leave.signal })) {
    assert.equal(name, "planned");
    break;
  }
  leave.abort();
  const { data, error } = await who.client.functions.invoke(lessonTool.name, { body });
  assert.equal(error, null, "it waits for the one that is being made");
  assert.equal(data.meta.generator, "model");
  assert.equal(await balance(who), 0);
  const made = await service().from("generations").select("status").eq("user_id", who.user.id);
  assert.deepEqual(made.data, [{ status: "finished" }], "one document was made");
});

// rows: app/D09
test("a cancellation by the key gives the credits back and ends what is being told", async () => {
  const who = await ready(lessonTool);
  const body = doing(lessonTool, "takes its time");
  const key = crypto.randomUUID();
  const heard = [];
  for await (const event of eventsOf(who, lessonTool.name, body, { headers: { "Idempotency-Key": key } })) {
    heard.push(event);
    if (event.name !== "planned") continue;
    const cancelled = await who.client.rpc("cancel_generation", { request_key: key });
    assert.deepEqual([cancelled.error, cancelled.data], [null, true]);
    assert.equal(await balance(who), 20, "given back at once");
    const again = await who.client.rpc("cancel_generation", { request_key: key });
    assert.deepEqual([again.error, again.data], [null, false]);
  }
  const last = heard.at(-1);
  assert.deepEqual([last.name, last.data.code, last.data.status], ["error", "cancelled", 409]);
  await sleep(200);
  assert.equal(await balance(who), 20, "and only once");
});
