/** The stack under test, as scripts/test names it. */
export const baseURL = required('BASE_URL');
export const inboxURL = required('INBOX_URL');
export const secretKey = required('SECRET_KEY');
export const publishableKey = required('PUBLISHABLE_KEY');

function required(name) {
  const value = process.env[name];
  if (!value) throw new Error(`${name} belongs to the stack under test`);
  return value;
}
