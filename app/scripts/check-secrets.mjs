/**
 * Fails if a file that everybody can load holds a secret of the server (SPECIFICATION.md S-431): a
 * secret key, a private key, or a token of the API that is signed for another role than `anon`.
 */
import { readdir, readFile } from 'node:fs/promises';

const dist = process.argv[2] ? new URL(`file://${process.argv[2]}/`) : new URL('../dist/', import.meta.url);
const secrets = [/sb_secret_\w+/, /-----BEGIN [A-Z ]*PRIVATE KEY-----/, /service_role/];
const token = /eyJ[\w-]+\.(eyJ[\w-]+)\.[\w-]+/g;

const files = (await readdir(dist, { recursive: true })).filter((name) =>
  /\.(html|js|css|json|map|txt|xml|webmanifest)$/.test(name),
);
if (files.length === 0) throw new Error(`nothing is built in ${dist.pathname}`);
for (const file of files) {
  const text = await readFile(new URL(file, dist), 'utf8');
  for (const secret of secrets) if (secret.test(text)) report(file, secret.source);
  for (const [, claims] of text.matchAll(token)) {
    const role = roleIn(claims);
    if (role !== 'anon') report(file, `a token for ${role}`);
  }
}
if (!process.exitCode) process.stdout.write(`no secret in ${files.length} files\n`);

function roleIn(claims) {
  try {
    return JSON.parse(Buffer.from(claims, 'base64url').toString()).role;
  } catch {
    return 'nobody that can be read';
  }
}

function report(file, what) {
  process.stderr.write(`${file} holds ${what}\n`);
  process.exitCode = 1;
}
