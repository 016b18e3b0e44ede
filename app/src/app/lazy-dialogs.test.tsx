import { screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { CreatePost } from '@/features/blog/components/create-post';
import { FakeApi } from '@/test/fake-api';
import { showRoute } from '@/test/show-route';
import ProfileRoute from './routes/profile';

vi.mock('@/features/account/components/delete-dialog', lose);
vi.mock('@/features/blog/components/create-post-dialog', lose);

function lose(): never {
  throw new TypeError('Importing a module script failed.');
}

// rows: S-423
test.each([
  ['Delete Account', <ProfileRoute />],
  ['Create New Blog Post', <CreatePost />],
])('the dialog of %s fails to load and its screen stays', async (name, route) => {
  new FakeApi();
  const { person } = showRoute(route, { user: { id: 'editor', email: 'editor@school.example' } });
  const button = await screen.findByRole('button', { name });
  await person.click(button);
  expect(await screen.findByText('Something Went Wrong')).toBeInTheDocument();
  expect(button).toBeInTheDocument();
  expect(screen.queryByText('Loading...')).toBeNull();
});
