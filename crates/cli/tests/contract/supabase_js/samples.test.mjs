// Samples: uploaded as the app does it, and read by the functions as the caller.
import assert from "node:assert/strict";
import { randomBytes, randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { before, test } from "node:test";
import { deflateSync } from "node:zlib";
import { administrator, balance, deduct, grant, lesson, made, service, teacherWithCredits, tools } from "./stack.mjs";

const types = { pdf: "application/pdf", docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document" };
const [plans, papers] = tools;
const plan = { ...lesson, chapter: "प्रकाश", periods: 1 };
const paper = { board: "CBSE", class: 10, subject: "Science", chapter: "Electricity", bookName: "Science", publisher: "NCERT", marks: 20, timeHours: 1, numberOfSections: 3, difficultyLevel: "medium", questionTypes: ["mcq", "short", "long"] };
const pattern = [["mcq", 3, 1], ["short", 4, 3], ["long", 1, 5]];

let who;
let other;

before(async () => {
  const admin = await administrator();
  [who, other] = [await teacherWithCredits(), await teacherWithCredits()];
  await grant(admin, who, 980);
});

/** A file of the crate that reads samples. */
const file = (name) => readFileSync(new URL(`../../../../../functions/_samples/tests/samples/files/${name}`, import.meta.url));

/** A PDF of one page with this content, and more bytes that no page uses. */
function pdf(content, padding = Buffer.alloc(0)) {
  const packed = deflateSync(content);
  return Buffer.concat([
    Buffer.from("%PDF-1.7\n1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj\n2 0 obj <</Type/Pages/Kids[3 0 R]/Count 1>> endobj\n"),
    Buffer.from("3 0 obj <</Type/Page/Parent 2 0 R/Resources<</Font<</F1 5 0 R>>>>/Contents 4 0 R>> endobj\n"),
    Buffer.from("5 0 obj <</Type/Font/Subtype/Type1/BaseFont/Times>> endobj\n"),
    Buffer.from(`4 0 obj <</Filter/FlateDecode/Length ${packed.length}>> stream\n`),
    packed,
    Buffer.from(`\nendstream endobj\n6 0 obj <</Length ${padding.length}>> stream\n`),
    padding,
    Buffer.from("\nendstream endobj\ntrailer <</Root 1 0 R>>\n%%EOF\n"),
  ]);
}

/** A PDF of one page with these resources and this content; object 6 is `more`. */
function pdfWith(resources, content, more = "null") {
  const packed = deflateSync(content);
  return Buffer.concat([
    Buffer.from("%PDF-1.7\n1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj\n2 0 obj <</Type/Pages/Kids[3 0 R]/Count 1>> endobj\n"),
    Buffer.from(`3 0 obj <</Type/Page/Resources<<${resources}>>/Contents 4 0 R>> endobj\n6 0 obj ${more} endobj\n`),
    Buffer.from(`4 0 obj <</Filter/FlateDecode/Length ${packed.length}>> stream\n`),
    packed,
    Buffer.from("\nendstream endobj\ntrailer <</Root 1 0 R>>\n%%EOF\n"),
  ]);
}

/** The content of a page with these lines. */
const written = (lines) => `BT /F1 12 Tf 50 800 Td ${lines.map((line) => `(${line.replace(/[()]/g, "\\$&")}) Tj 0 -16 Td`).join(" ")} ET`;

/** Three questions of 1 mark, four of 3, one of 5. */
const questions = written([
  "Unit Test - Maximum marks: 20",
  "Section A: Multiple choice questions",
  ...[1, 2, 3].map((n) => `${n}. The unit of the quantity number ${n} is (1)`),
  "Section B: Short answers",
  ...[4, 5, 6, 7].map((n) => `${n}. Why do birds sit on wire number ${n} unharmed? (3)`),
  "Section C: Long answers",
  "8. Describe an experiment about the law of Ohm. (5)",
]);

/** Uploads a sample; its name is the marker of a request. */
async function uploaded({ client, user }, bytes, kind) {
  const name = `${user.id}/${randomUUID()}.${kind}`;
  const { error } = await client.storage.from("samples").upload(name, bytes, { contentType: types[kind] });
  assert.equal(error, null);
  return name;
}

/** Status and code of a call that is refused. */
async function refused({ client }, { name }, body) {
  const { data, error } = await client.functions.invoke(name, { body });
  assert.equal(data, null, JSON.stringify(data)?.slice(0, 500));
  const { code, error: sentence } = await error.context.json();
  assert.ok(sentence.length > 20, sentence);
  return [error.context.status, code];
}

const partsOf = ({ data }) => data.sections.flatMap(({ parts }) => parts.map(({ type, count, marksEach }) => [type, count, marksEach]));

test("a lesson plan takes the names of its parts from a DOCX and from a PDF", async () => {
  for (const kind of ["docx", "pdf"]) {
    const referencePlanUrl = await uploaded(who, file(`lesson_hi.${kind}`), kind);
    const { data } = await made(who, plans, { ...plan, referencePlanUrl });
    const titles = Object.fromEntries(data.data.order.map(({ part, title }) => [part, title]));
    assert.deepEqual([titles.outcomes, titles.resources, titles.links], ["उद्देश्य", "सामग्री", undefined], kind);
    assert.match(data.lessonPlan, /\nउद्देश्य\n/, kind);
  }
});

test("a paper has the pattern of its sample, and the dry run says so before the charge", async () => {
  const referencePaperUrl = await uploaded(who, pdf(questions), "pdf");
  const coins = await balance(who);
  const { data } = await made(who, papers, { ...paper, referencePaperUrl });
  assert.deepEqual(partsOf(data), pattern);
  assert.doesNotMatch(data.questionPaper, /birds/);
  assert.equal(await balance(who), coins - 20);
  const estimate = await who.client.functions.invoke(papers.name, { body: { ...paper, referencePaperUrl, dryRun: true } });
  assert.equal(estimate.error, null);
  assert.deepEqual(partsOf({ data: estimate.data.plan }), pattern);
  assert.equal(await balance(who), coins - 20);
});

test("a sample as large as one may be is read", async () => {
  const referencePaperUrl = await uploaded(who, pdf(questions, randomBytes(9_900_000)), "pdf");
  const { data } = await made(who, papers, { ...paper, chapter: "Light", referencePaperUrl });
  assert.deepEqual(partsOf(data), pattern);
});

test("a sample that cannot be used is told before the charge, and the balance stays", async () => {
  const samples = {
    sample_without_text: pdf("0 0 100 100 re f"),
    sample_locked: file("locked.pdf"),
    sample_damaged: file("paper.pdf").subarray(0, 9_000),
    sample_too_complex: pdf("1 1 1 1 n ".repeat(1_900_000)),
    sample_too_large_unpacked: pdf(" ".repeat(30_000_000)),
    sample_not_a_document: Buffer.from("plain text that is called a PDF"),
  };
  for (const [code, bytes] of Object.entries(samples)) {
    const body = { ...paper, referencePaperUrl: await uploaded(who, bytes, "pdf") };
    const coins = await balance(who);
    assert.deepEqual(await refused(who, papers, { ...body, dryRun: true }), [422, code]);
    assert.equal(await balance(who), coins, code);
    // An app that has paid all the same gets it back at once.
    await deduct(who, coins);
    assert.deepEqual(await refused(who, papers, body), [422, code]);
    assert.equal(await balance(who), coins, code);
  }
});

test("samples that were made to take long end before the host ends the function", async () => {
  const again = (piece, bytes = 9_900_000) => Buffer.from(`%PDF-1.7\n${piece.repeat(bytes / piece.length)} trailer <</Root 1 0 R>>`);
  const wide = `/Subtype/Type0/DescendantFonts[<</W[${"0 65535 1 ".repeat(1_500)}]>>]`;
  const paperDocx = file("paper.docx");
  const samples = [
    [pdfWith("/Font<</F1 6 0 R>>", "/F1 9 Tf", `<<${wide}>>`), "pdf", "sample_without_text"],
    [pdfWith("/Font<</F1 6 0 R>>", "/F1 9 Tf ".repeat(1_000_000), `[${"1 ".repeat(15_000)}]`), "pdf", "sample_without_text"],
    [pdfWith("/XObject<</X 6 0 R>>", "/X Do ".repeat(1_000_000), `[${"1 ".repeat(15_000)}]`), "pdf", "sample_too_complex"],
    [again("1 0 obj("), "pdf", "sample_too_complex"],
    [again("1 0 obj<<>>stream "), "pdf", "sample_damaged"],
    [Buffer.concat([paperDocx, Buffer.from("PK\x06\x06".repeat(2_300_000)), ...Array(18).fill(paperDocx.subarray(-22))]), "docx", "sample_too_complex"],
  ];
  for (const [bytes, kind, code] of samples) {
    const body = { ...paper, referencePaperUrl: await uploaded(who, bytes, kind), dryRun: true };
    assert.deepEqual(await refused(who, papers, body), [422, code]);
  }
});

test("the sample of another teacher is not read", async () => {
  const referencePlanUrl = await uploaded(other, file("lesson_hi.docx"), "docx");
  const { data } = await made(who, plans, { ...plan, periods: 2, referencePlanUrl });
  assert.equal(data.data.order, undefined);
  assert.ok(data.meta.warnings.some((warning) => warning.includes("अपलोड की हुई फ़ाइल नहीं")), data.meta.warnings);
  assert.notEqual((await who.client.storage.from("samples").download(referencePlanUrl)).error, null);
});

test("a repeat gets its document although the sample is deleted", async () => {
  const referencePlanUrl = await uploaded(who, file("lesson_hi.docx"), "docx");
  const body = { ...plan, periods: 3, referencePlanUrl };
  const first = await made(who, plans, body);
  const coins = await balance(who);
  assert.equal((await who.client.storage.from("samples").remove([referencePlanUrl])).data.length, 1);
  const again = await made(who, plans, body);
  assert.equal(again.data.docContent, first.data.docContent);
  assert.equal(await balance(who), coins, "nothing more was paid");
  await deduct(who, coins);
  assert.deepEqual(await refused(who, plans, { ...body, periods: 4 }), [422, "sample_missing"]);
  assert.equal(await balance(who), coins);
});

test("without its bucket a sample is missing", async () => {
  const referencePlanUrl = await uploaded(who, file("lesson_hi.docx"), "docx");
  const { storage } = service();
  const { data: bucket } = await storage.getBucket("samples");
  for (const ended of [await storage.emptyBucket("samples"), await storage.deleteBucket("samples")]) assert.equal(ended.error, null);
  const coins = await balance(who);
  assert.deepEqual(await refused(who, plans, { ...plan, referencePlanUrl, dryRun: true }), [422, "sample_missing"]);
  assert.equal(await balance(who), coins);
  const { public: isPublic, file_size_limit: fileSizeLimit, allowed_mime_types: allowedMimeTypes } = bucket;
  const again = await storage.createBucket("samples", { public: isPublic, fileSizeLimit, allowedMimeTypes });
  assert.equal(again.error, null);
});
