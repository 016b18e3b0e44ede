// What every test needs of the running stack: its addresses, a client, a signed-in teacher.
import { readFileSync } from "node:fs";
import { createClient } from "@supabase/supabase-js";

const { API_URL, PUBLISHABLE_KEY, SECRET_KEY, MAILPIT_URL } = process.env;

const options = { auth: { persistSession: false, autoRefreshToken: false } };

export const anonymous = () => createClient(API_URL, PUBLISHABLE_KEY, options);
export const service = () => createClient(API_URL, SECRET_KEY, options);

let counter = 0;

/** An address nobody has used before. */
export const freshAddress = () => `teacher-${process.pid}-${Date.now()}-${(counter += 1)}@school.example`;

/** The newest code that was mailed to an address. */
export async function codeFor(address) {
  for (let tries = 0; tries < 100; tries += 1) {
    const found = await fetch(`${MAILPIT_URL}/api/v1/search?query=${encodeURIComponent(`to:${address}`)}&limit=1`);
    const [summary] = (await found.json()).messages;
    if (summary) {
      const message = await (await fetch(`${MAILPIT_URL}/api/v1/message/${summary.ID}`)).json();
      return message.Text.match(/\b\d{6}\b/)[0];
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`no mail for ${address}`);
}

/** A client signed in with an e-mail code, and its user. */
export async function teacher(address = freshAddress()) {
  const client = anonymous();
  const sent = await client.auth.signInWithOtp({ email: address });
  if (sent.error) throw sent.error;
  const { data, error } = await client.auth.verifyOtp({ email: address, token: await codeFor(address), type: "email" });
  if (error) throw error;
  return { client, user: data.user, session: data.session };
}

/** A teacher whose profile starts with 20 credits. */
export async function teacherWithCredits() {
  const who = await teacher();
  const { error } = await who.client.from("profiles").insert({ user_id: who.user.id, coins: 20 });
  if (error) throw error;
  return who;
}

/** Balance as the owner reads it. */
export async function balance({ client, user }) {
  const { data, error } = await client.from("profiles").select("coins").eq("user_id", user.id).maybeSingle();
  if (error) throw error;
  return data?.coins ?? null;
}

/** The client's own deduction of 20, on the balance it read. */
export async function deduct({ client, user }, from = 20) {
  return client
    .from("profiles")
    .update({ coins: from - 20 })
    .eq("user_id", user.id)
    .eq("coins", from)
    .select();
}

export const lesson = {
  board: "CBSE",
  class: "Class 10",
  subject: "Science",
  periods: 2,
  chapter: "Light – Reflection and Refraction",
  bookName: "Science",
  publisher: "NCERT",
  referencePlanUrl: "",
};

/** A signed-in administrator. */
export async function administrator() {
  const who = await teacher();
  const { error } = await service().from("user_roles").insert({ user_id: who.user.id, role: "admin" });
  if (error) throw error;
  return who;
}

/** Credits from an administrator, for a teacher who has a profile. */
export async function grant(admin, { user }, credits) {
  const { error } = await admin.client.rpc("admin_update_user_credits", {
    target_user_id: user.id,
    credit_change: credits,
  });
  if (error) throw error;
}

/** The functions that make documents: the fields of their answers, whether their client pays before, their requests. */
export const tools = [
  { name: "generate-lesson-plan", file: "docContent", text: "lessonPlan", paidBefore: true },
  { name: "generate-question-paper", file: "wordContent", text: "questionPaper", paidBefore: true },
  { name: "generate-teaching-aids", file: "documentContent", text: "teachingAids", paidBefore: true },
  { name: "generate-communication", file: "documentContent", text: "generatedCommunication", paidBefore: false },
].map((tool) => ({
  ...tool,
  requests: JSON.parse(readFileSync(new URL(`../../../../../functions/${tool.name}/tests/requests.json`, import.meta.url))),
}));

/** Pays for and asks for a document; what came, and how many milliseconds the answer took. */
export async function made(who, { name, paidBefore }, body, headers = {}) {
  if (paidBefore) {
    const coins = await balance(who);
    const { data, error } = await deduct(who, coins);
    if (error || data.length !== 1) throw error ?? new Error(`20 of ${coins} could not be deducted`);
  }
  const began = performance.now();
  const { data, error } = await who.client.functions.invoke(name, { body, headers });
  const took = performance.now() - began;
  if (error) throw new Error(`${name}: ${error.context.status} ${await error.context.text()} for ${JSON.stringify(body).slice(0, 500)}`);
  return { data, took };
}

/** The events of a document as they arrive: name and data. */
export async function* eventsOf(who, name, body, { headers = {}, signal } = {}) {
  const { data, error } = await who.client.functions.invoke(name, { body, signal, headers: { Accept: "text/event-stream", ...headers } });
  if (error) throw error;
  let text = "";
  for await (const piece of data.body.pipeThrough(new TextDecoderStream())) {
    text += piece;
    for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
      const [, event, line] = /^event: (\w+)\ndata: (.*)$/.exec(text.slice(0, end));
      text = text.slice(end + 2);
      yield { name: event, data: JSON.parse(line) };
    }
  }
  if (text !== "") throw new Error(`an event without its end: ${text}`);
}
