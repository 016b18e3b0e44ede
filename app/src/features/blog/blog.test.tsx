import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { render, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import type { ReactNode } from 'react';
import { MemoryRouter } from 'react-router';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { Toaster } from '@/components/ui/toaster';
import { setLanguage } from '@/lib/i18n';
import { sessionStorageKey, supabase } from '@/lib/supabase';
import { FakeApi, deferredResponse, json, noNetwork } from '@/test/fake-api';
import { builtInPosts } from './built-in-posts';
import { CreatePost } from './components/create-post';
import { PostList } from './components/post-list';
import { PostText } from './components/post-text';
import { excerptOf, parsePost, withoutMarks } from './post-text';

let api: FakeApi;

beforeEach(() => {
  api = new FakeApi();
});

function show(page: ReactNode) {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  render(
    <MemoryRouter>
      <QueryClientProvider client={client}>
        {page}
        <Toaster />
      </QueryClientProvider>
    </MemoryRouter>,
  );
}

const stored = {
  id: '00000000-0000-4000-8000-000000000001',
  title: 'Chalk that does not squeak',
  content: 'Hold it at 45 degrees.',
  excerpt: 'Hold it at 45 degrees.',
  category: 'Teaching Tips',
  author_id: null,
  author_name: 'Admin',
  published: true,
  created_at: '2026-11-20T20:00:00Z',
};

describe('the list', () => {
  // rows: S-108
  test('the chips stand in their order and are no buttons', () => {
    api.on('GET /rest/v1/blogs', () => json([]));
    show(<PostList />);
    const chips = screen.getByRole('list', { name: 'Categories' });
    expect(
      within(chips)
        .getAllByRole('listitem')
        .map((chip) => chip.textContent),
    ).toEqual([
      'All',
      'Teaching Tips',
      'Technology',
      'Assessment',
      'Curriculum',
      'Student Success',
      'General',
    ]);
    expect(within(chips).queryByRole('button')).toBeNull();
  });

  // rows: S-109 S-110 S-111 S-113 S-376
  test('stored posts come first and are marked New', async () => {
    api.on('GET /rest/v1/blogs', () => json([stored]));
    show(<PostList />);
    const link = await screen.findByRole('link', { name: stored.title });
    expect(link).toHaveAttribute('href', `/blogs/${stored.id}`);
    const cards = screen.getAllByRole('article');
    expect(cards).toHaveLength(7);
    for (const text of ['Teaching Tips', stored.excerpt, 'Admin', '21-11-2026', 'New']) {
      expect(cards[0]).toHaveTextContent(text);
    }
    expect(cards[1]).toHaveTextContent('4 min read');
    const { query } = api.callsTo('GET /rest/v1/blogs')[0] ?? {};
    expect(query?.get('published')).toBe('eq.true');
    expect(query?.get('order')).toBe('created_at.desc');
  });

  test('the texts around the posts are in the language of the reader', async () => {
    await setLanguage('hi');
    api.on('GET /rest/v1/blogs', () => json([stored]));
    show(<PostList />);
    const chips = within(screen.getByRole('list', { name: 'श्रेणियाँ' })).getAllByRole('listitem');
    for (const chip of chips) expect(chip.textContent).not.toMatch(/[a-z]/i);
    await screen.findByRole('link', { name: stored.title });
    const [first, second] = screen.getAllByRole('article');
    expect(first).toHaveTextContent('नया');
    expect(second).toHaveTextContent('4 मिनट में पढ़ें');
    expect(screen.getByText(builtInPosts[0]?.title ?? '').closest('h2')).toHaveAttribute('lang', 'en');
    await setLanguage('en');
  });

  // rows: S-112
  test('a failure is only logged', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    api.on('GET /rest/v1/blogs', () => json({ message: 'down' }, 500));
    show(<PostList />);
    await vi.waitFor(() => {
      expect(log).toHaveBeenCalled();
    });
    expect(screen.getAllByRole('article')).toHaveLength(6);
    expect(screen.queryByText('down')).toBeNull();
  });
});

describe('the built-in posts', () => {
  // rows: S-361
  test('there are six built-in posts with the ids 1 to 6', () => {
    expect(builtInPosts.map(({ id }) => id)).toEqual(['1', '2', '3', '4', '5', '6']);
    expect(new Set(builtInPosts.map(({ category }) => category)).size).toBe(6);
  });

  // rows: S-113
  test.each(builtInPosts)('the post is complete and takes as long to read as it says: $id', async (post) => {
    const words = (await post.load()).default.split(/\s+/).length;
    expect(words).toBeGreaterThanOrEqual(500);
    expect(words).toBeLessThanOrEqual(900);
    expect(post.readTime).toBe(Math.ceil(words / 200));
  });
});

