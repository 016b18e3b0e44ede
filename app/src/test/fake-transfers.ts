import type { SampleTransfer, TransferOutcome } from '@/builder/api/send-sample';

interface FakeTransfer extends SampleTransfer {
  signal: AbortSignal;
  end: (outcome: TransferOutcome) => void;
}

/** Stands in for `api/send-sample`. The uploads that began, in their order. */
export const transfers: FakeTransfer[] = [];

/** The addresses of unfinished uploads that were deleted. */
export const discarded: string[] = [];

export function sendSample(transfer: SampleTransfer, signal: AbortSignal): Promise<TransferOutcome> {
  return new Promise((resolve) => {
    transfers.push({ ...transfer, signal, end: resolve });
  });
}

export function discardUpload(_userId: string, uploadUrl: string): Promise<void> {
  discarded.push(uploadUrl);
  return Promise.resolve();
}

export function forgetTransfers(): void {
  transfers.length = 0;
  discarded.length = 0;
}

/** The upload that began last. */
export function lastTransfer(): FakeTransfer {
  const last = transfers.at(-1);
  if (!last) throw new Error('no upload began');
  return last;
}

export function pdf(name = 'plan.pdf', size = 4_800_000): File {
  const file = new File(['%PDF-1.7'], name, { type: 'application/pdf', lastModified: 1_000 });
  Object.defineProperty(file, 'size', { value: size });
  return file;
}
