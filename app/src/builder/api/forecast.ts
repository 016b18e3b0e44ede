import { useQuery } from '@tanstack/react-query';
import type { Checks, RequestBody } from '../tool';
import type { Forecast } from './fetch-forecast';
import { builderKeys } from './keys';

export type { Forecast };

/** The part of a tool that foretells its documents; it comes with the checks, so that what can be sent can be foretold. */
export interface Foretold {
  functionName: string;
  checks: () => Promise<Pick<Checks<never, unknown>, 'foretell'>>;
}

/**
 * From this share on, a chapter counts as more than a frame of blanks (functions/SPECIFICATION.md GEN-11.3).
 */
export const partlyFrom = 0.3;

/** How the forecast of a request is asked for, by a screen and by a press. */
export function forecastQuery({ functionName, checks }: Foretold, request: RequestBody | null) {
  return {
    queryKey: builderKeys.forecast(functionName, request),
    queryFn: async () => {
      const { foretell } = await checks();
      return request ? foretell(functionName, request) : null;
    },
    staleTime: 60_000,
    // Only the checks can fail, and what lacks them asks for no forecast until they are there.
    retry: 3,
  };
}

/** The forecast for a request, undefined until it is known; none is asked for without a request. */
export function useForecast(tool: Foretold, request: RequestBody | null): Forecast | undefined {
  const { data } = useQuery({ ...forecastQuery(tool, request), enabled: request !== null });
  return data ?? undefined;
}
