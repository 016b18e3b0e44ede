import type { RealtimeChannel } from '@supabase/supabase-js';
import { supabase } from './supabase';

export interface TopicListener {
  onMessage: (event: string, payload: unknown) => void;
  /** Messages may have been missed, so the screen reads once what it shows. */
  onGap: () => void;
  /** The server has closed the topic: the token or the session has ended. */
  onClosed?: () => void;
}

/** A tab that is hidden for longer closes its socket, for the battery and the data of a phone. */
const hiddenForMs = 30_000;
/** How long to wait after the server has closed the topic. */
const rejoinAfterMs = 5_000;
/** After this many failures in a row the topic is left until the tab or the network comes back. */
const maximumFailures = 3;

/**
 * Follows a private topic while this tab is visible. Without a socket nothing is heard, and nothing
 * is said about it. Returns a function that stops it.
 */
export function followTopic(topic: string, listener: TopicListener): () => void {
  let channel: RealtimeChannel | null = null;
  let stopped = false;
  let missed = false;
  let failures = 0;
  let timer: number | undefined;

  async function join() {
    window.clearTimeout(timer);
    // A private topic is joined with the user's token, or it is refused.
    await supabase.realtime.setAuth().catch(() => undefined);
    if (stopped || document.hidden) return;
    if (channel) {
      supabase.realtime.connect();
      return;
    }
    const joined = supabase.channel(topic, { config: { private: true } });
    channel = joined;
    failures = 0;
    joined
      .on('broadcast', { event: '*' }, ({ event, payload }) => {
        listener.onMessage(event, payload);
      })
      .subscribe((status) => {
        if (channel === joined) onStatus(status);
      });
  }

  function onStatus(status: string) {
    if (status === 'SUBSCRIBED') {
      failures = 0;
      if (missed) listener.onGap();
      missed = false;
      return;
    }
    missed = true;
    failures += 1;
    if (status === 'CLOSED') {
      leave();
      listener.onClosed?.();
      timer = window.setTimeout(tryToJoin, rejoinAfterMs);
    } else if (failures >= maximumFailures) leave();
  }

  function leave() {
    window.clearTimeout(timer);
    if (!channel) return;
    missed = true;
    const left = channel;
    channel = null;
    void supabase.removeChannel(left);
  }

  /** A browser may forbid sockets by an exception. */
  function tryToJoin() {
    join().catch(leave);
  }

  function onVisibility() {
    window.clearTimeout(timer);
    if (document.hidden) timer = window.setTimeout(leave, hiddenForMs);
    else tryToJoin();
  }

  document.addEventListener('visibilitychange', onVisibility);
  window.addEventListener('online', tryToJoin);
  tryToJoin();
  return () => {
    stopped = true;
    document.removeEventListener('visibilitychange', onVisibility);
    window.removeEventListener('online', tryToJoin);
    leave();
  };
}
