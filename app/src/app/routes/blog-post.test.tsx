import { act, render, screen, within } from '@testing-library/react';
import { MemoryRouter } from 'react-router';
import { describe, expect, test, vi } from 'vitest';
import { postsAfter } from '@/features/blog/built-in-posts';
import { queryClient } from '@/lib/query-client';
import { FakeApi, deferredResponse, json } from '@/test/fake-api';
import { App } from '../app';

const id = '00000000-0000-4000-8000-000000000001';
const row = {
  id,
  title: 'Chalk that does not squeak',
  content: '## Hold it\n\nAt 45 degrees.',
  excerpt: 'Hold it',
  category: 'Technology',
  author_id: null,
  author_name: 'Admin',
  published: true,
  created_at: '2026-11-20T06:00:00Z',
};

function open(path: string) {
  queryClient.clear();
  render(
    <MemoryRouter initialEntries={[path]}>
      <App />
    </MemoryRouter>,
  );
}

async function heading(name: string) {
  return screen.findByRole('heading', { level: 1, name }, { timeout: 5_000 });
}

describe('a post', { timeout: 20_000 }, () => {
  // rows: S-124
  test('ids 1 to 6 are the built-in posts and cause no call', async () => {
    const api = new FakeApi();
    open('/blogs/1');
    await heading('Forty minutes, fifty children: a period that fits');
    expect(screen.getByRole('heading', { level: 2, name: 'Cut it into five' })).toBeInTheDocument();
    expect(api.calls).toEqual([]);
  });

  test('the next two posts are offered at the end, and the first after the last', async () => {
    new FakeApi();
    open('/blogs/1');
    const offered = await screen.findByRole('region', { name: 'Read next' }, { timeout: 15_000 });
    const links = within(offered).getAllByRole('link');
    expect(links.map((link) => link.getAttribute('href'))).toEqual(['/blogs/2', '/blogs/3']);
    expect(postsAfter('6').map((post) => post.id)).toEqual(['1', '2']);
  });

  // rows: S-124 S-125 S-377
  test('another id is fetched and a spinner shows meanwhile', async () => {
    const held = deferredResponse();
    const api = new FakeApi().on('GET /rest/v1/blogs', () => held.answer);
    open(`/blogs/${id}`);
    await vi.waitFor(
      () => {
        expect(api.calls).toHaveLength(1);
      },
      { timeout: 5_000 },
    );
    expect(screen.getByRole('main')).toHaveTextContent('Loading...');
    expect(api.calls[0]?.query.get('id')).toBe(`eq.${id}`);
    expect(api.calls[0]?.query.get('published')).toBe('eq.true');
    held.give(json([row]));
    await heading(row.title);
    expect(screen.getByRole('heading', { level: 2, name: 'Hold it' })).toBeInTheDocument();
    expect(screen.getByText('20-11-2026')).toBeInTheDocument();
  });

  // rows: S-128
  test('a missing post shows its own page', async () => {
    new FakeApi().on('GET /rest/v1/blogs', () => json([]));
    open(`/blogs/${id}`);
    await heading('Blog Post Not Found');
    expect(
      screen.getByText("The blog post you're looking for doesn't exist or has been removed."),
    ).toBeInTheDocument();
    expect(screen.getByRole('link', { name: 'Back to Blogs' })).toHaveAttribute('href', '/blogs');
    expect(document.querySelector('meta[name="robots"]')).toHaveAttribute('content', 'noindex,nofollow');
  });

  // rows: S-129
  test('a failure is only logged and looks like a missing post', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    new FakeApi().on('GET /rest/v1/blogs', () => json({ message: 'down' }, 500));
    open(`/blogs/${id}`);
    await heading('Blog Post Not Found');
    expect(log).toHaveBeenCalled();
    expect(screen.getByRole('alert')).toBeEmptyDOMElement();
  });

  // rows: S-129
  test('one failed read does not make a post missing', async () => {
    let asked = 0;
    new FakeApi().on('GET /rest/v1/blogs', () => {
      asked += 1;
      return asked === 1 ? json({ message: 'down' }, 503) : json([row]);
    });
    open(`/blogs/${id}`);
    await heading(row.title);
    expect(asked).toBe(2);
  });

  // rows: S-129
  test('a post that cannot be read looks the same while it is read again', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    vi.useFakeTimers({ shouldAdvanceTime: true });
    const held = deferredResponse();
    const api = new FakeApi().on('GET /rest/v1/blogs', () =>
      api.calls.length === 1 ? json({ message: 'down' }, 500) : held.answer,
    );
    open(`/blogs/${id}`);
    await heading('Blog Post Not Found');
    await act(() => vi.advanceTimersByTimeAsync(6_000));
    expect(api.calls).toHaveLength(2);
    await heading('Blog Post Not Found');
    held.give(json([row]));
    await heading(row.title);
  });

  // rows: S-130
  test('an id of another form causes no call', async () => {
    const api = new FakeApi();
    open('/blogs/seven');
    await heading('Blog Post Not Found');
    expect(api.calls).toEqual([]);
    expect(screen.getAllByRole('alert').every((alert) => alert.textContent === '')).toBe(true);
  });
});
