import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { creditsOf, momentOfPayment, statsOf, viewOf, type AdminUser } from '@/features/admin/admin-user';
import { setLanguage } from '@/lib/i18n';
import { FakeApi, deferredResponse, json, noNetwork } from '@/test/fake-api';
import { refetchAll } from '@/test/refetch-all';
import { address, showRoute, teacher } from '@/test/show-route';
import AdminRoute from './admin';

const other = '22222222-2222-4222-8222-222222222222';
const third = '33333333-3333-4333-8333-333333333333';
const payment = {
  transaction_id: 'UPI_1',
  user_id: other,
  amount: 100,
  credits: 150,
  status: 'PENDING',
  phone_number: '9876543210',
  customer_info: null,
  created_at: '2026-11-20T08:30:00Z',
  reported_by_others: false,
};

const generation = {
  id: 'g',
  user_id: other,
  email: null,
  tool: 'generate-question-paper',
  status: 'finished',
  model_backed: false,
  started_at: '2026-11-21T10:00:00.000Z',
  finished_at: '2026-11-21T10:00:01.500Z',
  failure_reason: null,
};

let api: FakeApi;

const account = (user_id: string, email: string, phone: string | null, coins: number, joined: string) => ({
  user_id,
  email,
  phone_number: phone,
  coins,
  created_at: joined,
});

beforeEach(() => {
  api = new FakeApi()
    .on('POST /rest/v1/rpc/is_admin_user', () => json(true))
    .on('POST /rest/v1/rpc/get_all_users', () =>
      json([
        account(teacher.id, teacher.email, null, 41, '2026-01-01T00:00:00Z'),
        account(other, 'ravi@school.example', '9876543210', 20, '2026-03-01T00:00:00Z'),
        account(third, 'meera@school.example', null, 0, '2026-02-01T00:00:00Z'),
      ]),
    )
    .on('GET /rest/v1/user_roles', () =>
      json([
        { user_id: teacher.id, role: 'admin' },
        { user_id: teacher.id, role: 'user' },
        { user_id: other, role: 'moderator' },
        { user_id: other, role: 'user' },
        { user_id: third, role: 'user' },
      ]),
    )
    .on('GET /rest/v1/profiles', () =>
      json([{ user_id: other, last_payment_date: '2026-11-20', last_payment_time: '14:05:09' }]),
    )
    .on('GET /rest/v1/payment_transactions', () => json([payment]))
    .on('POST /functions/v1/send-credit-notification', () => json({ success: true }));
});

async function show(at = '/admin') {
  const shown = showRoute(<AdminRoute />, { at });
  await screen.findByText('Total Users');
  return shown;
}

const rowOf = async (email: string) => {
  const cell = await screen.findByRole('cell', { name: email });
  const row = cell.closest('tr');
  if (!row) throw new Error('a cell stands in a row');
  return within(row);
};

/** Everything on the screen is read again, and one query fails. */
async function failToReadAgain(call: string) {
  api.on(call, () => json({ message: 'down' }, 500));
  expect(await refetchAll()).toBe(1);
}

const addresses = () =>
  screen.getAllByRole('row').flatMap((row) => row.querySelector('td')?.textContent ?? []);

