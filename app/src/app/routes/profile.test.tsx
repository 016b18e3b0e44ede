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
/** One of two codes was accepted. */
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
  // rows: S-304 S-312
  test('the profile shows address, member since and the short id', async () => {
    showRoute(<ProfileRoute />, { at: '/profile' });
    expect(await screen.findByText(teacher.email)).toBeInTheDocument();
    expect(screen.getByText('02-04-2026')).toBeInTheDocument();
    expect(screen.getByText('11111111')).toBeInTheDocument();
    expect(screen.getByRole('link', { name: 'Profile' })).toHaveAttribute('aria-current', 'page');
    expect(screen.getByRole('link', { name: /Shikshak Saathi/ })).toHaveAttribute('href', '/home');
  });

  // rows: S-305 S-306
  test('a new address is saved', async () => {
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

  // rows: S-307
  test('the codes of both addresses confirm the new address', async () => {
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
    // An accepted code is not asked for again.
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

  // rows: S-307
  test('a code that was accepted before a reload does not block the other', async () => {
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

  // rows: S-307
  test('one code is accepted alone and the other is asked for', async () => {
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

  // rows: S-307
  test('a wrong code before a right one changes nothing and is asked for again', async () => {
    const { enter, confirm } = await changing();
    vi.spyOn(supabase.auth, 'verifyOtp').mockResolvedValueOnce(refused).mockResolvedValueOnce(half);
    await enter(teacher.email, '000000');
    await enter('new@school.example', '654321');
    await confirm();
    expect(await screen.findByText(/^That code is wrong or too old/)).toBeInTheDocument();
    expect(screen.getByLabelText(`Code sent to ${teacher.email}`)).toBeInTheDocument();
    expect(screen.queryByLabelText('Code sent to new@school.example')).toBeNull();
  });

  // rows: S-307
  test('without an answer no other code is tried', async () => {
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

  // rows: S-307
  test('an address that must be confirmed says so', async () => {
    vi.spyOn(supabase.auth, 'updateUser').mockResolvedValue({ data: { user: account }, error: null });
    const { person } = showRoute(<ProfileRoute />);
    await edit(person, 'new@school.example');
    await person.click(save());
    expect(await screen.findByText(/Until both are entered, your old address stays/)).toBeInTheDocument();
  });

  // rows: S-306
  test('a refusal keeps the typed address', async () => {
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

  // rows: S-306
  test('a server that does not answer is explained in words', async () => {
    const error = new AuthRetryableFetchError('{}', 503);
    vi.spyOn(supabase.auth, 'updateUser').mockResolvedValue({ data: { user: null }, error });
    const { person } = showRoute(<ProfileRoute />);
    await edit(person, 'new@school.example');
    await person.click(save());
    expect(await screen.findByText('Failed to update profile')).toBeInTheDocument();
    expect(screen.getByText(/^Our server did not answer/)).toBeInTheDocument();
    expect(screen.queryByText('{}')).toBeNull();
  });

  // rows: S-428
  test('an incomplete address is reported at its field', async () => {
    const update = vi.spyOn(supabase.auth, 'updateUser');
    const { person } = showRoute(<ProfileRoute />);
    await edit(person, 'asha@');
    await person.click(save());
    expect(screen.getByLabelText('Email')).toHaveAccessibleDescription(
      'Please enter a complete email address.',
    );
    expect(update).not.toHaveBeenCalled();
  });

  // rows: S-313
  test('Cancel restores the address', async () => {
    const { person } = showRoute(<ProfileRoute />);
    await edit(person, 'other@school.example');
    await person.click(screen.getByRole('button', { name: 'Cancel' }));
    expect(screen.getByText(teacher.email)).toBeInTheDocument();
    await person.click(screen.getByRole('button', { name: 'Edit Profile' }));
    expect(screen.getByLabelText('Email')).toHaveValue(teacher.email);
  });

  // rows: S-308
  test('a profile that cannot be read is reported and read again', async () => {
    const read = vi.spyOn(supabase.auth, 'getUser').mockRejectedValueOnce(new Error('down'));
    const { person } = showRoute(<ProfileRoute />);
    expect(await screen.findAllByText('Failed to load profile information')).toHaveLength(2);
    read.mockResolvedValue({ data: { user: account }, error: null });
    await person.click(screen.getByRole('button', { name: 'Try Again' }));
    expect(await screen.findByText(teacher.email)).toBeInTheDocument();
  });

  // rows: S-308
  test('a retry that fails keeps its place and shows that it is running', async () => {
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

  // rows: S-308
  test('typed text stays when the profile cannot be read again', async () => {
    const { person } = showRoute(<ProfileRoute />);
    await edit(person, 'new@school.ex');
    vi.spyOn(supabase.auth, 'getUser').mockRejectedValue(new Error('down'));
    expect(await refetchAll()).toBe(1);
    expect(screen.getByLabelText('Email')).toHaveValue('new@school.ex');
    expect(screen.queryByText('Failed to load profile information')).toBeNull();
  });

  // rows: S-309 S-310 S-408
  test('Delete asks once, deletes the profile and signs out', async () => {
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

  // rows: S-309
  test('a refused deletion signs nobody out', async () => {
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
