import { t } from '@/lib/i18n';
import type { SampleProblem } from '@/lib/sample-file';
import { toast } from '@/lib/toast';

/** The sentence that says why a file cannot be a sample, and what to do next. */
export function sampleProblemText(problem: SampleProblem): string {
  if (problem === 'size') return t('sample.tooLarge');
  return t(problem === 'oldWord' ? 'sample.oldWord' : 'sample.invalidTypeDetail');
}

/** Says why a file cannot be a sample. `invalidType` is the sentence about another kind of file. */
export function showSampleProblem(problem: SampleProblem, invalidType = sampleProblemText(problem)): void {
  if (problem === 'size') toast.error({ title: t('sample.tooLarge') });
  else toast.error({ title: t('sample.invalidType'), description: invalidType });
}
