// Storage with the published client: what applications do, as two users and as a server.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { anonymous, service, teacher } from "./stack.mjs";

const { API_URL, PUBLISHABLE_KEY } = process.env;

/** A PNG of one pixel. */
const pixel = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

const privately = ({ client }) => client.storage.from("contract-private");
const publicly = () => service().storage.from("contract-public");

/** The data of an answer, which must be no error. */
function good({ data, error }) {
  assert.equal(error, null, error && `${error.message} (${error.status})`);
  return data;
}

/** The error of an answer: its number and its word. */
function refused({ data, error }, statusCode, code) {
  assert.equal(data, null);
  assert.equal(error.name, "StorageApiError");
  assert.equal(error.status, 400);
  assert.equal(error.statusCode, statusCode, error.message);
  if (code) assert.equal(error.code ?? code, code);
  return error;
}

const textOf = async (blob) => Buffer.from(await blob.arrayBuffer()).toString();

test("a bucket is made, read, changed, emptied and deleted by a server alone", async () => {
  const { storage } = service();
  const name = `contract-${randomUUID()}`;
  good(await storage.createBucket(name, { public: false, fileSizeLimit: "20kb", allowedMimeTypes: ["text/plain"] }));
  const bucket = good(await storage.getBucket(name));
  assert.deepEqual(
    [bucket.id, bucket.public, bucket.file_size_limit, bucket.allowed_mime_types],
    [name, false, 20000, ["text/plain"]],
  );
  refused(await storage.createBucket(name), "409");
  good(await storage.updateBucket(name, { public: true, fileSizeLimit: null }));
  assert.equal(good(await storage.getBucket(name)).public, true);
  assert.ok(good(await storage.listBuckets()).some((found) => found.id === name));
  refused(await (await teacher()).client.storage.createBucket(`x${name}`), "403");
  refused(await anonymous().storage.getBucket(name), "404");
  good(await storage.from(name).upload("a.txt", "text"));
  refused(await storage.deleteBucket(name), "409");
  good(await storage.emptyBucket(name));
  good(await storage.deleteBucket(name));
  refused(await storage.getBucket(name), "404");
});

test("bytes come back as they were sent, from whatever they came", async () => {
  const who = await teacher();
  const bucket = privately(who);
  const form = new FormData();
  form.append("", new Blob(["of a form"], { type: "text/plain" }));
  const sources = {
    blob: new Blob(["of a blob"], { type: "text/plain" }),
    file: new File(["of a file"], "name.txt", { type: "text/plain" }),
    form,
    buffer: Buffer.from("of a buffer"),
    stream: new Blob(["of a stream"]).stream(),
    text: "of a text",
  };
  for (const [kind, source] of Object.entries(sources)) {
    const path = `${who.user.id}/sources/${kind}.txt`;
    const sent = good(await bucket.upload(path, source, { contentType: "text/plain", duplex: "half" }));
    assert.equal(sent.path, path);
    assert.equal(sent.fullPath, `contract-private/${path}`);
    const got = good(await bucket.download(path));
    assert.equal(await textOf(got), `of a ${kind}`);
    assert.match(got.type, /^text\/plain/, kind);
  }
  const listed = good(await bucket.list(`${who.user.id}/sources`, { sortBy: { column: "name", order: "desc" } }));
  assert.deepEqual(
    listed.map((entry) => entry.name),
    Object.keys(sources).sort().reverse().map((kind) => `${kind}.txt`),
  );
});

test("an object is replaced only where that is asked for", async () => {
  const who = await teacher();
  const path = `${who.user.id}/twice.txt`;
  const bucket = privately(who);
  good(await bucket.upload(path, "first"));
  refused(await bucket.upload(path, "second"), "409");
  good(await bucket.upload(path, "third", { upsert: true, cacheControl: "60", metadata: { of: "third" } }));
  assert.equal(await textOf(good(await bucket.download(path))), "third");
  const info = good(await bucket.info(path));
  assert.deepEqual([info.size, info.cacheControl, info.metadata], [5, "max-age=60", { of: "third" }]);
  good(await bucket.update(path, "fourth"));
  assert.equal(await textOf(good(await bucket.download(path))), "fourth");
});

