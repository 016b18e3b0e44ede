import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useI18n } from '@/lib/i18n';
import { toast } from '@/lib/toast';
import { estimateQuery, partialCoverageFrom, type Estimate, type EstimatedTool } from './api/estimate';
import { hasSample, sampleRefusalText } from './sample-refusals';
import type { RequestBody } from './tool';
import { useDebouncedEstimate } from './use-debounced-estimate';

/** How long a press waits for the estimate, and for one that reads a sample. Milliseconds. */
const estimateTimeoutMs = 3_000;
const sampleTimeoutMs = 15_000;

/** A press that was held back. If there is no estimate, none came in time. */
interface HeldPress {
  about: string;
  estimate: Estimate | undefined;
}

export type ChargeConfirmation = ReturnType<typeof useConfirmBeforeCharge>;

/**
 * Makes sure that nobody pays for blanks without a warning. A press that comes before the estimate
 * waits for it. It is held back once if the estimate is a mostly blank document or does not arrive,
 * and as long as the function cannot use the sample.
 */
export function useConfirmBeforeCharge(tool: EstimatedTool, request: RequestBody | null) {
  const { t } = useI18n();
  const client = useQueryClient();
  const answer = useDebouncedEstimate(tool, request);
  const shown = answer && 'coverage' in answer ? answer : undefined;
  const sampleRefusal = answer && 'refusedSample' in answer ? answer.refusedSample : undefined;
  const [estimating, setEstimating] = useState(false);
  const [held, setHeld] = useState<HeldPress | null>(null);
  const about = JSON.stringify(request);
  const warned = held?.about === about ? held : null;

  /**
   * Whether a press may charge for this request. The user must have been able to see the estimate.
   */
  async function mayCharge(checked: RequestBody): Promise<boolean> {
    if ((shown || warned) && !sampleRefusal) return true;
    setEstimating(true);
    const timeoutMs = hasSample(checked) ? sampleTimeoutMs : estimateTimeoutMs;
    const found = await withTimeout(client.query(estimateQuery(tool, checked)), timeoutMs);
    setEstimating(false);
    if (found && 'refusedSample' in found) {
      toast.error({ title: t('builder.notCharged'), description: sampleRefusalText(found.refusedSample) });
      return false;
    }
    // A request without an estimate is refused by the function itself.
    if (found === null || (found && (found.coverage ?? 1) >= partialCoverageFrom)) return true;
    setHeld({ about, estimate: found });
    const reason = t(found ? 'builder.blank' : 'builder.noEstimate');
    toast.plain({ title: t('builder.notCharged'), description: `${reason} ${t('builder.pressAgain')}` });
    return false;
  }

  const estimate = shown ?? warned?.estimate;
  const unavailable = warned !== null && !estimate;
  /** The code with which the function refuses the sample. */
  return { estimate, estimating, unavailable, sampleRefusal, mayCharge };
}

/** Resolves to undefined if the promise takes too long or fails. */
function withTimeout<Value>(value: Promise<Value>, timeoutMs: number): Promise<Value | undefined> {
  return new Promise((resolve) => {
    const giveUp = () => {
      resolve(undefined);
    };
    window.setTimeout(giveUp, timeoutMs);
    value.then(resolve, giveUp);
  });
}
