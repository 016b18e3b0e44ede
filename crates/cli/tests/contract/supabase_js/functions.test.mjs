// What the published client expects of functions: supabase.functions.invoke against functions that tell what they saw.
import { strict as assert } from "node:assert";
import { env } from "node:process";
import { test } from "node:test";
import { createClient, FunctionsFetchError, FunctionsHttpError, FunctionsRelayError } from "@supabase/supabase-js";

const client = createClient(env.API_URL, env.ANON_KEY);
const invoke = (name, options) => client.functions.invoke(name, options);

/** The request as the function `mirror` saw it; its headers as one object. */
async function seen(options, name = "mirror") {
  const { data, error } = await invoke(name, options);
  assert.equal(error, null);
  return { ...data, headers: Object.fromEntries(data.headers) };
}

// rows: edge/C01
test("a call is a POST with the client's keys", async () => {
  const { method, path, headers } = await seen({}, "mirror/sub?a=1");
  assert.deepEqual([method, path], ["POST", "/mirror/sub?a=1"]);
  assert.match(headers["x-client-info"], /^supabase-js/);
  assert.equal(headers.apikey, env.ANON_KEY);
  assert.equal(headers.authorization, `Bearer ${env.ANON_KEY}`);
  for (const method of ["GET", "PUT", "PATCH", "DELETE"]) assert.equal((await seen({ method })).method, method);
});

// rows: edge/C02
test("bodies keep their kind, and the call's own header wins", async () => {
  const kinds = [
    [{ a: [1, "ü"] }, /^application\/json/, '{"a":[1,"ü"]}'],
    ["words", /^text\/plain/, "words"],
    [new TextEncoder().encode("bytes").buffer, /^application\/octet-stream/, "bytes"],
    [new Blob(["blob"]), /^application\/octet-stream/, "blob"],
  ];
  for (const [body, kind, text] of kinds) {
    const { headers, body: received } = await seen({ body });
    assert.match(headers["content-type"], kind);
    assert.equal(received, text);
  }
  const form = new FormData();
  form.set("field", "value");
  const { headers, body } = await seen({ body: form });
  assert.match(headers["content-type"], /^multipart\/form-data; boundary=/);
  assert.match(body, /name="field"\r\n\r\nvalue/);
  const own = await seen({ body: "<a/>", headers: { "content-type": "application/xml", "x-own": "1" } });
  assert.deepEqual([own.headers["content-type"], own.headers["x-own"]], ["application/xml", "1"]);
});

// rows: edge/C03
test("a region is named in header and query", async () => {
  const { headers, path } = await seen({ region: "eu-west-1" });
  assert.deepEqual([headers["x-region"], path], ["eu-west-1", "/mirror?forceFunctionRegion=eu-west-1"]);
});

// rows: edge/C04
test("answers are read by their type", async () => {
  assert.equal((await invoke("hello")).data, "Hello World");
  assert.equal(typeof (await invoke("mirror")).data, "object");
  const { data } = await invoke("probe/sse");
  assert.equal(data.headers.get("content-type"), "text/event-stream");
  assert.equal(await data.text(), "data: 0\n\ndata: 1\n\ndata: 2\n\n");
});

// rows: edge/C05
test("an answer of the platform is a relay error", async () => {
  const { error } = await invoke("guarded", { headers: { Authorization: "Bearer nonsense" } });
  assert.ok(error instanceof FunctionsRelayError, String(error));
  assert.equal(error.context.status, 401);
  assert.equal((await error.context.json()).code, "UNAUTHORIZED_INVALID_JWT_FORMAT");
  assert.ok((await invoke("nobody")).error instanceof FunctionsRelayError);
});

// rows: edge/C06
test("a status of the function that is no success is an HTTP error, its body unread", async () => {
  const { error } = await invoke("probe/status?418");
  assert.ok(error instanceof FunctionsHttpError, String(error));
  assert.equal(error.context.status, 418);
  assert.equal(await error.context.text(), "status");
});

// rows: edge/C07
test("a time-out and an abort are fetch errors", async () => {
  assert.ok((await invoke("probe/wait?5000", { timeout: 200 })).error instanceof FunctionsFetchError);
  const abort = new AbortController();
  setTimeout(() => abort.abort(), 100);
  assert.ok((await invoke("probe/wait?5000", { signal: abort.signal })).error instanceof FunctionsFetchError);
  assert.equal((await invoke("hello")).data, "Hello World");
});
