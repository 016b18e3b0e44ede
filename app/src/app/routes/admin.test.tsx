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

/** Everything on the screen is read again, and one of the readings fails. */
async function failToReadAgain(call: string) {
  api.on(call, () => json({ message: 'down' }, 500));
  expect(await refetchAll()).toBe(1);
}

const addresses = () =>
  screen.getAllByRole('row').flatMap((row) => row.querySelector('td')?.textContent ?? []);

describe('the admin panel', { timeout: 20_000 }, () => {
  test('s315_s325_roles_are_named_in_the_language_of_the_panel', async () => {
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

  test('s048_s340_who_is_no_admin_sees_nothing_and_is_led_away', async () => {
    api.on('POST /rest/v1/rpc/is_admin_user', () => json(false));
    showRoute(<AdminRoute />, { at: '/admin' });
    expect(await screen.findByText('Access Denied')).toBeInTheDocument();
    expect(screen.getByText("You don't have admin privileges")).toBeInTheDocument();
    await waitFor(() => {
      expect(address()).toBe('/');
    });
    expect(api.callsTo('POST /rest/v1/rpc/get_all_users')).toEqual([]);
  });

  test('s048_an_error_counts_as_no', async () => {
    api.on('POST /rest/v1/rpc/is_admin_user', () => json({ message: 'down' }, 503));
    showRoute(<AdminRoute />, { at: '/admin' });
    expect(await screen.findByText('Access Denied')).toBeInTheDocument();
  });

  test('s322_s323_s326_s337_s338_title_stats_table_and_buttons', async () => {
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

  test('s327_sorting_turns_around_and_empty_dates_stay_last', async () => {
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

  test('the_table_is_searched_by_address_and_phone', async () => {
    const { person } = await show();
    await rowOf('ravi@school.example');
    await person.type(screen.getByRole('searchbox'), '98765');
    expect(addresses()).toEqual(['ravi@school.example']);
    await person.type(screen.getByRole('searchbox'), 'x');
    expect(screen.getByText('No user matches this search.')).toBeInTheDocument();
  });

  test('s328_s329_s392_credits_are_added_and_told_by_mail', async () => {
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

  test('s330_a_mail_that_fails_is_a_warning_and_s331_credits_that_fail_are_an_error', async () => {
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

  test.each([
    ['lost', () => noNetwork()],
    ['given_by_a_gateway', () => json({ message: 'upstream timed out' }, 504)],
  ])('s384_after_an_answer_that_was_%s_the_balance_is_read_before_it_is_told', async (_, answer) => {
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

  test('s384_d13_credits_that_were_added_just_now_are_told_as_added_and_not_as_a_failure', async () => {
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

  test('s332_s333_deleting_asks_and_an_admin_cannot_delete_the_own_account', async () => {
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

  test('s325_s336_a_role_is_assigned_and_a_failure_told', async () => {
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

  test('s334_a_role_is_removed_after_asking_but_never_user', async () => {
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

  test('s336_users_that_cannot_be_read_are_told_and_tried_again', async () => {
    const well = json([]);
    api.on('POST /rest/v1/rpc/get_all_users', () => json({ message: 'down' }, 503));
    const { person } = await show();
    expect(await screen.findByRole('alert')).toHaveTextContent('Failed to load users and roles');
    api.on('POST /rest/v1/rpc/get_all_users', () => well);
    await person.click(screen.getByRole('button', { name: 'Try Again' }));
    expect(await screen.findByText('No user matches this search.')).toBeInTheDocument();
  });

  test('d11_a_payment_is_approved_with_at_most_its_credits', async () => {
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

  test('d11_a_payment_that_another_account_reported_too_is_marked', async () => {
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

  test('pages_of_payments_follow_an_order_in_which_no_two_payments_are_equal', async () => {
    await show('/admin?view=payments');
    await screen.findByRole('button', { name: /^Approve ₹100/ });
    expect(api.callsTo('GET /rest/v1/payment_transactions')[0]?.query.get('order')).toBe(
      'created_at.asc,transaction_id.asc,user_id.asc',
    );
  });

  test('d11_a_payment_is_approved_while_the_users_cannot_be_read', async () => {
    api
      .on('POST /rest/v1/rpc/get_all_users', () => json({ message: 'down' }, 503))
      .on('POST /rest/v1/rpc/admin_settle_payment', () => json(170));
    const { person } = await show('/admin?view=payments');
    await person.click(await screen.findByRole('button', { name: `Approve ₹100 of ${other.slice(0, 8)}` }));
    await person.click(await screen.findByRole('button', { name: 'Approve' }));
    expect(await screen.findByText('Payment approved, 150 credits added')).toBeInTheDocument();
  });

  test('d11_a_payment_is_rejected_with_a_reason', async () => {
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

  test('d11_a_reason_that_is_being_typed_stays_where_the_payments_cannot_be_read_again', async () => {
    const { person } = await show('/admin?view=payments');
    await person.click(await screen.findByRole('button', { name: /^Reject ₹100/ }));
    const dialog = await screen.findByRole('dialog', { name: 'Reject this payment?' });
    await person.type(within(dialog).getByLabelText('Reason, for the payer to read'), 'No such');
    await failToReadAgain('GET /rest/v1/payment_transactions');
    expect(within(dialog).getByLabelText('Reason, for the payer to read')).toHaveValue('No such');
    expect(dialog).toBeInTheDocument();
  });

  test('generations_that_are_shown_stay_where_they_cannot_be_read_again', async () => {
    api.on('POST /rest/v1/rpc/admin_recent_generations', () => json([generation]));
    await show('/admin?view=generations');
    expect(await screen.findByRole('cell', { name: 'Question paper' })).toBeInTheDocument();
    await failToReadAgain('POST /rest/v1/rpc/admin_recent_generations');
    expect(screen.getByRole('cell', { name: 'Question paper' })).toBeInTheDocument();
  });

  test('s336_users_that_are_shown_stay_where_they_cannot_be_read_again_and_no_toast_says_they_failed', async () => {
    await show();
    await rowOf('ravi@school.example');
    await failToReadAgain('POST /rest/v1/rpc/get_all_users');
    expect(screen.getByRole('cell', { name: 'ravi@school.example' })).toBeInTheDocument();
    expect(screen.queryByRole('button', { name: 'Try Again' })).toBeNull();
    expect(screen.getByRole('alert')).toBeEmptyDOMElement();
  });

  test('generations_are_listed_with_how_they_ended', async () => {
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

  test('s324_the_average_is_rounded_and_0_without_users', () => {
    expect(statsOf([])).toEqual({ users: 0, credits: 0, average: 0 });
    expect(statsOf([user(1), user(2)])).toEqual({ users: 2, credits: 3, average: 2 });
    expect(statsOf([user(1), user(1), user(2)])).toEqual({ users: 3, credits: 4, average: 1 });
  });

  test('pages_hold_twenty_and_a_page_that_is_no_longer_there_is_the_last', () => {
    const users = Array.from({ length: 41 }, (_, index) => user(index));
    const view = { search: '', sort: 'joined', ascending: true, page: 9 } as const;
    const shown = viewOf(users, view);
    expect(shown).toMatchObject({ found: 41, page: 3, pages: 3 });
    expect(shown.users.map(({ id }) => id)).toEqual(['40']);
  });

  test('s338_a_payment_happened_in_indian_time', () => {
    expect(momentOfPayment('2026-11-20', '14:05:09')?.toISOString()).toBe('2026-11-20T08:35:09.000Z');
    expect(momentOfPayment('2026-11-20', null)?.toISOString()).toBe('2026-11-19T18:30:00.000Z');
    expect(momentOfPayment(null, '14:05:09')).toBeNull();
  });

  test('s328_credits_are_whole_numbers_above_0', () => {
    expect(['1', ' 20 ', '100000'].map(creditsOf)).toEqual([1, 20, 100_000]);
    expect(['', '0', '-1', '1.5', '100001', '1e3'].map(creditsOf)).toEqual(Array(6).fill(null));
  });
});
