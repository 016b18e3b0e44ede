import { warnOnLeaving } from '@/lib/leave-warning';
import { retryableImport } from '@/lib/retryable-import';
import { formatOfSample } from '@/lib/sample-file';
import { deleteSample } from './api/delete-sample';
import type { Holdup } from './api/send-sample';
import { sampleStorage, type StoredSample } from './sample-storage';

/** The sample of a builder. */
export type SampleState =
  | { kind: 'none' }
  /** `holdup`: what the upload waits for, if anything. It goes on by itself. */
  | { kind: 'uploading'; name: string; size: number; sent: number; holdup: Holdup | null }
  /** The page was closed during the upload, which goes on once the same file is picked. */
  | { kind: 'interrupted'; name: string }
  | { kind: 'failed'; name: string; reason: Holdup | 'refused' }
  | { kind: 'uploaded'; name: string; object: string };

export type SampleUpload = ReturnType<typeof createSampleUpload>;

/** The server forgets an unfinished upload after an hour. Milliseconds. */
const resumableForMs = 55 * 60 * 1_000;

const loadSender = retryableImport(() => import('./api/send-sample'));

/** An upload goes on while its user looks at other screens. */
const uploads = new Map<string, SampleUpload>();

/**
 * Returns the sample of a builder and user: the one that is being uploaded, or the one that the
 * device remembers.
 */
export function sampleUploadOf(functionName: string, userId: string): SampleUpload {
  const key = `${functionName} ${userId}`;
  const earlier = uploads.get(key);
  // Signing out clears what the device remembers.
  if (earlier?.isRemembered()) return earlier;
  earlier?.stop();
  const upload = createSampleUpload(functionName, userId);
  uploads.set(key, upload);
  return upload;
}

export function createSampleUpload(functionName: string, userId: string) {
  const storage = sampleStorage(functionName, userId);
  const listeners = new Set<() => void>();
  let stored = storage.load(Date.now());
  let state = stateOf(stored, Date.now());
  let picked: File | null = null;
  let aborter = new AbortController();

  function set(next: SampleState) {
    state = next;
    for (const listener of listeners) listener();
  }

  function remember(changes: Partial<StoredSample>) {
    if (!stored) return;
    stored = { ...stored, ...changes };
    // What another tab or a sign-out did meanwhile stays.
    if (isRemembered()) storage.save(stored);
  }

  function isRemembered(): boolean {
    return stored !== null && storage.load(Date.now())?.object === stored.object;
  }

  async function send(file: File, sample: StoredSample) {
    aborter = new AbortController();
    const { signal } = aborter;
    const stopWarning = warnOnLeaving();
    signal.addEventListener('abort', stopWarning);
    const { name, size, object, uploadUrl } = sample;
    const uploading = (sent: number, holdup: Holdup | null) => {
      if (!signal.aborted) set({ kind: 'uploading', name, size, sent, holdup });
    };
    let sent = 0;
    uploading(sent, null);
    const transfer = {
      userId,
      file,
      object,
      uploadUrl,
      onUrl: (url: string) => {
        remember({ uploadUrl: url });
      },
      onProgress: (bytes: number) => {
        sent = bytes;
        uploading(sent, null);
      },
      onWaiting: (holdup: Holdup) => {
        uploading(sent, holdup);
      },
    };
    const outcome = await loadSender().then(
      ({ sendSample }) => sendSample(transfer, signal),
      () => 'lost' as const,
    );
    if (signal.aborted) return;
    signal.removeEventListener('abort', stopWarning);
    stopWarning();
    if (outcome === 'uploaded') {
      remember({ uploaded: true });
      set({ kind: 'uploaded', name, object });
    } else {
      set({ kind: 'failed', name, reason: outcome });
    }
  }

  /** Deletes what the server has of the sample. A cancelled upload may have arrived all the same. */
  async function discard({ object, uploadUrl, uploaded }: StoredSample) {
    if (uploadUrl && !uploaded) {
      const { discardUpload } = await loadSender();
      await discardUpload(userId, uploadUrl);
    }
    await deleteSample(userId, object);
  }

  function stop() {
    aborter.abort();
  }

  function forget() {
    if (isRemembered()) storage.clear();
  }

  return {
    getState: () => state,
    subscribe: (listener: () => void) => {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },

    /** Uploads a file in the place of the earlier one. The same file goes on where it stopped. */
    pick(file: File) {
      stop();
      const earlier = stored;
      const resumed = earlier && isOf(earlier, file) && isResumable(earlier, Date.now()) ? earlier : null;
      if (earlier && !resumed) void discard(earlier).catch(() => undefined);
      const sample = resumed ?? newSample(file, userId);
      picked = file;
      stored = sample;
      storage.save(sample);
      void send(file, sample);
    },

    /** Continues an upload that failed. */
    retry() {
      if (picked && stored) void send(picked, stored);
    },

    /** Cancels the upload, or deletes the sample. */
    remove() {
      stop();
      if (stored) void discard(stored).catch(() => undefined);
      forget();
      stored = null;
      picked = null;
      set({ kind: 'none' });
    },

    /** Takes a sample of an earlier request. */
    restore(object: string) {
      if (state.kind !== 'uploaded' || state.object !== object)
        set({ kind: 'uploaded', name: object.replace(/^.*\//, ''), object });
    },

    /** The next visit of the builder begins without the sample. */
    forget,

    /** Whether the device still remembers the sample. */
    isRemembered,

    stop,
  };
}

function stateOf(stored: StoredSample | null, now: number): SampleState {
  if (stored?.uploaded) return { kind: 'uploaded', name: stored.name, object: stored.object };
  return stored && isResumable(stored, now) ? { kind: 'interrupted', name: stored.name } : { kind: 'none' };
}

function isResumable({ uploaded, startedAt }: StoredSample, now: number): boolean {
  return !uploaded && now - startedAt < resumableForMs;
}

function isOf({ name, size, modified }: StoredSample, file: File): boolean {
  return name === file.name && size === file.size && modified === file.lastModified;
}

function newSample(file: File, userId: string): StoredSample {
  return {
    name: file.name,
    size: file.size,
    modified: file.lastModified,
    object: `${userId}/${crypto.randomUUID()}.${formatOfSample(file) ?? 'pdf'}`,
    uploadUrl: '',
    uploaded: false,
    startedAt: Date.now(),
  };
}

/** Resolves once no upload runs: true if it went well, or if there was none, and false if not. */
export function settled(upload: SampleUpload, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const check = () => {
      const { kind } = upload.getState();
      if (kind === 'uploading' && !signal.aborted) return;
      unsubscribe();
      resolve(!signal.aborted && (kind === 'uploaded' || kind === 'none'));
    };
    const unsubscribe = upload.subscribe(check);
    signal.addEventListener('abort', check);
    check();
  });
}
