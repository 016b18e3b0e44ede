import { AuthApiError, AuthRetryableFetchError } from '@supabase/supabase-js';
import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { supabase } from '@/lib/supabase';
import { FakeApi, json } from '@/test/fake-api';
import { refetchAll } from '@/test/refetch-all';
import { showRoute, teacher } from '@/test/show-route';
import ProfileRoute from './profile';

const account = {
  id: teacher.id,
  email: teacher.email,
  created_at: '2026-04-01T20:00:00Z',
  app_metadata: {},
  user_metadata: {},
  aud: 'authenticated',
};

let api: FakeApi;

beforeEach(() => {
  api = new FakeApi();
  vi.spyOn(supabase.auth, 'getUser').mockResolvedValue({ data: { user: account }, error: null });
});

async function edit(person: ReturnType<typeof showRoute>['person'], address: string) {
  await person.click(await screen.findByRole('button', { name: 'Edit Profile' }));
  const field = screen.getByLabelText('Email');
  await person.clear(field);
  await person.type(field, address);
}

const expired = new AuthApiError('Token has expired or is invalid', 403, 'otp_expired');
const refused = { data: { user: null, session: null }, error: expired };
/** One of two codes was taken. */
const half = { data: { user: null, session: null }, error: null };

/** Both addresses of a change that was begun, each with the field for its code. */
async function changing() {
  const user = { ...account, new_email: 'new@school.example' };
  vi.spyOn(supabase.auth, 'getUser').mockResolvedValue({ data: { user }, error: null });
  const { person } = showRoute(<ProfileRoute />);
  await screen.findByLabelText(`Code sent to ${teacher.email}`);
  const enter = async (address: string, code: string) => {
    const field = screen.getByLabelText(`Code sent to ${address}`);
    await person.clear(field);
    await person.type(field, code);
  };
  const confirm = () => person.click(screen.getByRole('button', { name: 'Confirm the new address' }));
  const changed = { data: { user: { ...account, email: user.new_email }, session: null }, error: null };
  return { enter, confirm, changed };
}

const save = () => screen.getByRole('button', { name: 'Save Changes' });

