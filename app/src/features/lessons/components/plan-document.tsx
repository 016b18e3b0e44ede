import { useI18n } from '@/lib/i18n';
import type { LessonPlan } from '../api/generate-lesson-plan';
import { DocumentBody } from './document-body';

/** The finished plan on paper: built from its structure, or its plain text where there is none. */
export function PlanDocument({ plan }: { plan: LessonPlan }) {
  const { t } = useI18n();
  return (
    <section
      aria-label={t('lesson.ready')}
      // A scrolling region must be reachable by keyboard.
      // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={0}
      lang={plan.document?.language}
      className="max-w-full rounded-paper bg-paper px-5 py-7 font-document text-base leading-normal text-paper-ink shadow-paper sm:px-9 sm:py-9 lg:max-h-[calc(100vh-6.5rem)] lg:overflow-y-auto"
    >
      {plan.document ? (
        <DocumentBody document={plan.document} />
      ) : (
        <p className="whitespace-pre-wrap">{plan.text}</p>
      )}
    </section>
  );
}
