import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { MarksPlan } from './marks-plan';
import type { Asked } from './plan/plan';
import type { PaperForm } from './schema';

/**
 * Returns the marks plan, or null while no type is ticked. The code of the plan loads with the
 * first one.
 */
export function useMarksPlan(form: PaperForm): MarksPlan | null {
  const asked = askedIn(form);
  const { data } = useQuery({
    queryKey: ['marks-plan', asked],
    queryFn: async () => (await import('./plan/plan')).planOf(asked),
    enabled: asked.types.length > 0,
    // The plan is computed on the device.
    networkMode: 'always',
    staleTime: Infinity,
    placeholderData: keepPreviousData,
  });
  return asked.types.length > 0 && data ? data : null;
}

/** The values of the form. A field without a choice has the middle value. */
function askedIn(form: PaperForm): Asked {
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
