import { t } from '@/lib/i18n';
import type { SampleProblem } from '@/lib/sample-file';
import { toast } from '@/lib/toast';

/** Says why a file cannot be a sample. `invalidType` is the sentence about another kind of file. */
export function showSampleProblem(problem: SampleProblem, invalidType = t('sample.invalidTypeDetail')): void {
  if (problem === 'size') toast.error({ title: t('sample.tooLarge') });
  else toast.error({ title: t('sample.invalidType'), description: invalidType });
}