describe('the profile', () => {
  test('s304_s312_shows_address_member_since_and_the_short_id', async () => {
    showRoute(<ProfileRoute />, { at: '/profile' });
    expect(await screen.findByText(teacher.email)).toBeInTheDocument();
    expect(screen.getByText('02-04-2026')).toBeInTheDocument();
    expect(screen.getByText('11111111')).toBeInTheDocument();
    expect(screen.getByRole('link', { name: 'Profile' })).toHaveAttribute('aria-current', 'page');
    expect(screen.getByRole('link', { name: /Shikshak Saathi/ })).toHaveAttribute('href', '/home');
  });

  test('s305_s306_a_new_address_is_saved', async () => {
    const update = vi
      .spyOn(supabase.auth, 'updateUser')
      .mockResolvedValue({ data: { user: { ...account, email: 'new@school.example' } }, error: null });
    const { person } = showRoute(<ProfileRoute />);
    await edit(person, ' new@school.example ');
    await person.click(save());
    expect(await screen.findByText('Profile Updated')).toBeInTheDocument();
    expect(update).toHaveBeenCalledExactlyOnceWith({ email: 'new@school.example' });
    expect(screen.getByRole('button', { name: 'Edit Profile' })).toBeInTheDocument();
  });

  test('s307_the_codes_of_both_addresses_confirm_the_new_one', async () => {
    const user = { ...account, new_email: 'new@school.example' };
    vi.spyOn(supabase.auth, 'getUser').mockResolvedValue({ data: { user }, error: null });
    const verify = vi
      .spyOn(supabase.auth, 'verifyOtp')
      .mockResolvedValueOnce(half)
      .mockResolvedValueOnce(refused)
      .mockResolvedValueOnce({ data: { user, session: null }, error: null });
    const { person } = showRoute(<ProfileRoute />);
    const old = await screen.findByLabelText(`Code sent to ${teacher.email}`);
    const confirm = screen.getByRole('button', { name: 'Confirm the new address' });
    await person.type(old, '123 45');
    expect(confirm).toBeDisabled();
    await person.type(old, '6');
    await person.click(screen.getByLabelText('Code sent to new@school.example'));
    await person.paste('000 000');
    expect(screen.getByLabelText('Code sent to new@school.example')).toHaveValue('000000');
    await person.click(confirm);
    expect(await screen.findByText(/^That code is wrong or too old/)).toBeInTheDocument();
    expect(screen.queryByText('Token has expired or is invalid')).toBeNull();
    // What was taken is not asked for again.
    expect(screen.queryByLabelText(`Code sent to ${teacher.email}`)).toBeNull();
    const again = screen.getByLabelText('Code sent to new@school.example');
    await person.clear(again);
    await person.type(again, '654321');
    await person.click(screen.getByRole('button', { name: 'Confirm the new address' }));
    expect(await screen.findByText('Profile Updated')).toBeInTheDocument();
    const codes = verify.mock.calls.map(([call]) => call);
    expect(codes).toEqual([
      { email: teacher.email, token: '123456', type: 'email_change' },
      { email: 'new@school.example', token: '000000', type: 'email_change' },
      { email: 'new@school.example', token: '654321', type: 'email_change' },
    ]);
  });

  test('s307_a_code_that_was_taken_before_the_page_was_loaded_again_does_not_hold_up_the_other', async () => {
    const { enter, confirm, changed } = await changing();
    const verify = vi
      .spyOn(supabase.auth, 'verifyOtp')
      .mockResolvedValueOnce(refused)
      .mockResolvedValueOnce(changed);
    await enter(teacher.email, '123456');
    await enter('new@school.example', '654321');
    await confirm();
    expect(await screen.findByText('Profile Updated')).toBeInTheDocument();
    expect(verify).toHaveBeenCalledTimes(2);
  });

  test('s307_one_code_is_taken_alone_and_the_other_asked_for', async () => {
    const { enter, confirm, changed } = await changing();
    const verify = vi
      .spyOn(supabase.auth, 'verifyOtp')
      .mockResolvedValueOnce(half)
      .mockResolvedValueOnce(changed);
    await enter('new@school.example', '654321');
    await confirm();
    expect(await screen.findByText('Code accepted. The other one is still missing.')).toBeInTheDocument();
    expect(screen.queryByText('Profile Updated')).toBeNull();
    expect(screen.queryByLabelText('Code sent to new@school.example')).toBeNull();
    await enter(teacher.email, '123456');
    await confirm();
    expect(await screen.findByText('Profile Updated')).toBeInTheDocument();
    expect(verify.mock.calls.map(([call]) => call)).toMatchObject([{ token: '654321' }, { token: '123456' }]);
  });

  test('s307_a_wrong_code_before_a_right_one_is_no_change_and_asked_for_again', async () => {
    const { enter, confirm } = await changing();
    vi.spyOn(supabase.auth, 'verifyOtp').mockResolvedValueOnce(refused).mockResolvedValueOnce(half);
    await enter(teacher.email, '000000');
    await enter('new@school.example', '654321');
    await confirm();
    expect(await screen.findByText(/^That code is wrong or too old/)).toBeInTheDocument();
    expect(screen.getByLabelText(`Code sent to ${teacher.email}`)).toBeInTheDocument();
    expect(screen.queryByLabelText('Code sent to new@school.example')).toBeNull();
  });

  test('s307_without_an_answer_no_other_code_is_tried', async () => {
    const { enter, confirm } = await changing();
    const error = new AuthRetryableFetchError('{}', 503);
    const verify = vi
      .spyOn(supabase.auth, 'verifyOtp')
      .mockResolvedValue({ data: { user: null, session: null }, error });
    await enter(teacher.email, '123456');
    await enter('new@school.example', '654321');
    await confirm();
    expect(await screen.findByText(/^Our server did not answer/)).toBeInTheDocument();
    expect(verify).toHaveBeenCalledOnce();
  });

  test('s307_an_address_that_must_be_confirmed_says_so', async () => {
    vi.spyOn(supabase.auth, 'updateUser').mockResolvedValue({ data: { user: account }, error: null });
    const { person } = showRoute(<ProfileRoute />);
    await edit(person, 'new@school.example');
    await person.click(save());
    expect(await screen.findByText(/Until both are entered, your old address stays/)).toBeInTheDocument();
  });

  test('s306_a_refusal_keeps_what_was_typed', async () => {
    const taken = new AuthApiError(
      'A user with this email address has already been registered',
      422,
      'email_exists',
    );
    vi.spyOn(supabase.auth, 'updateUser').mockResolvedValue({ data: { user: null }, error: taken });
    const { person } = showRoute(<ProfileRoute />);
    await edit(person, 'taken@school.example');
    await person.click(save());
    expect(await screen.findByText('Failed to update profile')).toBeInTheDocument();
    expect(screen.getByText('Another account has this address.')).toBeInTheDocument();
    expect(screen.getByLabelText('Email')).toHaveValue('taken@school.example');
  });

  test('s306_a_server_that_is_away_is_told_in_words', async () => {
    const error = new AuthRetryableFetchError('{}', 503);
    vi.spyOn(supabase.auth, 'updateUser').mockResolvedValue({ data: { user: null }, error });
    const { person } = showRoute(<ProfileRoute />);
    await edit(person, 'new@school.example');
    await person.click(save());
    expect(await screen.findByText('Failed to update profile')).toBeInTheDocument();
    expect(screen.getByText(/^Our server did not answer/)).toBeInTheDocument();
    expect(screen.queryByText('{}')).toBeNull();
  });

  test('s428_half_an_address_is_told_at_its_field', async () => {
    const update = vi.spyOn(supabase.auth, 'updateUser');
    const { person } = showRoute(<ProfileRoute />);
    await edit(person, 'asha@');
    await person.click(save());
    expect(screen.getByLabelText('Email')).toHaveAccessibleDescription(
      'Please enter a complete email address.',
    );
    expect(update).not.toHaveBeenCalled();
  });

  test('s313_cancel_restores_the_address', async () => {
    const { person } = showRoute(<ProfileRoute />);
    await edit(person, 'other@school.example');
    await person.click(screen.getByRole('button', { name: 'Cancel' }));
    expect(screen.getByText(teacher.email)).toBeInTheDocument();
    await person.click(screen.getByRole('button', { name: 'Edit Profile' }));
    expect(screen.getByLabelText('Email')).toHaveValue(teacher.email);
  });

  test('s308_a_profile_that_cannot_be_read_is_told_and_tried_again', async () => {
    const read = vi.spyOn(supabase.auth, 'getUser').mockRejectedValueOnce(new Error('down'));
    const { person } = showRoute(<ProfileRoute />);
    expect(await screen.findAllByText('Failed to load profile information')).toHaveLength(2);
    read.mockResolvedValue({ data: { user: account }, error: null });
    await person.click(screen.getByRole('button', { name: 'Try Again' }));
    expect(await screen.findByText(teacher.email)).toBeInTheDocument();
  });

  test('s308_a_try_that_fails_again_keeps_its_place_and_says_that_it_is_on_its_way', async () => {
    const read = vi.spyOn(supabase.auth, 'getUser').mockRejectedValue(new Error('down'));
    const { person } = showRoute(<ProfileRoute />);
    const again = await screen.findByRole('button', { name: 'Try Again' });
    let fail: () => void = () => undefined;
    read.mockReturnValueOnce(
      new Promise((_, reject) => {
        fail = () => {
          reject(new Error('down'));
        };
      }),
    );
    await person.click(again);
    expect(again).toHaveTextContent('Loading...');
    expect(again).toHaveFocus();
    fail();
    await waitFor(() => {
      expect(again).toHaveTextContent('Try Again');
    });
    expect(again).toBeInTheDocument();
  });

  test('s308_what_is_typed_stays_where_the_profile_cannot_be_read_again', async () => {
    const { person } = showRoute(<ProfileRoute />);
    await edit(person, 'new@school.ex');
    vi.spyOn(supabase.auth, 'getUser').mockRejectedValue(new Error('down'));
    expect(await refetchAll()).toBe(1);
    expect(screen.getByLabelText('Email')).toHaveValue('new@school.ex');
    expect(screen.queryByText('Failed to load profile information')).toBeNull();
  });

  test('s309_s310_s408_delete_asks_once_deletes_the_profile_and_signs_out', async () => {
    api.on('DELETE /rest/v1/profiles', () => new Response(null, { status: 204 }));
    const { person, signOut } = showRoute(<ProfileRoute />);
    expect(screen.getByRole('heading', { name: 'Danger Zone' })).toBeInTheDocument();
    await person.click(screen.getByRole('button', { name: 'Delete Account' }));
    const dialog = await screen.findByRole('dialog', { name: 'Delete your account?' });
    expect(api.calls).toEqual([]);
    await person.click(within(dialog).getByRole('button', { name: 'Yes, delete my account' }));
    await waitFor(() => {
      expect(signOut).toHaveBeenCalledOnce();
    });
    expect(api.calls[0]?.query.get('user_id')).toBe(`eq.${teacher.id}`);
    expect(await screen.findByText('Account Deletion Requested')).toBeInTheDocument();
    expect(screen.getByText('You will be contacted within 24 hours.')).toBeInTheDocument();
  });

  test('s309_a_deletion_that_is_refused_signs_nobody_out', async () => {
    api.on('DELETE /rest/v1/profiles', () => json({ message: 'down' }, 503));
    const { person, signOut } = showRoute(<ProfileRoute />);
    await person.click(screen.getByRole('button', { name: 'Delete Account' }));
    await person.click(await screen.findByRole('button', { name: 'Yes, delete my account' }));
    expect(
      await screen.findByText('Your account could not be deleted. Please try again.'),
    ).toBeInTheDocument();
    expect(signOut).not.toHaveBeenCalled();
  });
});
