import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { fakeChannels, showTab, type FakeChannel } from '@/test/fake-socket';
import { followTopic } from './live-topic';
import { supabase } from './supabase';

let channels: FakeChannel[];
const listener = { onMessage: vi.fn(), onGap: vi.fn(), onClosed: vi.fn() };
let stop: () => void;

beforeEach(async () => {
  vi.useFakeTimers();
  channels = fakeChannels();
  showTab(true);
  stop = followTopic('user:1', listener);
  await vi.advanceTimersByTimeAsync(0);
});

afterEach(() => {
  stop();
  vi.clearAllMocks();
});

function newest(): FakeChannel {
  const channel = channels.at(-1);
  if (!channel) throw new Error('no channel is joined');
  return channel;
}

// rows: S-433 S-434
test('a message on the private topic is heard, and the first join is no gap', () => {
  expect(newest()).toMatchObject({ topic: 'user:1', isPrivate: true });
  newest().become('SUBSCRIBED');
  newest().broadcast('payments', { id: '1' });
  expect(listener.onMessage).toHaveBeenCalledExactlyOnceWith('payments', { id: '1' });
  expect(listener.onGap).not.toHaveBeenCalled();
});

// rows: S-434
test('after a lost socket the gap is told once', () => {
  newest().become('SUBSCRIBED');
  newest().become('CHANNEL_ERROR');
  newest().become('SUBSCRIBED');
  newest().become('SUBSCRIBED');
  expect(listener.onGap).toHaveBeenCalledOnce();
});

// rows: S-437
test('a tab leaves the topic when it is hidden for long, and joins again when it is visible', async () => {
  newest().become('SUBSCRIBED');
  showTab(false);
  await vi.advanceTimersByTimeAsync(29_000);
  expect(newest().removed).toBe(false);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(newest().removed).toBe(true);
  showTab(true);
  await vi.advanceTimersByTimeAsync(0);
  expect(channels).toHaveLength(2);
  newest().become('SUBSCRIBED');
  expect(listener.onGap).toHaveBeenCalledOnce();
});

// rows: S-437
test('a tab that is hidden for a moment stays', async () => {
  showTab(false);
  await vi.advanceTimersByTimeAsync(5_000);
  showTab(true);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(channels).toHaveLength(1);
  expect(newest().removed).toBe(false);
});

// rows: S-436
test('a topic that the server closes is told, and joined again after a pause', async () => {
  newest().become('SUBSCRIBED');
  newest().become('CLOSED');
  expect(listener.onClosed).toHaveBeenCalledOnce();
  expect(newest().removed).toBe(true);
  await vi.advanceTimersByTimeAsync(4_900);
  expect(channels).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(100);
  expect(channels).toHaveLength(2);
});

// rows: S-440
test('a topic that is refused is left after three tries, until the network comes back', async () => {
  for (let tries = 0; tries < 3; tries += 1) newest().become('CHANNEL_ERROR');
  expect(newest().removed).toBe(true);
  await vi.advanceTimersByTimeAsync(3_600_000);
  expect(channels).toHaveLength(1);
  window.dispatchEvent(new Event('online'));
  await vi.advanceTimersByTimeAsync(0);
  expect(channels).toHaveLength(2);
});

// rows: S-440
test('a browser that forbids sockets is not asked again', async () => {
  stop();
  let tries = 0;
  vi.spyOn(supabase, 'channel').mockImplementation(() => {
    tries += 1;
    throw new DOMException('blocked', 'SecurityError');
  });
  stop = followTopic('user:2', listener);
  await vi.advanceTimersByTimeAsync(3_600_000);
  expect(tries).toBe(1);
});

test('after the end nothing is joined', async () => {
  stop();
  expect(newest().removed).toBe(true);
  showTab(true);
  window.dispatchEvent(new Event('online'));
  await vi.advanceTimersByTimeAsync(60_000);
  expect(channels).toHaveLength(1);
});
