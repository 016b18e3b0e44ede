import { randomUUID } from 'node:crypto';

/** Account calls of an administrator's server, with the secret key. */
export function adminCalls(baseURL, secretKey) {
  const headers = { apikey: secretKey, 'Content-Type': 'application/json' };

  async function call(path, method = 'GET', body = undefined) {
    const response = await fetch(`${baseURL}${path}`, { method, headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return response;
  }

  return {
    call,
    async userOf(address) {
      const { users } = await (await call('/auth/v1/admin/users?per_page=1000')).json();
      const user = users.find(({ email }) => email === address);
      if (!user) throw new Error(`nobody has the address ${address}`);
      return user;
    },
    async setCoins(userId, coins) {
      await call(`/rest/v1/profiles?user_id=eq.${userId}`, 'PATCH', { coins });
    },
    async makeAdmin(userId) {
      const roles = await (await call(`/rest/v1/user_roles?user_id=eq.${userId}&role=eq.admin`)).json();
      if (!roles.length) await call('/rest/v1/user_roles', 'POST', { user_id: userId, role: 'admin' });
    },
    /** A payment of the Standard plan that waits for verification. */
    async reportPayment(userId) {
      await call('/rest/v1/payment_transactions', 'POST', {
        transaction_id: `UPI_${randomUUID()}`,
        user_id: userId,
        amount: 100,
        credits: 150,
        phone_number: '9876543210',
      });
    },
  };
}
