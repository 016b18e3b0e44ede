/**
 * The data and the calls behind the screens, with the official client alone: what an owner, another
 * teacher, a visitor and an administrator may do.
 */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { before, describe, test } from 'node:test';
import { newAccount, visitorClient } from './support/client.mjs';
import { baseURL, inboxURL, secretKey } from './support/env.mjs';
import { newestMail, readCode } from './support/inbox.mjs';
import { adminCalls } from './support/stack.mjs';

const stack = adminCalls(baseURL, secretKey);

/** The call is refused, either by a message or by leaving everything as it was. */
function refused({ data, error }) {
  return error !== null || data === null || data.length === 0;
}

function payment(user, fields = {}) {
  return {
    transaction_id: `UPI_${Date.now()}${Math.floor(Math.random() * 1e6)}`,
    user_id: user.id,
    amount: 20,
    credits: 20,
    status: 'PENDING',
    phone_number: null,
    customer_info: null,
    ...fields,
  };
}

describe('data and calls', { timeout: 120_000 }, () => {
  let asha, ravi, admin, visitor;
  before(async () => {
    [asha, ravi, admin] = await Promise.all(['asha', 'ravi', 'admin'].map(newAccount));
    visitor = visitorClient();
    await stack.makeAdmin(admin.id);
    for (const { supabase, id } of [asha, ravi]) {
      const { error } = await supabase.from('profiles').insert({ user_id: id, coins: 20 });
      assert.equal(error, null);
    }
  });

  // rows: S-358 S-362 S-364 S-365
  test('a session holds the id and the email address of its user', async () => {
    const { data } = await asha.supabase.auth.getSession();
    assert.deepEqual([data.session.user.id, data.session.user.email], [asha.id, asha.email]);
    assert.equal((await asha.supabase.auth.getUser()).data.user.id, asha.id);
    const changes = [];
    const third = await newAccount('leaver');
    third.supabase.auth.onAuthStateChange((event) => changes.push(event));
    await third.supabase.auth.signOut();
    assert.ok(changes.includes('SIGNED_OUT'), changes.join());
  });

  // rows: S-144 S-363
  test('the sign-in with Google asks to come back to /home', async () => {
    const { data, error } = await visitor.auth.signInWithOAuth({
      provider: 'google',
      options: { redirectTo: `${baseURL}/home`, skipBrowserRedirect: true },
    });
    assert.equal(error, null);
    assert.equal(new URL(data.url).searchParams.get('redirect_to'), `${baseURL}/home`);
  });

  // rows: S-151
  test('the mail has the code in plain text and in its subject', async () => {
    const { Subject, Text, HTML } = await (
      await fetch(`${inboxURL}/api/v1/message/${(await newestMail(inboxURL, asha.email)).ID}`)
    ).json();
    const [code] = /\b\d{6}\b/.exec(Subject);
    assert.ok(Text.includes(code) && HTML.includes(code));
    assert.doesNotMatch(HTML, /<a[ >]/, 'nothing to click');
  });

  // rows: S-339 S-347
  test('only the payer reads why a payment was rejected', async () => {
    const row = payment(ravi);
    assert.equal((await ravi.supabase.from('payment_transactions').insert(row)).error, null);
    const reason = 'No such payment in the bank.';
    const rejected = await admin.supabase.rpc('admin_reject_payment', {
      payer: ravi.id,
      payment_id: row.transaction_id,
      reason,
    });
    assert.equal(rejected.error, null);
    const since = new Date(Date.now() - 60_000).toISOString();
    const asked = (who) =>
      who.supabase
        .from('payment_transactions')
        .select('transaction_id, amount, status, created_at, rejection_reason')
        .eq('user_id', ravi.id)
        .or(`status.eq.PENDING,and(status.eq.REJECTED,settled_at.gte.${since})`)
        .order('created_at', { ascending: false });
    const { data } = await asked(ravi);
    assert.deepEqual(
      data.map((found) => [found.transaction_id, found.status, found.rejection_reason]),
      [[row.transaction_id, 'REJECTED', reason]],
    );
    assert.ok(refused(await asked(asha)));
  });

  // rows: S-366
  test('an owner asks for a change of the email address', async () => {
    const address = `new-${randomUUID()}@school.example`;
    const known = await newestMail(inboxURL, ravi.email);
    const { error } = await ravi.supabase.auth.updateUser({ email: address });
    assert.equal(error, null);
    const user = async () => (await ravi.supabase.auth.getUser()).data.user;
    assert.equal((await user()).email, ravi.email, 'not before it is confirmed');
    for (const [email, before] of [
      [ravi.email, known],
      [address, undefined],
    ]) {
      const token = await readCode(inboxURL, email, before);
      const taken = await ravi.supabase.auth.verifyOtp({ email, token, type: 'email_change' });
      assert.equal(taken.error, null, email);
    }
    assert.equal((await user()).email, address, 'by the codes of both');
  });

  // rows: S-005 S-342 S-343 S-344 S-367 S-368 S-369 S-370
  test('only the owner reads a wallet, and can lower it by at most 20', async () => {
    const own = () => asha.supabase.from('profiles').select('*').eq('user_id', asha.id).maybeSingle();
    const { data: profile } = await own();
    assert.deepEqual(Object.keys(profile).sort(), [
      'coins',
      'last_payment_amount',
      'last_payment_date',
      'last_payment_time',
      'updated_at',
      'user_id',
    ]);
    assert.equal(profile.coins, 20);
    const change = (who, coins) =>
      who.supabase.from('profiles').update({ coins }).eq('user_id', asha.id).select('coins');
    assert.ok(refused(await change(asha, 5_000)), 'more for oneself');
    assert.ok(refused(await change(asha, -1)), 'below zero');
    assert.ok(refused(await change(ravi, 0)), 'of somebody else');
    assert.ok(refused(await ravi.supabase.from('profiles').select('*').eq('user_id', asha.id)));
    assert.ok(refused(await visitor.from('profiles').select('*')));
    assert.ok(
      refused(await ravi.supabase.from('profiles').insert({ user_id: randomUUID(), coins: 20 }).select()),
    );
    assert.ok(refused(await ravi.supabase.from('profiles').delete().eq('user_id', asha.id).select()));
    assert.deepEqual((await change(asha, 0)).data, [{ coins: 0 }]);
    assert.deepEqual((await change(asha, 20)).data, [{ coins: 20 }], 'one open deduction is taken back');
    assert.ok(refused(await change(asha, 40)), 'and no second one');
    assert.equal((await own()).data.coins, 20);
  });

  // rows: S-371
  test('an owner notes the last payment', async () => {
    const noted = {
      last_payment_amount: 100,
      last_payment_date: '2026-11-22',
      last_payment_time: '10:15:00',
    };
    const { data } = await asha.supabase
      .from('profiles')
      .update(noted)
      .eq('user_id', asha.id)
      .select('last_payment_amount, last_payment_date, last_payment_time');
    assert.deepEqual(data, [noted]);
  });

  // rows: S-006 S-339 S-345 S-346 S-347 S-373
  test('users report own payments as pending and can never change them', async () => {
    const row = payment(asha);
    const { transaction_id, created_at, ...stored } = (
      await asha.supabase.from('payment_transactions').insert(row).select('*').single()
    ).data;
    assert.ok(transaction_id && created_at);
    assert.equal(stored.status, 'PENDING');
    const insert = (who, fields) =>
      who.from('payment_transactions').insert(payment(asha, fields)).select('transaction_id');
    assert.ok(refused(await insert(asha.supabase, { status: 'APPROVED' })));
    assert.ok(refused(await insert(asha.supabase, { credits: 5_000 })));
    assert.ok(refused(await insert(asha.supabase, { amount: 0 })));
    assert.ok(refused(await insert(ravi.supabase)), 'for somebody else');
    assert.ok(refused(await insert(visitor)));
    const mine = asha.supabase.from('payment_transactions');
    assert.ok(
      refused(await mine.update({ status: 'APPROVED' }).eq('transaction_id', transaction_id).select()),
    );
    assert.ok(refused(await mine.delete().eq('transaction_id', transaction_id).select()));
    assert.ok(refused(await ravi.supabase.from('payment_transactions').select('*').eq('user_id', asha.id)));
    const { data: wallet } = await asha.supabase.from('profiles').select('coins').single();
    assert.equal(wallet.coins, 20, 'a report adds nothing by itself');
  });

  // rows: S-009 S-335 S-348 S-349 S-350 S-374 S-375
  test('only administrators read, give and take roles', async () => {
    const roles = () =>
      admin.supabase
        .from('user_roles')
        .select('*')
        .eq('user_id', ravi.id)
        .order('assigned_at', { ascending: false });
    assert.deepEqual(
      (await roles()).data.map(({ role }) => role),
      ['user'],
      'everybody has user from the start',
    );
    assert.ok(
      refused(await ravi.supabase.from('user_roles').insert({ user_id: ravi.id, role: 'admin' }).select()),
    );
    assert.ok(
      (await ravi.supabase.rpc('assign_user_role', { target_user_id: ravi.id, new_role: 'admin' })).error,
    );
    const given = await admin.supabase.rpc('assign_user_role', {
      target_user_id: ravi.id,
      new_role: 'moderator',
    });
    assert.equal(given.error, null);
    assert.ok(
      (await admin.supabase.rpc('assign_user_role', { target_user_id: ravi.id, new_role: 'owner' })).error,
    );
    assert.equal((await roles()).data.length, 2);
    assert.ok((await ravi.supabase.rpc('get_all_users')).error, 'a moderator may nothing beyond a user');
    const taken = await admin.supabase
      .from('user_roles')
      .delete()
      .match({ user_id: ravi.id, role: 'moderator' })
      .select();
    assert.equal(taken.data.length, 1);
  });

  // rows: S-351 S-352 S-376 S-377 S-378
  test('everybody reads posts and only administrators write them', async () => {
    const post = (author) => ({
      title: `Chalk ${randomUUID()}`,
      content: '## Chalk',
      excerpt: '## Chalk',
      category: 'General',
      author_id: author.id,
      author_name: 'Admin',
    });
    assert.ok(refused(await ravi.supabase.from('blogs').insert(post(ravi)).select()));
    assert.ok(refused(await visitor.from('blogs').insert(post(admin)).select()));
    assert.ok(
      refused(await admin.supabase.from('blogs').insert(post(ravi)).select()),
      'in the name of another',
    );
    const { data: written } = await admin.supabase.from('blogs').insert(post(admin)).select('*').single();
    assert.deepEqual(Object.keys(written).sort(), [
      'author_id',
      'author_name',
      'category',
      'content',
      'created_at',
      'excerpt',
      'id',
      'published',
      'title',
    ]);
    assert.equal(written.published, true);
    const one = visitor.from('blogs').select('*').eq('id', written.id).eq('published', true).maybeSingle();
    assert.equal((await one).data.title, written.title);
    const all = await visitor
      .from('blogs')
      .select('*')
      .eq('published', true)
      .order('created_at', { ascending: false });
    assert.ok(all.data.some(({ id }) => id === written.id));
  });

  // rows: S-016 S-379
  test('a profile is created once, whichever call comes first', async () => {
    const late = await newAccount('late');
    for (let time = 0; time < 2; time += 1) {
      assert.equal((await late.supabase.rpc('create_user_profile_if_missing')).error, null);
    }
    const { data } = await late.supabase.from('profiles').select('coins');
    assert.deepEqual(data, [{ coins: 20 }]);
    const second = await late.supabase.from('profiles').insert({ user_id: late.id, coins: 100 });
    assert.equal(second.error.code, '23505');
  });

  // rows: S-161 S-380 S-381
  test('users can ask whether they are administrators, and only of themselves', async () => {
    const ask = async (who, id) => (await who.rpc('is_admin_user', { user_id_param: id })).data;
    assert.equal(await ask(admin.supabase, admin.id), true);
    assert.equal(await ask(asha.supabase, asha.id), false);
    assert.equal(await ask(asha.supabase, admin.id), false, 'others are not told');
    assert.equal(await ask(admin.supabase, asha.id), false);
  });

  // rows: S-341 S-353 S-382 S-383 S-384 S-385
  test('the procedures of the admin panel check who calls them', async () => {
    for (const [name, args] of [
      ['get_all_users', undefined],
      ['assign_user_role', { target_user_id: ravi.id, new_role: 'admin' }],
      ['admin_update_user_credits', { target_user_id: ravi.id, credit_change: 100 }],
      ['admin_delete_user', { target_user_id: asha.id }],
      ['admin_settle_payment', { payer: ravi.id, payment_id: 'UPI_1', approved_credits: 20 }],
      ['admin_reject_payment', { payer: ravi.id, payment_id: 'UPI_1', reason: 'Nothing came.' }],
      ['admin_recent_generations', undefined],
    ]) {
      assert.ok((await ravi.supabase.rpc(name, args)).error, `${name} by a teacher`);
      assert.ok((await visitor.rpc(name, args)).error, `${name} by a visitor`);
    }
    const { data: users } = await admin.supabase.rpc('get_all_users');
    const row = users.find(({ user_id }) => user_id === asha.id);
    assert.deepEqual(Object.keys(row).sort(), ['coins', 'created_at', 'email', 'phone_number', 'user_id']);
    assert.ok(
      (await admin.supabase.rpc('admin_update_user_credits', { target_user_id: ravi.id, credit_change: 0 }))
        .error,
    );
    const raised = await admin.supabase.rpc('admin_update_user_credits', {
      target_user_id: ravi.id,
      credit_change: 30,
    });
    assert.equal(raised.error, null);
    assert.equal((await ravi.supabase.from('profiles').select('coins').single()).data.coins, 50);
    assert.ok((await admin.supabase.rpc('admin_delete_user', { target_user_id: admin.id })).error, 'oneself');
  });

  // rows: S-402
  test('two deductions from one balance count once, and each tool checks its caller', async () => {
    const pupil = await newAccount('two-at-once');
    await pupil.supabase.rpc('create_user_profile_if_missing');
    const deduct = () =>
      pupil.supabase
        .from('profiles')
        .update({ coins: 0 })
        .eq('user_id', pupil.id)
        .eq('coins', 20)
        .select('coins');
    const outcomes = await Promise.all([deduct(), deduct()]);
    assert.equal(outcomes.filter(({ data }) => data?.length === 1).length, 1);
    for (const name of [
      'generate-lesson-plan',
      'generate-question-paper',
      'generate-teaching-aids',
      'generate-communication',
    ]) {
      const { error } = await visitor.functions.invoke(name, { body: {} });
      assert.equal(error?.context?.status, 401, `${name} asks who calls`);
    }
  });

  // rows: S-310 S-311 S-372
  test('deleting the profile leaves the account to the administrators', async () => {
    const leaver = await newAccount('leaving');
    await leaver.supabase.rpc('create_user_profile_if_missing');
    const gone = await leaver.supabase.from('profiles').delete().eq('user_id', leaver.id).select('user_id');
    assert.equal(gone.data.length, 1);
    assert.equal((await stack.userOf(leaver.email)).id, leaver.id);
    const again = await leaver.supabase
      .from('profiles')
      .insert({ user_id: leaver.id, coins: 100 })
      .select('coins');
    assert.deepEqual(again.data, [{ coins: 20 }], 'made again it has what it had');
  });
});
