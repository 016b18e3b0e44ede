import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { MarksPlan } from './marks-plan';
import type { PlanRequest } from './plan/plan';
import type { PaperForm } from './schema';

/**
 * Returns the marks plan, or null while no type is ticked.
 * The code of the plan loads with the first one.
 */
export function useMarksPlan(form: PaperForm): MarksPlan | null {
  const request = planRequestOf(form);
  const { data } = useQuery({
    queryKey: ['marks-plan', request],
    queryFn: async () => (await import('./plan/plan')).planOf(request),
    enabled: request.types.length > 0,
    // The plan is computed on the device.
    networkMode: 'always',
    staleTime: Infinity,
    placeholderData: keepPreviousData,
  });
  return request.types.length > 0 && data ? data : null;
}

/** The values of the form. A field without a choice has the middle value. */
function planRequestOf(form: PaperForm): PlanRequest {
  return {
    board: form.board,
    grade: Number(/\d+/.exec(form.grade)?.[0] ?? 6),
    subject: form.subject,
    marks: Number(form.marks),
    minutes: Number(form.timeHours) * 60,
    sections: Number(form.numberOfSections),
    hardness: form.difficultyLevel || 'medium',
    types: form.questionTypes,
  };
}
