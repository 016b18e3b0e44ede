// Mails of the functions in the inbox: what a teacher gets, to whom it goes, and that it comes once.
import assert from "node:assert/strict";
import { env } from "node:process";
import { before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { administrator, freshAddress, grant, made, service, teacher, teacherWithCredits, tools } from "./stack.mjs";

const api = `${env.MAILPIT_URL}/api/v1`;
const get = async (path) => (await fetch(`${api}/${path}`)).json();

/** Mails to an address about something, once there are as many as expected, the newest first. */
async function mails(address, subject, expected = 1) {
  for (let tries = 0; tries < 200; tries += 1) {
    const query = encodeURIComponent(`to:${address} subject:"${subject}"`);
    const { messages } = await get(`search?query=${query}&limit=10`);
    if (messages.length >= expected) return Promise.all(messages.map(({ ID }) => get(`message/${ID}`)));
    await sleep(50);
  }
  throw new Error(`no mail about ${subject} for ${address}`);
}

/** Waits until all mails that were queued so far have left: a mail that is queued now comes after them. */
async function allHaveLeft() {
  const who = await teacherWithCredits();
  await grant(admin, who, 100);
  const { error } = await admin.client.functions.invoke("send-credit-notification", { body: { email: who.user.email, newCreditAmount: 120 } });
  assert.equal(error, null);
  await mails(who.user.email, "credits");
}

async function bytesOf(mail, { PartID }) {
  return Buffer.from(await (await fetch(`${api}/message/${mail.ID}/part/${PartID}`)).arrayBuffer());
}

const types = {
  "generate-lesson-plan": "Lesson Plan",
  "generate-question-paper": "Question Paper",
  "generate-teaching-aids": "Teaching Aids",
  "generate-communication": "Communication",
};
let admin;
before(async () => {
  admin = await administrator();
});

for (const tool of tools) {
  // rows: app/S-390 app/S-391 app/S-394
  test(`${tool.name}: the document comes to the own address, byte for byte and once`, async () => {
    const who = await teacherWithCredits();
    const { data } = await made(who, tool, tool.requests[0]);
    const type = types[tool.name];
    const body = { email: freshAddress(), content: data[tool.text], filename: data.filename, type, [tool.file === "documentContent" ? "documentContent" : "wordContent"]: data[tool.file] };
    const send = () => who.client.functions.invoke("send-generated-content", { body });
    // Twice at once and once more: one mail.
    const answers = [...(await Promise.all([send(), send()])), await send()];
    for (const answer of answers) assert.deepEqual([answer.error, answer.data], [null, { success: true }]);

    const [mail] = await mails(who.user.email, type);
    assert.equal(mail.Subject, `${type}: ${data.filename}`);
    assert.deepEqual(mail.To.map(({ Address }) => Address), [who.user.email]);
    assert.deepEqual([mail.Cc, mail.Bcc].map((list) => list?.length ?? 0), [0, 0]);
    assert.ok(mail.Text.replaceAll(/\s+/g, " ").includes(data[tool.text].trim().split("\n")[0].trim()), "the text is there as well");
    assert.equal(mail.Attachments.length, 1);
    const [file] = mail.Attachments;
    assert.equal(file.FileName, data.filename);
    const kinds = { rtf: "application/rtf", doc: "application/msword", docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document" };
    assert.equal(file.ContentType, kinds[data.filename.split(".").pop()]);
    assert.deepEqual(await bytesOf(mail, file), Buffer.from(data[tool.file], "base64"));

    const raw = await (await fetch(`${api}/message/${mail.ID}/raw`)).text();
    assert.match(raw, /^Content-Type: multipart\/mixed;/im);
    assert.match(raw, /^Content-Disposition: attachment;/im);
    assert.ok(raw.split("\r\n").every((line) => line.length <= 998), "no line is longer than mail allows");
    await allHaveLeft();
    assert.equal((await mails(who.user.email, type)).length, 1, "not sent twice");
    assert.equal((await get(`search?query=${encodeURIComponent(`to:${body.email}`)}`)).messages.length, 0, "nobody else gets it");
  });
}

// rows: app/S-391
test("what is no document, or comes from nobody, is not mailed", async () => {
  const who = await teacher();
  const body = { email: who.user.email, content: "x", filename: "x.rtf", type: "Lesson Plan", wordContent: Buffer.from("MZ").toString("base64") };
  const refused = await who.client.functions.invoke("send-generated-content", { body });
  assert.equal(refused.error.context.status, 400);
  assert.ok("wordContent" in (await refused.error.context.json()).fields);
  const large = Buffer.concat([Buffer.from("{\\rtf1 "), Buffer.alloc(5 << 20, 120)]).toString("base64");
  const tooLarge = await who.client.functions.invoke("send-generated-content", { body: { ...body, wordContent: large } });
  assert.equal(tooLarge.error.context.status, 400);
  const service = await who.client.auth.signOut();
  assert.equal(service.error, null);
  const anonymous = await who.client.functions.invoke("send-generated-content", { body });
  assert.equal(anonymous.error.context.status, 401);
});

// rows: app/S-392 app/S-393
test("news of credits come from administrators only, and once", async () => {
  const who = await teacherWithCredits();
  const moderator = await teacher();
  const made = await service().from("user_roles").insert({ user_id: moderator.user.id, role: "moderator" });
  assert.equal(made.error, null);
  const body = { email: who.user.email, newCreditAmount: 120 };
  const notify = ({ client }) => client.functions.invoke("send-credit-notification", { body });
  for (const other of [who, moderator]) {
    const { error } = await notify(other);
    assert.equal(error.context.status, 403);
    const told = await error.context.json();
    assert.ok(told.code === "forbidden" && told.error.length > 10 && told.requestId);
  }
  await grant(admin, who, 100);
  for (const answer of [await notify(admin), await notify(admin)]) {
    assert.deepEqual([answer.error, answer.data], [null, { success: true }]);
  }
  const [mail] = await mails(who.user.email, "credits");
  assert.match(mail.Subject, /120/);
  assert.match(mail.Text, /120/);
  assert.equal(mail.Attachments.length, 0);
  await allHaveLeft();
  assert.equal((await mails(who.user.email, "credits")).length, 1, "not sent twice");
  const unknown = await admin.client.functions.invoke("send-credit-notification", { body: { ...body, email: freshAddress() } });
  assert.equal(unknown.error.context.status, 400);
});
