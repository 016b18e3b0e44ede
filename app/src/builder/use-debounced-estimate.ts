import { useDebouncedValue } from '@/hooks/use-debounced-value';
import { useEstimate, type Estimate, type EstimatedTool, type SampleRefusal } from './api/estimate';
import { hasSample } from './sample-refusals';
import type { RequestBody } from './tool';

/** How long a form with a sample rests before its estimate, which reads the whole file. Milliseconds. */
const delayWithSampleMs = 2_500;

/**
 * Returns the estimate once the request has not changed for a moment. A null request is incomplete.
 */
export function useDebouncedEstimate(
  tool: EstimatedTool,
  request: RequestBody | null,
): Estimate | SampleRefusal | undefined {
  const current = JSON.stringify(request);
  const debounced = useDebouncedValue(current, hasSample(request) ? delayWithSampleMs : undefined);
  const unchanged = debounced === current;
  const estimate = useEstimate(tool, unchanged ? request : null);
  return unchanged ? estimate : undefined;
}
