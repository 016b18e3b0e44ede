// Writes app/.env, the app's public configuration, from the project's own: supabase/.env* and supabase/config.toml.
import { existsSync, readFileSync, writeFileSync } from "node:fs";

// The publishable key that every local stack shares; the stack refuses it beyond loopback.
const DEMO_KEY = "sb_publishable_ACJWlzQHlZjBrEguHvfOxg_3BJgxAaH";
const NAMES = {
  VITE_PRODUCT_NAME: "PRODUCT_NAME",
  VITE_SUPPORT_EMAIL: "PRODUCT_SUPPORT_EMAIL",
  VITE_SUPPORT_PHONE: "PRODUCT_SUPPORT_PHONE",
  VITE_WHATSAPP_NUMBER: "PRODUCT_WHATSAPP",
  VITE_INSTAGRAM_URL: "PRODUCT_INSTAGRAM",
  VITE_UPI_PAYEE_ADDRESS: "PRODUCT_UPI_ID",
  VITE_UPI_PAYEE_NAME: "PRODUCT_UPI_PAYEE",
  VITE_BLOG_ADMIN_EMAIL: "PRODUCT_BLOG_ADMIN",
};

const read = (path) => (existsSync(path) ? readFileSync(path, "utf8") : "");

function readEnv(path) {
  const pairs = read(path)
    .split("\n")
    .map((line) => /^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=\s*(.*?)\s*$/.exec(line))
    .filter(Boolean);
  return Object.fromEntries(pairs.map(([, name, value]) => [name, value.replace(/^(["'])(.*)\1$/, "$2")]));
}

const mode = process.env.SUPABASE_ENV || "development";
const files = [`.env.${mode}.local`, ".env.local", `.env.${mode}`, ".env"].map((name) => readEnv(`supabase/${name}`));
const variables = Object.assign({}, ...files.reverse(), process.env);

// A line `key = value` of one section; env(NAME) is replaced.
function setting(section, key) {
  const body = read("supabase/config.toml").split(/^\[/m).find((part) => part.startsWith(`${section}]`)) ?? "";
  const value = new RegExp(`^${key}\\s*=\\s*"?([^"#\\n]*?)"?\\s*(?:#.*)?$`, "m").exec(body)?.[1];
  return value?.replace(/^env\((.*)\)$/, (_, name) => variables[name] ?? "");
}

const values = {
  VITE_SUPABASE_URL: "",
  VITE_SUPABASE_PUBLISHABLE_KEY:
    variables.SUPABASE_AUTH_PUBLISHABLE_KEY || setting("auth", "publishable_key") || DEMO_KEY,
  VITE_GOOGLE_ENABLED: String(setting("auth.external.google", "enabled") === "true"),
};
for (const [name, from] of Object.entries(NAMES)) values[name] = variables[from] ?? "";

const text = Object.entries(values)
  .map(([name, value]) => `${name}=${JSON.stringify(value)}\n`)
  .join("");
if (read("app/.env") !== text) writeFileSync("app/.env", text);