describe('the admin panel', { timeout: 20_000 }, () => {
  // rows: S-315 S-325
  test('roles are named in the language of the panel', async () => {
    await setLanguage('hi');
    try {
      showRoute(<AdminRoute />, { at: '/admin' });
      const row = await rowOf('ravi@school.example');
      expect(row.getByText('मॉडरेटर')).toBeInTheDocument();
      expect(screen.getByRole('option', { name: 'एडमिन' })).toHaveValue('admin');
    } finally {
      await setLanguage('en');
    }
  });

  // rows: S-048 S-340
  test('users who are no administrators see nothing and are sent away', async () => {
    api.on('POST /rest/v1/rpc/is_admin_user', () => json(false));
    showRoute(<AdminRoute />, { at: '/admin' });
    expect(await screen.findByText('Access Denied')).toBeInTheDocument();
    expect(screen.getByText("You don't have admin privileges")).toBeInTheDocument();
    await waitFor(() => {
      expect(address()).toBe('/');
    });
    expect(api.callsTo('POST /rest/v1/rpc/get_all_users')).toEqual([]);
  });

  // rows: S-048
  test('an error counts as no administrator', async () => {
    api.on('POST /rest/v1/rpc/is_admin_user', () => json({ message: 'down' }, 503));
    showRoute(<AdminRoute />, { at: '/admin' });
    expect(await screen.findByText('Access Denied')).toBeInTheDocument();
  });

  // rows: S-322 S-323 S-326 S-337 S-338
  test('the panel shows title, stats, table and buttons', async () => {
    await show();
    expect(screen.getByRole('heading', { level: 1, name: 'Admin Panel' })).toBeInTheDocument();
    const row = await rowOf('ravi@school.example');
    for (const text of ['9876543210', '20', 'moderator', '20-11-2026, 14:05', '01-03-2026']) {
      expect(row.getByText(text)).toBeInTheDocument();
    }
    const cards = screen
      .getAllByRole('term')
      .map((label) => [
        label.textContent,
        label.nextElementSibling?.textContent ?? label.previousElementSibling?.textContent,
      ]);
    expect(cards).toEqual([
      ['Total Users', '3'],
      ['Total Credits', '61'],
      ['Average Credits', '20'],
    ]);
    expect(screen.getByRole('button', { name: 'Logout' })).toBeInTheDocument();
    const asked = api.callsTo('POST /rest/v1/rpc/get_all_users').length;
    fireEvent.click(screen.getByRole('button', { name: 'Refresh Data' }));
    await waitFor(() => {
      expect(api.callsTo('POST /rest/v1/rpc/get_all_users').length).toBeGreaterThan(asked);
    });
    expect(screen.getByRole('link', { name: 'Back to Home' })).toHaveAttribute('href', '/home');
    expect(api.callsTo('GET /rest/v1/user_roles')[0]?.query.get('order')).toMatch(/^assigned_at\.desc/);
  });

  // rows: S-327
  test('sorting turns around and empty dates stay last', async () => {
    const { person } = await show();
    await rowOf('ravi@school.example');
    expect(addresses()).toEqual(['ravi@school.example', 'meera@school.example', teacher.email]);
    await person.click(screen.getByRole('button', { name: 'Joined' }));
    expect(addresses()).toEqual([teacher.email, 'meera@school.example', 'ravi@school.example']);
    for (const order of ['descending', 'ascending']) {
      await person.click(screen.getByRole('button', { name: 'Last Payment Date' }));
      expect(screen.getByRole('columnheader', { name: 'Last Payment Date' })).toHaveAttribute(
        'aria-sort',
        order,
      );
      expect(addresses()[0]).toBe('ravi@school.example');
    }
  });

  test('the table is searched by address and phone', async () => {
    const { person } = await show();
    await rowOf('ravi@school.example');
    await person.type(screen.getByRole('searchbox'), '98765');
    expect(addresses()).toEqual(['ravi@school.example']);
    await person.type(screen.getByRole('searchbox'), 'x');
    expect(screen.getByText('No user matches this search.')).toBeInTheDocument();
  });

  // rows: S-328 S-329 S-392
  test('credits are added and the user is told by mail', async () => {
    api.on('POST /rest/v1/rpc/admin_update_user_credits', () => json(170));
    const { person } = await show();
    const row = await rowOf('ravi@school.example');
    const add = row.getByRole('button', { name: 'Add credits for ravi@school.example' });
    const field = row.getByRole('textbox');
    for (const wrong of ['0', '-5', '1.5', 'ten']) {
      await person.clear(field);
      await person.type(field, wrong);
      expect(add).toBeDisabled();
    }
    await person.clear(field);
    await person.type(field, '150');
    await person.click(add);
    expect(await screen.findByText('150 credits added for ravi@school.example')).toBeInTheDocument();
    expect(api.callsTo('POST /rest/v1/rpc/admin_update_user_credits')[0]?.body).toEqual({
      target_user_id: other,
      credit_change: 150,
    });
    expect(api.callsTo('POST /functions/v1/send-credit-notification')[0]?.body).toEqual({
      email: 'ravi@school.example',
      newCreditAmount: 170,
    });
  });

  // rows: S-330 S-331
  test('a failed mail is a warning, and credits that fail are an error', async () => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    api
      .on('POST /rest/v1/rpc/admin_update_user_credits', () => json(21))
      .on('POST /functions/v1/send-credit-notification', () => json({ error: 'You may not.' }, 403));
    const { person } = await show();
    const row = await rowOf('ravi@school.example');
    await person.type(row.getByRole('textbox'), '1');
    await person.click(row.getByRole('button', { name: /^Add credits/ }));
    expect(
      await screen.findByText('The credits were added, but no mail could be sent. You may not.'),
    ).toBeInTheDocument();
    expect(logged).toHaveBeenCalled();
    api.on('POST /rest/v1/rpc/admin_update_user_credits', () => json({ message: 'no profile' }, 400));
    await person.type(row.getByRole('textbox'), '2');
    await person.click(row.getByRole('button', { name: /^Add credits/ }));
    expect(await screen.findByText('Failed to update credits')).toBeInTheDocument();
    expect(row.getByRole('textbox')).toHaveValue('2');
  });

  // rows: S-384
  test.each([
    ['lost', () => noNetwork()],
    ['given_by_a_gateway', () => json({ message: 'upstream timed out' }, 504)],
  ])('after an answer that was %s the balance is read before it is shown', async (_, answer) => {
    const { person } = await show();
    const asked = () => api.callsTo('POST /rest/v1/rpc/get_all_users').length;
    const before = asked();
    api.on('POST /rest/v1/rpc/admin_update_user_credits', answer);
    const held = deferredResponse();
    api.on('POST /rest/v1/rpc/get_all_users', () => held.answer);
    const row = await rowOf('ravi@school.example');
    await person.type(row.getByRole('textbox'), '2');
    await person.click(row.getByRole('button', { name: /^Add credits/ }));
    await waitFor(() => {
      expect(asked()).toBe(before + 1);
    });
    expect(screen.getByRole('alert')).toBeEmptyDOMElement();
    held.give(json([account(other, 'ravi@school.example', '9876543210', 22, '2026-03-01T00:00:00Z')]));
    expect(await screen.findByText('It is not known whether the credits were added')).toBeInTheDocument();
    expect(
      screen.getByText(/^No answer came. Look at the balance of ravi@school.example/),
    ).toBeInTheDocument();
    expect(row.getByText('22')).toBeInTheDocument();
    expect(row.getByRole('textbox')).toHaveValue('2');
    expect(api.callsTo('POST /functions/v1/send-credit-notification')).toEqual([]);
    expect(asked()).toBe(before + 1);
  });

  // rows: S-384 D13
  test('credits that were added just now are shown as added and not as a failure', async () => {
    const message = 'You have just added this number of credits to this account.';
    api.on('POST /rest/v1/rpc/admin_update_user_credits', () => json({ code: '23514', message }, 400));
    const { person } = await show();
    const row = await rowOf('ravi@school.example');
    await person.type(row.getByRole('textbox'), '2');
    await person.click(row.getByRole('button', { name: /^Add credits/ }));
    expect(
      await screen.findByText('2 credits were added for ravi@school.example just now'),
    ).toBeInTheDocument();
    expect(screen.getByText(/^They were not added a second time/)).toBeInTheDocument();
    expect(screen.getByRole('alert')).toBeEmptyDOMElement();
  });

  // rows: S-332 S-333
  test('deleting asks first, and an administrator cannot delete the own account', async () => {
    api.on('POST /rest/v1/rpc/admin_delete_user', () => json({ message: 'last admin' }, 400));
    const { person } = await show();
    expect((await rowOf(teacher.email)).getByRole('button', { name: /^Delete/ })).toBeDisabled();
    await person.click((await rowOf('ravi@school.example')).getByRole('button', { name: /^Delete/ }));
    const dialog = await screen.findByRole('dialog', { name: 'Delete this user?' });
    expect(dialog).toHaveTextContent('ravi@school.example');
    expect(api.callsTo('POST /rest/v1/rpc/admin_delete_user')).toEqual([]);
    await person.click(within(dialog).getByRole('button', { name: 'Delete user' }));
    expect(await screen.findByText('Failed to delete user')).toBeInTheDocument();
    expect(api.callsTo('POST /rest/v1/rpc/admin_delete_user')[0]?.body).toEqual({ target_user_id: other });
  });

  // rows: S-325 S-336
  test('a role is assigned and a failure is shown', async () => {
    api.on('POST /rest/v1/rpc/assign_user_role', () => new Response(null, { status: 204 }));
    const { person } = await show();
    await rowOf('ravi@school.example');
    const assign = screen.getByRole('button', { name: 'Assign Role' });
    expect(assign).toBeDisabled();
    await person.selectOptions(screen.getByLabelText('User'), 'meera@school.example');
    await person.selectOptions(screen.getByLabelText('Role'), 'moderator');
    await person.click(assign);
    expect(await screen.findByText('Role moderator assigned to meera@school.example')).toBeInTheDocument();
    expect(api.callsTo('POST /rest/v1/rpc/assign_user_role')[0]?.body).toEqual({
      target_user_id: third,
      new_role: 'moderator',
    });
    api.on('POST /rest/v1/rpc/assign_user_role', () => json({ message: 'no' }, 403));
    await person.click(assign);
    expect(await screen.findByText('Failed to assign role')).toBeInTheDocument();
  });

  // rows: S-334
  test('a role is removed after a question, and the role user stays', async () => {
    api.on('DELETE /rest/v1/user_roles', () => json([{ role: 'moderator' }]));
    const { person } = await show();
    const row = await rowOf('ravi@school.example');
    expect(row.getAllByRole('button', { name: /^Remove role/ })).toHaveLength(1);
    await person.click(row.getByRole('button', { name: 'Remove role moderator from ravi@school.example' }));
    await person.click(await screen.findByRole('button', { name: 'Remove role' }));
    expect(await screen.findByText('Role removed')).toBeInTheDocument();
    const [call] = api.callsTo('DELETE /rest/v1/user_roles');
    expect(call?.query.get('user_id')).toBe(`eq.${other}`);
    expect(call?.query.get('role')).toBe('eq.moderator');
  });

  // rows: S-336
  test('users that cannot be read are reported and read again', async () => {
    const well = json([]);
    api.on('POST /rest/v1/rpc/get_all_users', () => json({ message: 'down' }, 503));
    const { person } = await show();
    expect(await screen.findByRole('alert')).toHaveTextContent('Failed to load users and roles');
    api.on('POST /rest/v1/rpc/get_all_users', () => well);
    await person.click(screen.getByRole('button', { name: 'Try Again' }));
    expect(await screen.findByText('No user matches this search.')).toBeInTheDocument();
  });

  // rows: D11
  test('a payment is approved with at most its credits', async () => {
    api.on('POST /rest/v1/rpc/admin_settle_payment', () => json(160));
    const { person } = await show('/admin?view=payments');
    await person.click(await screen.findByRole('button', { name: /^Approve ₹100 of ravi@school/ }));
    const dialog = await screen.findByRole('dialog', { name: 'Approve this payment?' });
    const field = within(dialog).getByLabelText('Credits to give, at most 150');
    const approve = within(dialog).getByRole('button', { name: 'Approve' });
    await person.clear(field);
    await person.type(field, '151');
    expect(approve).toBeDisabled();
    await person.clear(field);
    await person.type(field, '140');
    await person.click(approve);
    expect(await screen.findByText('Payment approved, 140 credits added')).toBeInTheDocument();
    expect(api.callsTo('POST /rest/v1/rpc/admin_settle_payment')[0]?.body).toEqual({
      payer: other,
      payment_id: 'UPI_1',
      approved_credits: 140,
    });
  });

  // rows: D11
  test('a payment that another account reported as well is marked', async () => {
    const twice = 'Another account reported a payment with this number too.';
    const { person } = await show('/admin?view=payments');
    await screen.findByRole('button', { name: /^Approve ₹100/ });
    expect(screen.queryByText(new RegExp(`^${twice}`))).not.toBeInTheDocument();
    api.on('GET /rest/v1/payment_transactions', () => json([{ ...payment, reported_by_others: true }]));
    await refetchAll();
    expect(await screen.findByText(new RegExp(`^${twice}`))).toBeInTheDocument();
    await person.click(screen.getByRole('button', { name: /^Approve ₹100/ }));
    const dialog = await screen.findByRole('dialog', { name: 'Approve this payment?' });
    expect(within(dialog).getByText(new RegExp(`^${twice}`))).toBeInTheDocument();
  });

  test('pages of payments have an order in which no two payments are equal', async () => {
    await show('/admin?view=payments');
    await screen.findByRole('button', { name: /^Approve ₹100/ });
    expect(api.callsTo('GET /rest/v1/payment_transactions')[0]?.query.get('order')).toBe(
      'created_at.asc,transaction_id.asc,user_id.asc',
    );
  });

  // rows: D11
  test('a payment is approved while the users cannot be read', async () => {
    api
      .on('POST /rest/v1/rpc/get_all_users', () => json({ message: 'down' }, 503))
      .on('POST /rest/v1/rpc/admin_settle_payment', () => json(170));
    const { person } = await show('/admin?view=payments');
    await person.click(await screen.findByRole('button', { name: `Approve ₹100 of ${other.slice(0, 8)}` }));
    await person.click(await screen.findByRole('button', { name: 'Approve' }));
    expect(await screen.findByText('Payment approved, 150 credits added')).toBeInTheDocument();
  });

  // rows: D11
  test('a payment is rejected with a reason', async () => {
    api.on('POST /rest/v1/rpc/admin_reject_payment', () => json(null));
    const { person } = await show('/admin?view=payments');
    await person.click(await screen.findByRole('button', { name: /^Reject ₹100/ }));
    const dialog = await screen.findByRole('dialog', { name: 'Reject this payment?' });
    const reject = within(dialog).getByRole('button', { name: 'Reject' });
    const reason = within(dialog).getByLabelText('Reason, for the payer to read');
    expect(reject).toBeDisabled();
    await person.type(reason, '   ');
    expect(reject).toBeDisabled();
    await person.type(reason, 'No such payment came in. ');
    await person.click(reject);
    expect(await screen.findByText('Payment rejected')).toBeInTheDocument();
    expect(api.callsTo('POST /rest/v1/rpc/admin_reject_payment')[0]?.body).toEqual({
      payer: other,
      payment_id: 'UPI_1',
      reason: 'No such payment came in.',
    });
  });

  // rows: D11
  test('a half-typed reason stays when the payments cannot be read again', async () => {
    const { person } = await show('/admin?view=payments');
    await person.click(await screen.findByRole('button', { name: /^Reject ₹100/ }));
    const dialog = await screen.findByRole('dialog', { name: 'Reject this payment?' });
    await person.type(within(dialog).getByLabelText('Reason, for the payer to read'), 'No such');
    await failToReadAgain('GET /rest/v1/payment_transactions');
    expect(within(dialog).getByLabelText('Reason, for the payer to read')).toHaveValue('No such');
    expect(dialog).toBeInTheDocument();
  });

  test('the list of generations stays when it cannot be read again', async () => {
    api.on('POST /rest/v1/rpc/admin_recent_generations', () => json([generation]));
    await show('/admin?view=generations');
    expect(await screen.findByRole('cell', { name: 'Question paper' })).toBeInTheDocument();
    await failToReadAgain('POST /rest/v1/rpc/admin_recent_generations');
    expect(screen.getByRole('cell', { name: 'Question paper' })).toBeInTheDocument();
  });

  // rows: S-336
  test('the list of users stays when it cannot be read again, without a toast', async () => {
    await show();
    await rowOf('ravi@school.example');
    await failToReadAgain('POST /rest/v1/rpc/get_all_users');
    expect(screen.getByRole('cell', { name: 'ravi@school.example' })).toBeInTheDocument();
    expect(screen.queryByRole('button', { name: 'Try Again' })).toBeNull();
    expect(screen.getByRole('alert')).toBeEmptyDOMElement();
  });

  test('generations are listed with their outcome', async () => {
    api.on('POST /rest/v1/rpc/admin_recent_generations', () => json([generation]));
    await show('/admin?view=generations');
    expect(await screen.findByRole('cell', { name: 'Question paper' })).toBeInTheDocument();
    for (const name of ['deleted account', 'Finished', '1.5', 'Built-in generator', '21-11-2026, 15:30']) {
      expect(screen.getByRole('cell', { name })).toBeInTheDocument();
    }
  });
});

