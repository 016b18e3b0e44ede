// The AWS SDK for JavaScript: put, get, list, multipart, copy, delete, signed URLs, sessions.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  CopyObjectCommand,
  CreateBucketCommand,
  DeleteBucketCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListBucketsCommand,
  ListObjectsCommand,
  PutObjectCommand,
  S3Client,
  paginateListObjectsV2,
} from "@aws-sdk/client-s3";
import { Upload } from "@aws-sdk/lib-storage";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";

const { ANON_KEY, STORAGE_S3_URL, S3_PROTOCOL_ACCESS_KEY_ID, S3_PROTOCOL_ACCESS_KEY_SECRET, S3_PROTOCOL_REGION } = process.env;
const Bucket = `sdk-${process.pid}`;

const client = (credentials) =>
  new S3Client({ endpoint: STORAGE_S3_URL, region: S3_PROTOCOL_REGION, forcePathStyle: true, credentials });

const s3 = client({ accessKeyId: S3_PROTOCOL_ACCESS_KEY_ID, secretAccessKey: S3_PROTOCOL_ACCESS_KEY_SECRET });
const put = (Key, Body, more = {}) => s3.send(new PutObjectCommand({ Bucket, Key, Body, ...more }));
const get = (Key, more = {}) => s3.send(new GetObjectCommand({ Bucket, Key, ...more }));

before(() => s3.send(new CreateBucketCommand({ Bucket })));

after(async () => {
  for await (const { Contents = [] } of paginateListObjectsV2({ client: s3 }, { Bucket })) {
    const Objects = Contents.map(({ Key }) => ({ Key }));
    if (Objects.length > 0) await s3.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }));
  }
  await s3.send(new DeleteBucketCommand({ Bucket }));
});

test("an object comes back as it was put", async () => {
  const { Buckets } = await s3.send(new ListBucketsCommand());
  assert.ok(Buckets.some(({ Name }) => Name === Bucket));
  const { ETag } = await put("notes/a b (1).txt", "hello", { ContentType: "text/plain", Metadata: { school: "St. Mary" } });
  const got = await get("notes/a b (1).txt");
  assert.equal(await got.Body.transformToString(), "hello");
  assert.deepEqual([got.ETag, got.ContentType, got.Metadata], [ETag, "text/plain", { school: "St. Mary" }]);
  const part = await get("notes/a b (1).txt", { Range: "bytes=1-3" });
  assert.equal(await part.Body.transformToString(), "ell");
  const head = await s3.send(new HeadObjectCommand({ Bucket, Key: "notes/a b (1).txt" }));
  assert.equal(head.ContentLength, 5);
  await assert.rejects(get("none.txt"), { name: "NoSuchKey" });
  await assert.rejects(put("notes/a b (1).txt", "again", { IfNoneMatch: "*" }), { name: "PreconditionFailed" });
});

test("every kind of checksum is sent and taken", async () => {
  for (const ChecksumAlgorithm of ["CRC32", "CRC32C", "CRC64NVME", "SHA1", "SHA256"]) {
    await put(`sums/${ChecksumAlgorithm}`, ChecksumAlgorithm, { ChecksumAlgorithm });
    assert.equal(await (await get(`sums/${ChecksumAlgorithm}`)).Body.transformToString(), ChecksumAlgorithm);
  }
  await assert.rejects(put("sums/wrong", "wrong", { ChecksumCRC32: "AAAAAA==" }), { name: "InvalidChecksum" });
});

test("objects are listed page by page, with folders", async () => {
  for (const name of ["l/1", "l/2", "l/3", "l/in/4"]) await put(name, name);
  const seen = [];
  const pages = paginateListObjectsV2({ client: s3, pageSize: 2 }, { Bucket, Prefix: "l/", Delimiter: "/" });
  for await (const { Contents = [], CommonPrefixes = [] } of pages) {
    seen.push(...Contents.map(({ Key }) => Key), ...CommonPrefixes.map(({ Prefix }) => Prefix));
  }
  assert.deepEqual(seen.sort(), ["l/1", "l/2", "l/3", "l/in/"]);
  const first = await s3.send(new ListObjectsCommand({ Bucket, Prefix: "l/", Marker: "l/2", EncodingType: "url" }));
  assert.deepEqual(first.Contents.map(({ Key }) => Key), ["l/3", "l/in/4"]);
});

test("a large object goes up in parts", async () => {
  const Body = Buffer.alloc(11 * 1024 * 1024, "large ");
  const done = await new Upload({ client: s3, params: { Bucket, Key: "large.bin", Body }, queueSize: 3 }).done();
  assert.match(done.ETag, /-3"$/);
  const got = await get("large.bin");
  assert.ok(Body.equals(Buffer.from(await got.Body.transformToByteArray())));
});

test("an object is copied and deleted", async () => {
  await put("from.txt", "copied");
  await s3.send(new CopyObjectCommand({ Bucket, Key: "to.txt", CopySource: `${Bucket}/from.txt` }));
  assert.equal(await (await get("to.txt")).Body.transformToString(), "copied");
  await s3.send(new DeleteObjectCommand({ Bucket, Key: "from.txt" }));
  await assert.rejects(get("from.txt"), { name: "NoSuchKey" });
});

test("signed URLs read and write", async () => {
  const write = await getSignedUrl(s3, new PutObjectCommand({ Bucket, Key: "signed.txt" }), { expiresIn: 60 });
  assert.equal((await fetch(write, { method: "PUT", body: "signed" })).status, 200);
  const read = await getSignedUrl(s3, new GetObjectCommand({ Bucket, Key: "signed.txt" }), { expiresIn: 60 });
  assert.equal(await (await fetch(read)).text(), "signed");
  assert.equal((await fetch(read.replace("signed.txt", "large.bin"))).status, 403);
});

test("a session sees no more than its user", async () => {
  const session = client({ accessKeyId: "stub", secretAccessKey: ANON_KEY, sessionToken: ANON_KEY });
  await assert.rejects(session.send(new GetObjectCommand({ Bucket, Key: "to.txt" })), { name: "NoSuchKey" });
  await assert.rejects(session.send(new PutObjectCommand({ Bucket, Key: "x", Body: "x" })), { name: "AccessDenied" });
});
