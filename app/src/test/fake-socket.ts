import { vi } from 'vitest';
import { supabase } from '@/lib/supabase';

type Status = 'SUBSCRIBED' | 'CHANNEL_ERROR' | 'TIMED_OUT' | 'CLOSED';

/** A channel that was joined, with what the server would do to it. */
export interface FakeChannel {
  topic: string;
  isPrivate: boolean | undefined;
  removed: boolean;
  become: (status: Status) => void;
  broadcast: (event: string, payload?: object) => void;
}

/** A fake of realtime at the level of channels. It records those that are joined. */
export function fakeChannels(): FakeChannel[] {
  const joined: FakeChannel[] = [];
  vi.spyOn(supabase.realtime, 'setAuth').mockResolvedValue();
  vi.spyOn(supabase.realtime, 'connect').mockReturnValue();
  vi.spyOn(supabase, 'channel').mockImplementation((topic, options) => {
    const channel = supabase.realtime.channel(topic, options);
    let onStatus: ((status: Status) => void) | undefined;
    let onBroadcast: ((message: { event: string; payload: unknown }) => void) | undefined;
    Object.assign(channel, {
      on: (_type: string, _filter: object, listener: typeof onBroadcast) => {
        onBroadcast = listener;
        return channel;
      },
      subscribe: (listener: typeof onStatus) => {
        onStatus = listener;
        return channel;
      },
    });
    const fake: FakeChannel = {
      topic,
      isPrivate: options?.config.private,
      removed: false,
      become: (status) => onStatus?.(status),
      broadcast: (event, payload = {}) => onBroadcast?.({ event, payload }),
    };
    joined.push(fake);
    return channel;
  });
  vi.spyOn(supabase, 'removeChannel').mockImplementation(({ topic }) => {
    const left = joined.filter((channel) => `realtime:${channel.topic}` === topic).at(-1);
    if (left) left.removed = true;
    supabase.realtime.channels = [];
    return Promise.resolve('ok');
  });
  return joined;
}

/** Shows or hides the tab. */
export function showTab(visible: boolean): void {
  vi.spyOn(document, 'hidden', 'get').mockReturnValue(!visible);
  document.dispatchEvent(new Event('visibilitychange'));
}
