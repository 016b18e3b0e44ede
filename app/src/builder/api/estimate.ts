import { useQuery } from '@tanstack/react-query';
import type { Checks, RequestBody } from '../tool';
import type { Estimate, SampleReading, SampleRefusal } from './fetch-estimate';
import { builderKeys } from './keys';

export type { Estimate, SampleReading, SampleRefusal };

/**
 * The part of a tool that estimates its documents. It loads with the checks, so that every request
 * that can be sent can be estimated.
 */
export interface EstimatedTool {
  functionName: string;
  checks: () => Promise<Pick<Checks<never, unknown>, 'estimate'>>;
}

/**
 * From this coverage on, a document counts as more than a frame of blanks
 * (functions/SPECIFICATION.md GEN-11.3).
 */
export const partialCoverageFrom = 0.3;

/** The query for the estimate of a request, for screens and presses alike. */
export function estimateQuery({ functionName, checks }: EstimatedTool, request: RequestBody | null) {
  return {
    queryKey: builderKeys.estimate(functionName, request),
    queryFn: async () => {
      const { estimate } = await checks();
      return request ? estimate(functionName, request) : null;
    },
    staleTime: 60_000,
    // Only loading the checks can fail, and a form without checks asks for no estimate.
    retry: 3,
  };
}

/** The estimate for a request. It is undefined until it is known, and without a request. */
export function useEstimate(
  tool: EstimatedTool,
  request: RequestBody | null,
): Estimate | SampleRefusal | undefined {
  const { data } = useQuery({ ...estimateQuery(tool, request), enabled: request !== null });
  return data ?? undefined;
}