test("policies keep users apart", async () => {
  const [asha, ravi] = [await teacher(), await teacher()];
  const path = `${asha.user.id}/secret.txt`;
  good(await privately(asha).upload(path, "hers"));
  for (const stranger of [ravi.client, anonymous()]) {
    const bucket = stranger.storage.from("contract-private");
    assert.ok((await bucket.download(path)).error);
    assert.ok((await bucket.info(path)).error);
    assert.equal((await bucket.exists(path)).data, false);
    assert.deepEqual(good(await bucket.list(asha.user.id)), []);
    assert.ok((await bucket.createSignedUrl(path, 60)).error);
    assert.ok((await bucket.upload(`${asha.user.id}/other.txt`, "his")).error);
    assert.ok((await bucket.upload(path, "his", { upsert: true })).error);
    assert.ok((await bucket.copy(path, `${ravi.user.id}/copy.txt`)).error);
    assert.ok((await bucket.move(path, `${ravi.user.id}/moved.txt`)).error);
    assert.deepEqual(good(await bucket.remove([path])), []);
  }
  assert.equal(good(await privately(asha).exists(path)), true);
  assert.equal(await textOf(good(await privately(asha).download(path))), "hers");
});

test("objects are copied, moved and removed by name", async () => {
  const who = await teacher();
  const bucket = privately(who);
  const at = (name) => `${who.user.id}/${name}`;
  good(await bucket.upload(at("a.txt"), "a", { metadata: { kept: true } }));
  assert.equal(good(await bucket.copy(at("a.txt"), at("b.txt"))).path, `contract-private/${at("b.txt")}`);
  assert.deepEqual(good(await bucket.info(at("b.txt"))).metadata, { kept: true });
  refused(await bucket.move(at("a.txt"), at("b.txt")), "409");
  good(await bucket.move(at("a.txt"), at("deep/c.txt")));
  refused(await bucket.info(at("a.txt")), "404");
  const names = good(await bucket.list(who.user.id)).map((entry) => [entry.name, entry.id === null]);
  assert.deepEqual(names, [["b.txt", false], ["deep", true]]);
  const removed = good(await bucket.remove([at("b.txt"), at("deep/c.txt"), at("none.txt")]));
  assert.deepEqual(removed.map((row) => row.name).sort(), [at("b.txt"), at("deep/c.txt")]);
  assert.deepEqual(good(await bucket.list(who.user.id)), []);
});

test("a signed URL opens one object for a while, and is no token", async () => {
  const who = await teacher();
  const path = `${who.user.id}/shared.txt`;
  good(await privately(who).upload(path, "shared"));
  const { signedUrl } = good(await privately(who).createSignedUrl(path, 60, { download: "name.txt" }));
  const got = await fetch(signedUrl);
  assert.equal(got.status, 200);
  assert.equal(await got.text(), "shared");
  assert.match(got.headers.get("content-disposition"), /^attachment; filename=name\.txt/);
  assert.equal(got.headers.get("x-content-type-options"), "nosniff");
  const token = new URL(signedUrl).searchParams.get("token");
  const elsewhere = signedUrl.replace("shared.txt", "other.txt");
  assert.equal((await fetch(elsewhere)).status, 400);
  const asCaller = await fetch(`${API_URL}/storage/v1/object/contract-private/${path}`, {
    headers: { apikey: PUBLISHABLE_KEY, Authorization: `Bearer ${token}` },
  });
  assert.equal(asCaller.status, 400, "it says not who calls");
  const several = good(await privately(who).createSignedUrls([path, `${path}.none`], 60));
  assert.deepEqual(several.map((one) => [one.path, one.signedUrl === null]), [[path, false], [`${path}.none`, true]]);
});

