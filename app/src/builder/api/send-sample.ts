import { DetailedError, Upload, type HttpRequest, type HttpResponse } from 'tus-js-client';
import { env } from '@/lib/env';
import { formatOfSample, mediaTypeOf } from '@/lib/sample-file';
import { apiUrl } from '@/lib/supabase';
import { authorizationFor } from '@/lib/user-authorization';

export interface SampleTransfer {
  userId: string;
  file: File;
  /** The name that the object gets in the bucket `samples`. */
  object: string;
  /** The address of an upload that began earlier and is not finished. Empty for a new one. */
  uploadUrl: string;
  onUrl: (uploadUrl: string) => void;
  onProgress: (bytesSent: number) => void;
  /** The transfer is held up and goes on by itself. */
  onWaiting: (holdup: Holdup) => void;
}

/** What holds a transfer up: the connection is lost, or the server takes nothing now. */
export type Holdup = 'lost' | 'busy';

/** How a transfer ended. A holdup ends it after some minutes. */
export type TransferOutcome = 'uploaded' | Holdup | 'refused';

/**
 * Bytes of one request. At 400 kbit/s it takes 20 s
 * (SPECIFICATION.md D34). A smaller file is one request.
 */
const requestBytes = 1_000_000;

/** A network may drop packets silently. What arrived by then is kept. Milliseconds. */
const requestTimeoutMs = 130_000;

/** Pauses before each retry. They begin anew once something arrived. Milliseconds. */
const retryPauses = [1_000, 2_000, 4_000, 8_000, 15_000, 30_000, 30_000, 30_000, 30_000, 30_000];

/**
 * Uploads a sample in pieces, and goes on after each lost connection.
 * The promise stays pending if `signal` aborts.
 */
export function sendSample(transfer: SampleTransfer, signal: AbortSignal): Promise<TransferOutcome> {
  return new Promise((resolve) => {
    const upload = new Upload(transfer.file, {
      ...requestsOf(transfer.userId, signal),
      uploadUrl: transfer.uploadUrl || null,
      metadata: metadataOf(transfer),
      chunkSize: requestBytes,
      uploadDataDuringCreation: transfer.file.size <= requestBytes,
      storeFingerprintForResuming: false,
      retryDelays: retryPauses,
      onUploadUrlAvailable: () => {
        transfer.onUrl(upload.url ?? '');
      },
      onProgress: transfer.onProgress,
      onShouldRetry: (error) => {
        const outcome = outcomeOf(error);
        const retried = outcome === 'lost' || outcome === 'busy';
        if (retried) transfer.onWaiting(outcome);
        return retried;
      },
      onSuccess: () => {
        end('uploaded');
      },
      onError: (error) => {
        end(outcomeOf(error));
      },
    });

    /** Goes on without waiting for the end of a pause. */
    function goOn() {
      void upload.abort().then(() => {
        if (!signal.aborted) upload.start();
      });
    }
    function stop() {
      window.removeEventListener('online', goOn);
      void upload.abort();
    }
    function end(outcome: TransferOutcome) {
      window.removeEventListener('online', goOn);
      if (!signal.aborted) resolve(outcome);
    }
    window.addEventListener('online', goOn);
    signal.addEventListener('abort', stop);
    upload.start();
  });
}

/** Deletes an unfinished upload. If that fails, it expires within an hour. */
export async function discardUpload(userId: string, uploadUrl: string): Promise<void> {
  const options = { ...requestsOf(userId, new AbortController().signal), retryDelays: null };
  await Upload.terminate(uploadUrl, options).catch(() => undefined);
}

/** The user is not signed in here any more, or the upload was cancelled. */
class StoppedError extends Error {}

/** The server answers, but takes nothing now. */
class BusyError extends Error {}

/** How requests are made in the name of a user. The token may be renewed between two of them. */
function requestsOf(userId: string, signal: AbortSignal) {
  let latest: HttpRequest | undefined;
  return {
    endpoint: `${apiUrl}/storage/v1/upload/resumable`,
    headers: { apikey: env.supabaseKey },
    onBeforeRequest: async (request: HttpRequest) => {
      latest = request;
      const authorization = await authorizationFor(userId);
      // The client began anew meanwhile. It cannot call off a request that is not sent yet.
      if (request !== latest) await new Promise(() => undefined);
      if (!authorization || signal.aborted) throw new StoppedError();
      request.setHeader('Authorization', authorization.Authorization);
      const xhr: unknown = request.getUnderlyingObject();
      if (!(xhr instanceof XMLHttpRequest)) return;
      xhr.timeout = requestTimeoutMs;
      // The client listens to errors alone.
      xhr.ontimeout = () => xhr.dispatchEvent(new ProgressEvent('error'));
    },
    // A busy server has not lost the upload, but the client would begin a new one.
    onAfterResponse: (request: HttpRequest, response: HttpResponse) => {
      if (request.getMethod() === 'HEAD' && isBusy(response.getStatus())) throw new BusyError();
    },
  };
}

function metadataOf({ file, object }: SampleTransfer): Record<string, string> {
  const format = formatOfSample(file);
  const contentType = format ? mediaTypeOf(format) : file.type;
  return { bucketName: 'samples', objectName: object, contentType };
}

/** Statuses besides 5xx after which a retry may go well. 409 and 423: an earlier request still runs. */
const busyStatuses = [408, 409, 423, 429];

function isBusy(status: number): boolean {
  return status >= 500 || busyStatuses.includes(status);
}

/** What a failed request means for the transfer. Without an answer the network failed. */
function outcomeOf(error: Error): TransferOutcome {
  if (!(error instanceof DetailedError) || error.causingError instanceof StoppedError) return 'refused';
  if (error.causingError instanceof BusyError) return 'busy';
  const status = error.originalResponse?.getStatus() ?? 0;
  if (status === 0) return 'lost';
  // No other file has this name, so an earlier request uploaded it and its answer was lost.
  if (status === 409 && error.originalRequest.getMethod() === 'POST') return 'uploaded';
  return isBusy(status) ? 'busy' : 'refused';
}
