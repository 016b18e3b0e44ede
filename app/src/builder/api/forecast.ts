import { useQuery } from '@tanstack/react-query';
import type { RequestBody } from '../tool';
import type { Forecast } from './fetch-forecast';
import { builderKeys } from './keys';

export type { Forecast };

/** The forecast for a request, undefined until it is known; none is asked for without a request. */
export function useForecast(functionName: string, request: RequestBody | null): Forecast | undefined {
  const { data } = useQuery({
    queryKey: builderKeys.forecast(functionName, request),
    queryFn: async () => {
      const { fetchForecast } = await import('./fetch-forecast');
      return request ? fetchForecast(functionName, request) : null;
    },
    enabled: request !== null,
    staleTime: 60_000,
    retry: false,
  });
  return data ?? undefined;
}
