import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useI18n } from '@/lib/i18n';
import { toast } from '@/lib/toast';
import { estimateQuery, partialCoverageFrom, type Estimate, type EstimatedTool } from './api/estimate';
import type { RequestBody } from './tool';
import { useDebouncedEstimate } from './use-debounced-estimate';

/** How long a press waits for the forecast. */
const estimateTimeoutMs = 3_000;

/** A press that was held back; without a forecast none came in time. */
interface HeldPress {
  about: string;
  estimate: Estimate | undefined;
}

export type ChargeConfirmation = ReturnType<typeof useConfirmBeforeCharge>;

/**
 * What a document will be, and that nobody pays for blanks who was not warned: a press that comes before the forecast
 * waits for it, and is held back once where it foretells a frame or does not come.
 */
export function useConfirmBeforeCharge(tool: EstimatedTool, request: RequestBody | null) {
  const { t } = useI18n();
  const client = useQueryClient();
  const shown = useDebouncedEstimate(tool, request);
  const [estimating, setEstimating] = useState(false);
  const [held, setHeld] = useState<HeldPress | null>(null);
  const about = JSON.stringify(request);
  const warned = held?.about === about ? held : null;

  /** Whether a press may charge for this request: not before its reader could know what it makes. */
  async function mayCharge(checked: RequestBody): Promise<boolean> {
    if (shown || warned) return true;
    setEstimating(true);
    const found = await withTimeout(client.query(estimateQuery(tool, checked)));
    setEstimating(false);
    // Who is refused a forecast is refused the document, too.
    if (found === null || (found && (found.coverage ?? 1) >= partialCoverageFrom)) return true;
    setHeld({ about, estimate: found });
    const reason = t(found ? 'builder.mostlyBlank' : 'builder.estimateUnavailable');
    toast.plain({ title: t('builder.notCharged'), description: `${reason} ${t('builder.pressAgain')}` });
    return false;
  }

  const estimate = shown ?? warned?.estimate;
  return { estimate, estimating, unavailable: warned !== null && !estimate, mayCharge };
}

/** Undefined when it takes too long, or fails. */
function withTimeout<Value>(value: Promise<Value>): Promise<Value | undefined> {
  return new Promise((resolve) => {
    const giveUp = () => {
      resolve(undefined);
    };
    window.setTimeout(giveUp, estimateTimeoutMs);
    value.then(resolve, giveUp);
  });
}
