// Resumable uploads by tus-js-client, as supabase's own guide and Uppy use it: pieces of 6 MB, the service's key or a
// signature in the headers, bucket and name in the metadata.
import assert from "node:assert/strict";
import { createHash, randomBytes, randomUUID } from "node:crypto";
import { Readable } from "node:stream";
import { after, before, test } from "node:test";
import * as tus from "tus-js-client";
import { service, teacher } from "./stack.mjs";

const { API_URL, SECRET_KEY } = process.env;
const bucketName = `resumable-${randomUUID()}`;
const chunkSize = 6 * 1024 * 1024;
const bytes = randomBytes(20 * 1000 * 1000);
const objects = service().storage.from(bucketName);

before(async () => {
  const { error } = await service().storage.createBucket(bucketName, { fileSizeLimit: "30MB" });
  if (error) throw error;
});

after(async () => {
  await service().storage.emptyBucket(bucketName);
  await service().storage.deleteBucket(bucketName);
});

/** An upload that is not started, and the promise of its end. `options` may replace anything. */
function upload(body, objectName, options = {}) {
  let began;
  const ended = new Promise((resolve, reject) => {
    began = new tus.Upload(body, {
      endpoint: `${API_URL}/storage/v1/upload/resumable`,
      headers: { authorization: `Bearer ${SECRET_KEY}`, apikey: SECRET_KEY },
      metadata: { bucketName, objectName, contentType: "application/pdf", cacheControl: "60", ...options.metadata },
      chunkSize,
      retryDelays: [0, 100, 1000],
      removeFingerprintOnSuccess: true,
      uploadDataDuringCreation: true,
      onError: reject,
      onSuccess: () => resolve(began.url),
      ...Object.fromEntries(Object.entries(options).filter(([name]) => name !== "metadata")),
    });
  });
  return { began, ended };
}

/** The URL of an upload that was broken off within its second piece. */
async function brokenOff(objectName) {
  const { began } = upload(bytes, objectName, { retryDelays: null, uploadDataDuringCreation: false });
  await new Promise((resolve) => {
    began.options.onProgress = (sent) => {
      if (sent > 1.5 * chunkSize) began.abort().then(resolve);
    };
    began.start();
  });
  return began.url;
}

/** What lies in the bucket, as a digest. */
async function digestOf(name) {
  const { data, error } = await objects.download(name);
  if (error) throw error;
  return digest(Buffer.from(await data.arrayBuffer()));
}

const digest = (data) => createHash("sha256").update(data).digest("hex");

test("20 MB go up in pieces of 6 MB, with metadata of any script", async () => {
  const offsets = [];
  const { began, ended } = upload(bytes, "lessons/water.pdf", {
    metadata: { metadata: JSON.stringify({ शीर्षक: "जल का चक्र" }) },
    onChunkComplete: (_size, accepted) => offsets.push(accepted),
  });
  began.start();
  const url = await ended;
  assert.ok(url.startsWith(`${API_URL}/storage/v1/upload/resumable/`), url);
  assert.deepEqual(offsets, [chunkSize, 2 * chunkSize, 3 * chunkSize, bytes.length]);
  assert.equal(await digestOf("lessons/water.pdf"), digest(bytes));
  const { data } = await objects.info("lessons/water.pdf");
  assert.equal(data.metadata.शीर्षक, "जल का चक्र");
  assert.equal(data.contentType, "application/pdf");
  assert.equal(data.etag, `"${createHash("md5").update(bytes).digest("hex")}"`);
});

test("an upload that breaks off goes on where it was", async () => {
  const uploadUrl = await brokenOff("broken.pdf");
  const missing = await objects.exists("broken.pdf");
  assert.equal(missing.data, false);
  const offsets = [];
  const resumed = upload(bytes, "broken.pdf", {
    uploadUrl,
    onChunkComplete: (size, accepted) => offsets.push(accepted - size),
  });
  resumed.began.start();
  await resumed.ended;
  assert.ok(offsets[0] >= chunkSize, `it went on at ${offsets[0]}`);
  assert.equal(await digestOf("broken.pdf"), digest(bytes));
});

