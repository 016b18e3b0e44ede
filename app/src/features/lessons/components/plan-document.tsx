import { useEffect, useState } from 'react';
import { useI18n } from '@/lib/i18n';
import type { LessonPlan } from '../api/generate-lesson-plan';
import { loadWords, type DocumentWords } from '../document-words';
import { DocumentBody } from './document-body';

/** The finished plan on paper: built from its structure, or its plain text where that cannot be done. */
export function PlanDocument({ plan }: { plan: LessonPlan }) {
  const { t } = useI18n();
  const language = plan.document?.language;
  const words = useWords(language);
  return (
    <section
      aria-label={t('lesson.document')}
      // A scrolling region must be reachable by keyboard.
      // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={0}
      lang={language}
      className="max-w-full rounded-paper bg-paper px-5 py-7 font-document text-base leading-normal text-paper-ink shadow-paper sm:px-9 sm:py-9 lg:max-h-[calc(100vh-6.5rem)] lg:overflow-y-auto"
    >
      {plan.document && words ? <DocumentBody document={plan.document} words={words} /> : null}
      {plan.document && words !== null ? null : <p className="whitespace-pre-wrap">{plan.text}</p>}
    </section>
  );
}

/** Undefined while they are fetched, null when there are none. */
function useWords(language: string | undefined): DocumentWords | null | undefined {
  const [words, setWords] = useState<DocumentWords | null>();
  useEffect(() => {
    let wanted = true;
    if (language !== undefined) {
      void loadWords(language).then((loaded) => {
        if (wanted) setWords(loaded);
      });
    }
    return () => {
      wanted = false;
    };
  }, [language]);
  return words;
}
