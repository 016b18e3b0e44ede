// The checked-in sets of requests with the built-in generator. Each is made for two teachers, so twice, with the same bytes.
// Files and texts are left in a folder, where somebody else reads them.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { extname, join } from "node:path";
import { env } from "node:process";
import { after, before, test } from "node:test";
import { administrator, balance, grant, made, teacherWithCredits, tools } from "./stack.mjs";

const sizes = { "generate-lesson-plan": 26, "generate-question-paper": 67, "generate-teaching-aids": 26, "generate-communication": 21 };
const figures = [];
/** Two teachers for papers and two for all others: one alone would ask for more than a minute allows. */
const pairs = [];

before(async () => {
  const admin = await administrator();
  for (let n = 0; n < 2; n += 1) {
    const pair = [await teacherWithCredits(), await teacherWithCredits()];
    for (const who of pair) await grant(admin, who, 4000 - 20);
    pairs.push(pair);
  }
});

for (const tool of tools) {
  test(`${tool.name}: every request is answered, and the same request with the same bytes`, async () => {
    assert.ok(tool.requests.length >= sizes[tool.name], `${tool.requests.length} requests`);
    const [one, other] = pairs[tool.name === "generate-question-paper" ? 0 : 1];
    const before = [await balance(one), await balance(other)];
    const times = [];
    for (const [at, request] of tool.requests.entries()) {
      const [first, second] = [await made(one, tool, request), await made(other, tool, request)];
      times.push(first.took, second.took);
      keep(tool, at, first.data);
      assert.equal(first.data.meta.generator, "template");
      assert.equal(first.data.error, undefined);
      // Midnight in India may pass between the two.
      if (first.data.data.createdOn === second.data.data.createdOn) {
        assert.equal(first.data[tool.file], second.data[tool.file], JSON.stringify(request));
        assert.deepEqual(first.data.data, second.data.data);
      }
    }
    const price = 20 * tool.requests.length;
    assert.deepEqual([await balance(one), await balance(other)], before.map((coins) => coins - price), "each paid once");
    await replayed(one, tool);
    tell(tool.name, times);
  });
}

test("the largest requests stay within their memory", async () => {
  const [, [who]] = pairs;
  const padding = "x".repeat(150_000);
  const largest = {
    "generate-lesson-plan": { board: "CBSE", class: 8, subject: "Telugu", periods: 5, chapter: "త".repeat(200), bookName: "త".repeat(200), publisher: "త".repeat(200) },
    "generate-question-paper": { board: "CBSE", class: 10, subject: "Mathematics", chapter: "Quadratic Equations", bookName: "M".repeat(200), publisher: "N".repeat(200), marks: 100, timeHours: 4, numberOfSections: 6, difficultyLevel: "hard", questionTypes: ["fill", "true-false"] },
    "generate-teaching-aids": { board: "CBSE", grade: 8, subject: "Telugu", aidTypes: ["worksheets", "practice-sheets", "interactive-activities", "games", "flashcards", "quiz", "presentation", "study-guides", "rubrics"], chapterName: "త".repeat(200), learningObjectives: "త ".repeat(999), difficultyLevel: "hard", numberOfPages: 10 },
    "generate-communication": { communicationType: "formal", schoolName: "త".repeat(200), senderRole: "Head", senderName: "Asha Rao", targetAudience: "Parents", eventDate: "2027-01-15", purpose: "త".repeat(300), keyDetails: "త క\n".repeat(999), tone: "formal", signature: "Asha Rao" },
  };
  for (const tool of tools) {
    for (const preferredFormat of ["docx", "rtf"]) {
      const { data } = await made(who, tool, { ...largest[tool.name], preferredFormat, padding });
      keep(tool, `largest-${preferredFormat}`, data);
    }
  }
});

after(() => writeFileSync(join(env.DOCUMENTS, "figures"), figures.join("\n") + "\n"));

/** The same request of the same teacher gives the stored document, and what was paid for it comes back. */
async function replayed(who, tool) {
  const [request] = tool.requests;
  const coins = await balance(who);
  const [first, again] = [await made(who, tool, request), await made(who, tool, { ...request, outputType: "email" })];
  assert.equal(again.data[tool.file], first.data[tool.file]);
  assert.equal(await balance(who), coins, "nothing more was paid");
}

function keep({ name, file, text }, at, data) {
  const path = join(env.DOCUMENTS, `${name}-${at}`);
  writeFileSync(path + extname(data.filename), Buffer.from(data[file], "base64"));
  writeFileSync(`${path}.txt`, data[text]);
}

function tell(name, times) {
  times.sort((a, b) => a - b);
  const at = (share) => times[Math.min(times.length - 1, Math.floor(times.length * share))].toFixed(0);
  figures.push(`${name}: ${times.length} answers, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, slowest ${at(1)} ms`);
}
