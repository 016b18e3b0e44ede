import { expect, test } from 'vitest';
import { FakeApi, json } from '@/test/fake-api';
import { supabase } from './supabase';

// rows: S-425
test('a failed read reports at once unless it asks for retries', async () => {
  const api = new FakeApi().on('GET /rest/v1/blogs', () => json({ message: 'down' }, 503));
  const first = await supabase.from('blogs').select('id');
  expect(first.error).not.toBeNull();
  expect(api.calls).toHaveLength(1);
  api.on('GET /rest/v1/blogs', () => (api.calls.length === 2 ? json({ message: 'down' }, 503) : json([])));
  const second = await supabase.from('blogs').select('id').retry(true);
  expect(second.error).toBeNull();
  expect(api.calls).toHaveLength(3);
});
