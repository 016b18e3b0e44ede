import { useDebouncedValue } from '@/hooks/use-debounced-value';
import { useEstimate, type Estimate, type EstimatedTool, type SampleRefusal } from './api/estimate';
import type { RequestBody } from './tool';

/**
 * Returns the estimate once the request has not changed for a moment. A null request is incomplete.
 */
export function useDebouncedEstimate(
  tool: EstimatedTool,
  request: RequestBody | null,
): Estimate | SampleRefusal | undefined {
  const current = JSON.stringify(request);
  const debounced = useDebouncedValue(current);
  const unchanged = debounced === current;
  const estimate = useEstimate(tool, unchanged ? request : null);
  return unchanged ? estimate : undefined;
}