test("a signed upload URL takes one object, from anybody who has it", async () => {
  const who = await teacher();
  const path = `${who.user.id}/invited.txt`;
  const { token } = good(await privately(who).createSignedUploadUrl(path));
  const stranger = anonymous().storage.from("contract-private");
  assert.equal(good(await stranger.uploadToSignedUrl(path, token, "invited")).path, path);
  refused(await stranger.uploadToSignedUrl(path, token, "again"), "409");
  refused(await stranger.uploadToSignedUrl(`${who.user.id}/other.txt`, token, "other"), "400");
  assert.equal(await textOf(good(await privately(who).download(path))), "invited");
  assert.ok((await privately(await teacher()).createSignedUploadUrl(path)).error);
});

test("limits of a bucket hold, and its public objects need no key", async () => {
  const name = randomUUID();
  refused(await publicly().upload(`${name}.json`, "{}", { contentType: "application/json" }), "415");
  refused(await publicly().upload(`${name}.txt`, "x".repeat(1_000_001), { contentType: "text/plain" }), "413");
  good(await publicly().upload(`${name}.txt`, "0123456789", { contentType: "text/plain" }));
  const { publicUrl } = publicly().getPublicUrl(`${name}.txt`).data;
  assert.equal(publicUrl, `${API_URL}/storage/v1/object/public/contract-public/${name}.txt`);
  const got = await fetch(publicUrl);
  assert.equal(await got.text(), "0123456789");
  const etag = got.headers.get("etag");
  assert.equal((await fetch(publicUrl, { headers: { "If-None-Match": etag } })).status, 304);
  const part = await fetch(publicUrl, { headers: { Range: "bytes=2-4" } });
  assert.deepEqual([part.status, part.headers.get("content-range"), await part.text()], [206, "bytes 2-4/10", "234"]);
  assert.equal(got.headers.get("access-control-allow-origin"), "*");
  assert.ok(got.headers.get("access-control-expose-headers").includes("upload-offset"));
});

test("an image is rendered in another size", async () => {
  const path = `${randomUUID()}.png`;
  good(await publicly().upload(path, pixel, { contentType: "image/png" }));
  const url = publicly().getPublicUrl(path, { transform: { width: 8, height: 8, resize: "fill" } }).data.publicUrl;
  const got = await fetch(url);
  assert.equal(got.status, 200);
  assert.match(got.headers.get("content-type"), /^image\//);
  assert.equal(got.headers.get("x-transformations"), "height:8,width:8,resizing_type:force");
  const image = good(await publicly().download(path, { transform: { width: 8, quality: 50, format: "origin" } }));
  assert.ok(image.size > 0);
});

test("the second version of a list pages by a cursor", async () => {
  const who = await teacher();
  const bucket = privately(who);
  for (const name of ["a", "b/c", "d"]) good(await bucket.upload(`${who.user.id}/${name}`, name));
  const first = good(await bucket.listV2({ prefix: `${who.user.id}/`, with_delimiter: true, limit: 2 }));
  assert.equal(first.hasNext, true);
  const rest = good(
    await bucket.listV2({ prefix: `${who.user.id}/`, with_delimiter: true, limit: 2, cursor: first.nextCursor }),
  );
  const names = [...first.objects, ...first.folders, ...rest.objects, ...rest.folders].map((entry) => entry.name);
  assert.deepEqual(names.sort(), [`${who.user.id}/a`, `${who.user.id}/b/`, `${who.user.id}/d`]);
});

test("without any key storage says so, and with a wrong one too", async () => {
  for (const headers of [{}, { Authorization: "Bearer" }, { Authorization: "Bearer a.b.c" }]) {
    const answer = await fetch(`${API_URL}/storage/v1/bucket`, { headers });
    assert.equal(answer.status, 400);
    const { statusCode, error, code } = await answer.json();
    assert.deepEqual([statusCode, error, code], ["403", "Unauthorized", "AccessDenied"]);
  }
});
