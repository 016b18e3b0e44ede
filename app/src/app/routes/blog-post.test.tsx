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
  test('s124_the_numbers_1_to_6_are_the_built_in_posts_and_ask_nobody', async () => {
    const api = new FakeApi();
    open('/blogs/1');
    await heading('Forty minutes, fifty children: a period that fits');
    expect(screen.getByRole('heading', { level: 2, name: 'Cut it into five' })).toBeInTheDocument();
    expect(api.calls).toEqual([]);
  });

  test('at_its_end_the_next_two_are_offered_and_after_the_last_the_first', async () => {
    new FakeApi();
    open('/blogs/1');
    const offered = await screen.findByRole('region', { name: 'Read next' }, { timeout: 15_000 });
    const links = within(offered).getAllByRole('link');
    expect(links.map((link) => link.getAttribute('href'))).toEqual(['/blogs/2', '/blogs/3']);
    expect(postsAfter('6').map((post) => post.id)).toEqual(['1', '2']);
  });

  test('s124_s125_s377_another_id_is_asked_for_and_a_spinner_shows_meanwhile', async () => {
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

  test('s128_a_post_that_is_not_there', async () => {
    new FakeApi().on('GET /rest/v1/blogs', () => json([]));
    open(`/blogs/${id}`);
    await heading('Blog Post Not Found');
    expect(
      screen.getByText("The blog post you're looking for doesn't exist or has been removed."),
    ).toBeInTheDocument();
    expect(screen.getByRole('link', { name: 'Back to Blogs' })).toHaveAttribute('href', '/blogs');
    expect(document.querySelector('meta[name="robots"]')).toHaveAttribute('content', 'noindex,nofollow');
  });

  test('s129_a_failure_is_only_logged_and_looks_the_same', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    new FakeApi().on('GET /rest/v1/blogs', () => json({ message: 'down' }, 500));
    open(`/blogs/${id}`);
    await heading('Blog Post Not Found');
    expect(log).toHaveBeenCalled();
    expect(screen.getByRole('alert')).toBeEmptyDOMElement();
  });

  test('s129_one_look_that_fails_is_no_post_that_is_missing', async () => {
    let asked = 0;
    new FakeApi().on('GET /rest/v1/blogs', () => {
      asked += 1;
      return asked === 1 ? json({ message: 'down' }, 503) : json([row]);
    });
    open(`/blogs/${id}`);
    await heading(row.title);
    expect(asked).toBe(2);
  });

  test('s129_a_post_that_cannot_be_read_looks_the_same_while_it_is_asked_for_again', async () => {
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

  test('s130_an_id_of_another_form_is_not_asked_for', async () => {
    const api = new FakeApi();
    open('/blogs/seven');
    await heading('Blog Post Not Found');
    expect(api.calls).toEqual([]);
    expect(screen.getAllByRole('alert').every((alert) => alert.textContent === '')).toBe(true);
  });
});