describe('the text of a post', () => {
  // rows: S-109
  test('a card shows no marks of headings and bold lines', () => {
    expect(withoutMarks('## Draw first\n\n**Then speak.** 3 # 4')).toBe('Draw first\n\nThen speak. 3 # 4');
  });

  // rows: S-126
  test('a post is read line by line', () => {
    expect(parsePost('## One\n### Two\n**Bold**\n\nPlain **with** stars\n#tag\r\n**a** and **b**')).toEqual([
      { kind: 'heading', level: 2, text: 'One' },
      { kind: 'heading', level: 3, text: 'Two' },
      { kind: 'bold', text: 'Bold' },
      { kind: 'break' },
      { kind: 'paragraph', text: 'Plain **with** stars' },
      { kind: 'paragraph', text: '#tag' },
      { kind: 'paragraph', text: '**a** and **b**' },
    ]);
  });

  // rows: S-127
  test('a post is text and never HTML', () => {
    render(<PostText content={'<img src=x onerror=alert(1)>\n## <b>Heading</b>'} />);
    expect(document.querySelector('img, b')).toBeNull();
    expect(screen.getByRole('heading', { name: '<b>Heading</b>' })).toBeInTheDocument();
  });

  // rows: S-121 S-410
  test('the excerpt has 150 characters, and dots where the content goes on', () => {
    expect(excerptOf('अ'.repeat(150))).toBe('अ'.repeat(150));
    expect(excerptOf('अ'.repeat(151))).toBe(`${'अ'.repeat(150)}...`);
    expect(excerptOf('🙂'.repeat(151))).toBe(`${'🙂'.repeat(150)}...`);
  });
});

function signedInAs(email: string) {
  localStorage.setItem(sessionStorageKey, '{}');
  return vi.spyOn(supabase.auth, 'getSession').mockResolvedValue({
    data: {
      session: {
        access_token: 'token',
        refresh_token: 'refresh',
        expires_in: 3600,
        token_type: 'bearer',
        user: { id: 'me', email, app_metadata: {}, user_metadata: {}, aud: 'authenticated', created_at: '' },
      },
    },
    error: null,
  });
}