test("of two tabs that send the same upload one wins, and the object is whole", async () => {
  const uploadUrl = await brokenOff("tabs.pdf");
  const tabs = [1, 2].map(() => upload(bytes, "tabs.pdf", { uploadUrl, endpoint: undefined }));
  for (const tab of tabs) tab.began.start();
  const ends = await Promise.allSettled(tabs.map((tab) => tab.ended));
  // The one that lost holds its connection until it is told that nobody waits for it.
  await Promise.all(tabs.map((tab) => tab.began.abort()));
  const reasons = ends.map((end) => end.reason?.message);
  assert.ok(reasons.includes(undefined), reasons.join("\n"));
  assert.equal(await digestOf("tabs.pdf"), digest(bytes));
});

test("the length may be unknown at the beginning", async () => {
  const pieces = Array.from({ length: 20 }, (_, i) => bytes.subarray(i * 1000 * 1000, (i + 1) * 1000 * 1000));
  const { began, ended } = upload(Readable.from(pieces, { objectMode: false }), "stream.pdf", {
    uploadLengthDeferred: true,
    uploadSize: null,
  });
  began.start();
  await ended;
  assert.equal(await digestOf("stream.pdf"), digest(bytes));
});

test("a signature uploads without a token, and only where it says", async () => {
  const { data, error } = await objects.createSignedUploadUrl("signed.pdf");
  if (error) throw error;
  const options = {
    endpoint: `${API_URL}/storage/v1/upload/resumable/sign`,
    headers: { "x-signature": data.token },
    retryDelays: null,
  };
  const { began, ended } = upload(bytes, "signed.pdf", options);
  began.start();
  assert.ok((await ended).startsWith(`${API_URL}/storage/v1/upload/resumable/sign/`));
  assert.equal(await digestOf("signed.pdf"), digest(bytes));
  const other = upload(bytes, "other.pdf", options);
  other.began.start();
  await assert.rejects(other.ended, (error) => error.originalResponse.getStatus() === 400);
});

test("limits, policies and names that are taken are told in plain text", async () => {
  const who = await teacher();
  const refusals = [
    [Buffer.alloc(31 * 1000 * 1000), "large.pdf", {}, 413, /Maximum size exceeded/],
    [bytes, "lessons/water.pdf", {}, 409, /The resource already exists/],
    [bytes, "a.pdf", { metadata: { bucketName: "none" } }, 404, /Bucket not found/],
    [bytes, "b.pdf", { headers: { authorization: `Bearer ${who.session.access_token}` } }, 403, /row-level security/],
  ];
  for (const [body, name, options, status, text] of refusals) {
    const { began, ended } = upload(body, name, { ...options, retryDelays: null });
    began.start();
    await assert.rejects(ended, (error) => {
      assert.equal(error.originalResponse.getStatus(), status, name);
      assert.match(error.originalResponse.getBody(), text);
      return true;
    });
  }
});

test("an upload is given up with its bytes", async () => {
  const url = await brokenOff("ended.pdf");
  await tus.Upload.terminate(url, { headers: { authorization: `Bearer ${SECRET_KEY}`, apikey: SECRET_KEY } });
  const headers = { "tus-resumable": "1.0.0", authorization: `Bearer ${SECRET_KEY}` };
  const { status } = await fetch(url, { method: "HEAD", headers });
  assert.equal(status, 404);
});

test("a page of another origin may send an upload and read how far it is", async () => {
  const headers = {
    origin: "http://127.0.0.1:3000",
    "access-control-request-method": "PATCH",
    "access-control-request-headers": "authorization,content-type,tus-resumable,upload-offset,x-upsert",
  };
  const preflight = await fetch(`${API_URL}/storage/v1/upload/resumable`, { method: "OPTIONS", headers });
  assert.equal(preflight.status, 204);
  assert.match(preflight.headers.get("access-control-allow-headers"), /upload-offset/i);
  const asked = await fetch(`${API_URL}/storage/v1/upload/resumable`, { method: "OPTIONS" });
  assert.equal(asked.headers.get("tus-version"), "1.0.0");
  const exposed = asked.headers.get("access-control-expose-headers").toLowerCase();
  for (const name of ["location", "upload-offset", "upload-length", "upload-metadata", "upload-expires", "tus-resumable"]) {
    assert.ok(exposed.includes(name), name);
  }
});
