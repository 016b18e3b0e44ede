import { useQuery } from '@tanstack/react-query';
import * as z from 'zod/mini';
import { supabase } from '@/lib/supabase';
import type { LessonPlanRequest } from '../schema';

/** How a plan would be made: without a model, how much of it the built-in bank knows, and the sentence about it. */
export type LessonPlanForecast = z.infer<typeof forecastSchema>;

const forecastSchema = z.object({
  generator: z.enum(['model', 'template']),
  language: z.string(),
  /** 0 to 1; null where a model writes. */
  coverage: z.nullable(z.number()),
  label: z.string(),
});
const responseSchema = z.object({ meta: forecastSchema });

/** Asks how a plan would be made, which makes and charges nothing. Null when it cannot be said now. */
async function forecastLessonPlan(request: LessonPlanRequest): Promise<LessonPlanForecast | null> {
  const response = await supabase.functions.invoke<unknown>('generate-lesson-plan', {
    body: { ...request, dryRun: true },
  });
  const parsed = responseSchema.safeParse(response.data);
  return parsed.success ? parsed.data.meta : null;
}

/** The forecast for a complete request, undefined until it is known; none is asked for without a request. */
export function useLessonPlanForecast(request: LessonPlanRequest | null): LessonPlanForecast | undefined {
  const { data } = useQuery({
    queryKey: ['lesson-plan-forecast', request],
    queryFn: () => (request ? forecastLessonPlan(request) : null),
    enabled: request !== null,
    staleTime: 60_000,
    retry: false,
  });
  return data ?? undefined;
}
