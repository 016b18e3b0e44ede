import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { MarksPlan } from './marks-plan';
import type { Asked } from './plan/plan';
import type { PaperForm } from './schema';

/** How the marks will be spread, null while no type is ticked. The code of the plan comes with the first one. */
export function useMarksPlan(form: PaperForm): MarksPlan | null {
  const asked = askedIn(form);
  const { data } = useQuery({
    queryKey: ['marks-plan', asked],
    queryFn: async () => (await import('./plan/plan')).planOf(asked),
    enabled: asked.types.length > 0,
    // It is worked out on the device.
    networkMode: 'always',
    staleTime: Infinity,
    placeholderData: keepPreviousData,
  });
  return asked.types.length > 0 && data ? data : null;
}

/** What stands in the form; for what is not chosen yet, the middle of what can be. */
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