describe('what the panel works out', () => {
  const user = (id: number, lastPayment: string | null = null): AdminUser => ({
    id: String(id),
    email: `teacher${id}@school.example`,
    phone: '',
    coins: id,
    roles: ['user'],
    lastPayment: lastPayment ? new Date(lastPayment) : null,
    joined: new Date(2026, 0, 1, 0, id),
  });

  // rows: S-324
  test('the average is rounded, and 0 without users', () => {
    expect(statsOf([])).toEqual({ users: 0, credits: 0, average: 0 });
    expect(statsOf([user(1), user(2)])).toEqual({ users: 2, credits: 3, average: 2 });
    expect(statsOf([user(1), user(1), user(2)])).toEqual({ users: 3, credits: 4, average: 1 });
  });

  test('a page holds twenty users, and a page that is gone becomes the last', () => {
    const users = Array.from({ length: 41 }, (_, index) => user(index));
    const view = { search: '', sort: 'joined', ascending: true, page: 9 } as const;
    const shown = viewOf(users, view);
    expect(shown).toMatchObject({ found: 41, page: 3, pages: 3 });
    expect(shown.users.map(({ id }) => id)).toEqual(['40']);
  });

  // rows: S-338
  test('the time of a payment is Indian time', () => {
    expect(momentOfPayment('2026-11-20', '14:05:09')?.toISOString()).toBe('2026-11-20T08:35:09.000Z');
    expect(momentOfPayment('2026-11-20', null)?.toISOString()).toBe('2026-11-19T18:30:00.000Z');
    expect(momentOfPayment(null, '14:05:09')).toBeNull();
  });

  // rows: S-328
  test('credits are whole numbers above 0', () => {
    expect(['1', ' 20 ', '100000'].map(creditsOf)).toEqual([1, 20, 100_000]);
    expect(['', '0', '-1', '1.5', '100001', '1e3'].map(creditsOf)).toEqual(Array(6).fill(null));
  });
});
