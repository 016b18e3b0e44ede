import { useSettled } from '@/hooks/use-settled';
import { useForecast, type Forecast, type Foretold } from './api/forecast';
import type { RequestBody } from './tool';

/** The forecast of a request once it has stood unchanged for a moment; null is a request that is not complete. */
export function useSettledForecast(tool: Foretold, request: RequestBody | null): Forecast | undefined {
  const current = JSON.stringify(request);
  const settled = useSettled(current);
  const unchanged = settled === current;
  const forecast = useForecast(tool, unchanged ? request : null);
  return unchanged ? forecast : undefined;
}
