import { useQuery } from '@tanstack/react-query';
import type { Checks, RequestBody } from '../tool';
import type { Estimate } from './fetch-estimate';
import { builderKeys } from './keys';

export type { Estimate };

/** The part of a tool that foretells its documents; it comes with the checks, so that what can be sent can be foretold. */
export interface EstimatedTool {
  functionName: string;
  checks: () => Promise<Pick<Checks<never, unknown>, 'estimate'>>;
}

/**
 * From this share on, a chapter counts as more than a frame of blanks (functions/SPECIFICATION.md GEN-11.3).
 */
export const partialCoverageFrom = 0.3;

/** How the forecast of a request is asked for, by a screen and by a press. */
export function estimateQuery({ functionName, checks }: EstimatedTool, request: RequestBody | null) {
  return {
    queryKey: builderKeys.estimate(functionName, request),
    queryFn: async () => {
      const { estimate } = await checks();
      return request ? estimate(functionName, request) : null;
    },
    staleTime: 60_000,
    // Only the checks can fail, and what lacks them asks for no forecast until they are there.
    retry: 3,
  };
}

/** The forecast for a request, undefined until it is known; none is asked for without a request. */
export function useEstimate(tool: EstimatedTool, request: RequestBody | null): Estimate | undefined {
  const { data } = useQuery({ ...estimateQuery(tool, request), enabled: request !== null });
  return data ?? undefined;
}
