import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { useI18n } from '@/lib/i18n';
import { toast } from '@/lib/toast';
import { sampleUploadOf, settled } from './sample-upload';

/** The sample of a builder, and presses that wait until it is uploaded. */
export function useSample(functionName: string, userId: string, earlier: string | undefined) {
  const { t } = useI18n();
  const [upload] = useState(() => {
    const current = sampleUploadOf(functionName, userId);
    // A request that waits for its document keeps its sample.
    if (earlier) current.restore(earlier);
    return current;
  });
  const state = useSyncExternalStore(upload.subscribe, upload.getState);
  const [waiting, setWaiting] = useState<AbortController | null>(null);

  const last = useRef(state.kind);
  useEffect(() => {
    if (last.current === 'uploading' && state.kind === 'uploaded')
      toast.success({ title: t('sample.uploaded') });
    last.current = state.kind;
  }, [state.kind, t]);

  /**
   * Waits for a running upload. Returns the name of the object, empty without a sample, or null if
   * there should be one and is not.
   */
  async function waitForObject(): Promise<string | null> {
    if (upload.getState().kind === 'uploading') {
      const aborter = new AbortController();
      setWaiting(aborter);
      await settled(upload, aborter.signal);
      setWaiting(null);
      if (aborter.signal.aborted) return null;
    }
    const now = upload.getState();
    if (now.kind === 'none') return '';
    if (now.kind === 'uploaded') return now.object;
    toast.error({ title: t('sample.missing'), description: t('sample.missingDetail') });
    return null;
  }

  return {
    state,
    upload,
    /** The name of the object, empty unless it is uploaded. */
    object: state.kind === 'uploaded' ? state.object : '',
    /** Whether it is clear what a press would send. */
    isSettled: state.kind === 'none' || state.kind === 'uploaded',
    /** A press waits for the upload. */
    isAwaited: waiting !== null,
    stopWaiting: () => waiting?.abort(),
    waitForObject,
  };
}

export type BuilderSample = ReturnType<typeof useSample>;
