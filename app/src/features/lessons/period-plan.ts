import type { MessageKey } from '@/lib/i18n';

const steps: Readonly<Record<string, readonly MessageKey[]>> = {
  '1': ['period.overview'],
  '2': ['period.concept', 'period.practice'],
  '3': ['period.introduction', 'period.development', 'period.application'],
  '4': ['period.introduction', 'period.development', 'period.development', 'period.assessment'],
  '5': [
    'period.introduction',
    'period.development',
    'period.development',
    'period.activity',
    'period.revision',
  ],
};

/** Returns the plan of a chapter for a number of periods (functions/SPECIFICATION.md DOM-2.2). */
export function periodPlan(periods: string): readonly MessageKey[] {
  return steps[periods] ?? [];
}
