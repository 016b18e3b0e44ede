import { fieldOf, textOf } from '@/lib/unknown-fields';

/** A sample, as the device remembers it. */
export interface StoredSample {
  /** The name of the file. */
  name: string;
  /** Bytes. */
  size: number;
  /** When the file was last changed, in milliseconds. */
  modified: number;
  /** The name of the object in the bucket `samples`. */
  object: string;
  /** The address of the unfinished upload, if there is one. */
  uploadUrl: string;
  /** Whether the whole file was uploaded. */
  uploaded: boolean;
  /** When the upload began, in milliseconds. */
  startedAt: number;
}

/** The server deletes samples after 24 hours (SPECIFICATION.md D37). */
const rememberedForMs = 23 * 60 * 60 * 1_000;

/** Stores the sample of one builder and user on the device, so that a reload does not lose it. */
export function sampleStorage(functionName: string, userId: string) {
  const key = `sample.${functionName}.${userId}`;
  return {
    load(now: number): StoredSample | null {
      try {
        const sample = restore(JSON.parse(localStorage.getItem(key) ?? 'null'));
        return sample && now - sample.startedAt < rememberedForMs ? sample : null;
      } catch {
        return null;
      }
    },
    save(sample: StoredSample): void {
      try {
        localStorage.setItem(key, JSON.stringify(sample));
      } catch {
        // If storage is full, only a reload loses the sample.
      }
    },
    clear(): void {
      try {
        localStorage.removeItem(key);
      } catch {
        // Nothing was stored then.
      }
    },
  };
}

function restore(stored: unknown): StoredSample | null {
  const name = textOf(stored, 'name');
  const object = textOf(stored, 'object');
  const [size, modified, startedAt] = (['size', 'modified', 'startedAt'] as const).map((field) =>
    Number(fieldOf(stored, field)),
  );
  if (!name || !object || size === undefined || modified === undefined || !startedAt) return null;
  const uploadUrl = textOf(stored, 'uploadUrl') ?? '';
  return {
    name,
    size,
    modified,
    object,
    uploadUrl,
    uploaded: fieldOf(stored, 'uploaded') === true,
    startedAt,
  };
}