describe('writing a post', { timeout: 20_000 }, () => {
  const button = { name: 'Create New Blog Post' };

  beforeEach(() => {
    api.on('GET /rest/v1/blogs', () => json([]));
  });

  // rows: S-114
  test('other users do not see the dialog', async () => {
    const asked = signedInAs('asha@school.example');
    show(<CreatePost />);
    await vi.waitFor(() => {
      expect(asked).toHaveBeenCalled();
    });
    expect(screen.queryByRole('button', button)).toBeNull();
  });

  // rows: S-116 S-118 S-123
  test('the dialog has its fields and its refusals', async () => {
    signedInAs('Editor@school.example');
    show(<CreatePost />);
    await userEvent.click(await screen.findByRole('button', button));
    const dialog = await screen.findByRole('dialog', button);
    expect(within(dialog).getByLabelText('Category')).toHaveValue('General');
    expect(
      within(dialog)
        .getAllByRole('option')
        .map(({ textContent }) => textContent),
    ).toEqual(['General', 'Teaching Tips', 'Technology', 'Assessment', 'Curriculum', 'Student Success']);
    expect(within(dialog).getByLabelText('Content')).toHaveAttribute('rows', '10');
    await userEvent.type(within(dialog).getByLabelText('Title'), '   ');
    await userEvent.type(within(dialog).getByLabelText('Content'), ' \n ');
    await userEvent.click(within(dialog).getByRole('button', { name: 'Create Blog' }));
    expect(screen.getByRole('alert', { hidden: true })).toHaveTextContent(
      'ErrorPlease fill in all required fields',
    );
    expect(api.callsTo('POST /rest/v1/blogs')).toHaveLength(0);
    const title = within(dialog).getByLabelText('Title');
    expect(title).toHaveFocus();
    expect(title).toHaveAccessibleDescription('Please write a title.');
    expect(within(dialog).getByLabelText('Content')).toHaveAccessibleDescription('Please write the post.');
    await userEvent.type(title, 'Chalk');
    expect(title).toBeValid();
    await userEvent.click(within(dialog).getByRole('button', { name: 'Cancel' }));
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  // rows: S-117 S-119 S-121 S-378
  test('a post is published and the dialog closes', async () => {
    signedInAs('editor@school.example');
    const held = deferredResponse();
    api.on('POST /rest/v1/blogs', () => held.answer);
    show(<CreatePost />);
    await userEvent.click(await screen.findByRole('button', button));
    await userEvent.type(await screen.findByLabelText('Title'), ' Chalk ');
    await userEvent.selectOptions(screen.getByLabelText('Category'), 'Technology');
    await userEvent.click(screen.getByLabelText('Content'));
    await userEvent.paste('x'.repeat(160));
    await userEvent.click(screen.getByRole('button', { name: 'Create Blog' }));
    expect(await screen.findByRole('button', { name: 'Creating...' })).toBeDisabled();
    held.give(new Response(null, { status: 201 }));
    expect(await screen.findByText('Blog post created successfully')).toBeInTheDocument();
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(api.callsTo('POST /rest/v1/blogs')[0]?.body).toEqual({
      title: 'Chalk',
      content: 'x'.repeat(160),
      excerpt: `${'x'.repeat(150)}...`,
      category: 'Technology',
      author_id: 'me',
      author_name: 'Admin',
    });
  });

  // rows: S-116
  test('the dialog is in the language of its writer and stores the stored category', async () => {
    await setLanguage('hi');
    signedInAs('editor@school.example');
    api.on('POST /rest/v1/blogs', () => new Response(null, { status: 201 }));
    show(<CreatePost />);
    await userEvent.click(await screen.findByRole('button', { name: 'नया लेख लिखें' }));
    const dialog = within(await screen.findByRole('dialog', { name: 'नया लेख लिखें' }));
    const options = dialog.getAllByRole('option').map(({ textContent }) => textContent);
    expect(options.join()).not.toMatch(/[a-z]/i);
    await userEvent.selectOptions(dialog.getByLabelText('श्रेणी'), 'तकनीक');
    await userEvent.type(dialog.getByLabelText('शीर्षक'), 'Chalk');
    await userEvent.type(dialog.getByLabelText('लेख'), 'It squeaks.');
    await userEvent.click(dialog.getByRole('button', { name: 'लेख प्रकाशित करें' }));
    expect(await screen.findByText('लेख प्रकाशित हो गया')).toBeInTheDocument();
    expect(api.callsTo('POST /rest/v1/blogs')[0]?.body).toHaveProperty('category', 'Technology');
    await setLanguage('en');
  });

  // rows: S-120
  test('a post whose answer was lost is not published twice', async () => {
    signedInAs('editor@school.example');
    api.on('POST /rest/v1/blogs', ({ body }) => {
      api.on('GET /rest/v1/blogs', () => json([body]));
      return noNetwork();
    });
    show(<CreatePost />);
    await userEvent.click(await screen.findByRole('button', button));
    await userEvent.type(await screen.findByLabelText('Title'), 'Chalk');
    await userEvent.type(screen.getByLabelText('Content'), 'It squeaks.');
    await userEvent.click(screen.getByRole('button', { name: 'Create Blog' }));
    expect(await screen.findByText('Failed to create blog post')).toBeInTheDocument();
    await userEvent.click(screen.getByRole('button', { name: 'Create Blog' }));
    expect(await screen.findByText('Blog post created successfully')).toBeInTheDocument();
    expect(api.callsTo('POST /rest/v1/blogs')).toHaveLength(1);
  });

  // rows: S-120
  test('a post is published even when one read fails', async () => {
    signedInAs('editor@school.example');
    let looks = 0;
    api.on('GET /rest/v1/blogs', () => {
      looks += 1;
      return looks === 1 ? json({ message: 'down' }, 503) : json([]);
    });
    api.on('POST /rest/v1/blogs', () => new Response(null, { status: 201 }));
    show(<CreatePost />);
    await userEvent.click(await screen.findByRole('button', button));
    await userEvent.type(await screen.findByLabelText('Title'), 'Chalk');
    await userEvent.type(screen.getByLabelText('Content'), 'It squeaks.');
    await userEvent.click(screen.getByRole('button', { name: 'Create Blog' }));
    expect(await screen.findByText('Blog post created successfully')).toBeInTheDocument();
    expect(looks).toBeGreaterThan(1);
  });

  // rows: S-120
  test('a failure keeps the dialog and its values', async () => {
    signedInAs('editor@school.example');
    api.on('POST /rest/v1/blogs', () => json({ message: 'no' }, 403));
    show(<CreatePost />);
    await userEvent.click(await screen.findByRole('button', button));
    await userEvent.type(await screen.findByLabelText('Title'), 'Chalk');
    await userEvent.type(screen.getByLabelText('Content'), 'It squeaks.');
    await userEvent.click(screen.getByRole('button', { name: 'Create Blog' }));
    expect(await screen.findByText('Failed to create blog post')).toBeInTheDocument();
    expect(screen.getByLabelText('Title')).toHaveValue('Chalk');
    expect(screen.getByLabelText('Content')).toHaveValue('It squeaks.');
  });
});
