import { setTimeout as wait } from 'node:timers/promises';

/**
 * Returns the newest mail to an address, if there is any, through the Mailpit calls of the inbox.
 */
export async function newestMail(inboxUrl, address) {
  const found = await getJson(`${inboxUrl}/api/v1/search?query=${encodeURIComponent(`to:${address}`)}`);
  return found.messages?.[0];
}

/** Waits for a new sign-in code in the newest mail to an address. */
export async function readCode(inboxUrl, address, known = undefined) {
  for (let attempt = 0; attempt < 60; attempt += 1) {
    const newest = await newestMail(inboxUrl, address);
    if (newest && newest.ID !== known?.ID) {
      const message = await getJson(`${inboxUrl}/api/v1/message/${newest.ID}`);
      const code = /\b\d{6}\b/.exec(`${message.Subject}\n${message.Text}`);
      if (code) return code[0];
    }
    await wait(250);
  }
  throw new Error(`no code arrived for ${address}`);
}

/** Waits for the newest mail to an address whose subject begins so, and returns its attachments. */
export async function readMail(inboxUrl, address, subject) {
  for (let attempt = 0; attempt < 80; attempt += 1) {
    const query = encodeURIComponent(`to:${address}`);
    const { messages = [] } = await getJson(`${inboxUrl}/api/v1/search?query=${query}`);
    const found = messages.find(({ Subject }) => Subject.startsWith(subject));
    if (found) return withFiles(inboxUrl, await getJson(`${inboxUrl}/api/v1/message/${found.ID}`));
    await wait(250);
  }
  throw new Error(`no mail “${subject}” arrived for ${address}`);
}

/** How many mails to an address have a subject that begins so. */
export async function countMails(inboxUrl, address, subject) {
  const query = encodeURIComponent(`to:${address}`);
  const { messages = [] } = await getJson(`${inboxUrl}/api/v1/search?query=${query}`);
  return messages.filter(({ Subject }) => Subject.startsWith(subject)).length;
}

async function withFiles(inboxUrl, mail) {
  const files = mail.Attachments.map(async ({ PartID, FileName, ContentType }) => {
    const response = await fetch(`${inboxUrl}/api/v1/message/${mail.ID}/part/${PartID}`);
    return { name: FileName, type: ContentType, content: Buffer.from(await response.arrayBuffer()) };
  });
  return { ...mail, files: await Promise.all(files) };
}

async function getJson(url) {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: ${response.status}`);
  return response.json();
}
