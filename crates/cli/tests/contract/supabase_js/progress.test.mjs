// How far a document is, told event by event to who asks for it; the built-in generator writes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { balance, deduct, eventsOf, teacherWithCredits, tools } from "./stack.mjs";

for (const tool of tools) {
  test(`${tool.name}: planned, every section, checking, and the result that an answer in one piece would be`, async () => {
    const who = await teacherWithCredits();
    if (tool.paidBefore) await deduct(who);
    const [body] = tool.requests;
    const heard = [];
    for await (const event of eventsOf(who, tool.name, body)) heard.push(event);
    const names = heard.map(({ name }) => name);
    assert.equal(names[0], "planned");
    const count = heard[0].data.sections;
    assert.ok(count >= 1);
    const sections = heard.filter(({ name }) => name === "section").map(({ data }) => data);
    assert.deepEqual(sections, Array.from({ length: count }, (_, n) => ({ done: n + 1, of: count })));
    assert.deepEqual(names, ["planned", ...sections.map(() => "section"), "checking", "result"]);
    const { data, error } = await who.client.functions.invoke(tool.name, { body });
    assert.equal(error, null);
    assert.deepEqual(heard.at(-1).data, data, "the stored document is what was told");
    const replayed = [];
    for await (const { name } of eventsOf(who, tool.name, body)) replayed.push(name);
    assert.deepEqual(replayed, ["result"], "what is there already has no steps");
    assert.equal(await balance(who), 0, "paid once");
  });

  test(`${tool.name}: what is refused before there is anything to tell is refused with its status`, async () => {
    const who = await teacherWithCredits();
    await who.client.from("profiles").update({ coins: 0 }).eq("user_id", who.user.id);
    const [body] = tool.requests;
    const events = { Accept: "text/event-stream" };
    const invalid = await who.client.functions.invoke(tool.name, { body: {}, headers: events });
    assert.equal(invalid.error.context.status, 400);
    assert.equal((await invalid.error.context.json()).code, "invalid_request");
    const dry = await who.client.functions.invoke(tool.name, { body: { ...body, dryRun: true } });
    assert.deepEqual([dry.error, dry.data.meta.generator], [null, "template"]);
  });
}
