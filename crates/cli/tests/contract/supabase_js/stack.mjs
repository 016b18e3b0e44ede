// What every test needs of the running stack: its addresses, a client, a signed-in teacher.
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
