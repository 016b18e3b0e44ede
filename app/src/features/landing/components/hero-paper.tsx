import { Check } from 'lucide-react';
import { useI18n } from '@/lib/i18n';
import { samplePaper, sectionMarks, totalMarks, type SampleSection } from '../sample-paper';

/** A real class test on an exercise book: its marks are counted, not claimed. */
export function HeroPaper() {
  const { t } = useI18n();
  const total = totalMarks(samplePaper.sections);
  return (
    <figure className="relative min-w-0">
      <div
        aria-hidden="true"
        className="ruled absolute inset-y-[-20px] left-0 w-screen rounded-l-[10px] border-l-2 border-margin"
      />
      <svg aria-hidden="true" viewBox="0 0 34 26" className="absolute top-[150px] left-2 hidden w-8 sm:block">
        <path
          d="M3 14 12 22 31 4"
          fill="none"
          strokeWidth="4"
          strokeLinecap="round"
          strokeLinejoin="round"
          className="stroke-coin-rim"
        />
      </svg>
      <div className="relative ml-8 rotate-paper rounded-paper bg-paper px-5 py-6 font-document text-sm leading-[1.42] text-paper-ink shadow-paper sm:ml-12 sm:px-7 sm:py-7">
        <p className="text-center text-base font-bold">
          {samplePaper.subject} · {samplePaper.className}
        </p>
        <p className="mt-0.5 text-center">
          {t('landing.paperChapter')}: {samplePaper.chapter}
        </p>
        <p className="mt-0.5 flex justify-between gap-3 border-b border-paper-ink pb-2">
          <span>{t('landing.paperTime', { time: samplePaper.time })}</span>
          <span>{t('landing.paperMarks', { marks: total })}</span>
        </p>
        {samplePaper.sections.map((section, index) => (
          <PaperSection
            key={section.letter}
            section={section}
            firstNumber={1 + countQuestions(samplePaper.sections.slice(0, index))}
          />
        ))}
      </div>
      <figcaption className="absolute right-0 -bottom-5 flex items-center gap-2.5 rounded-control border border-border bg-card px-4 py-2.5 font-semibold text-card-foreground shadow-paper">
        <Check aria-hidden="true" className="size-[18px] text-success" strokeWidth={2.6} />
        {t('landing.marksAddUp', { marks: total })}
      </figcaption>
    </figure>
  );
}

function countQuestions(sections: readonly SampleSection[]): number {
  return sections.reduce((count, section) => count + section.questions.length, 0);
}

function PaperSection({ section, firstNumber }: { section: SampleSection; firstNumber: number }) {
  const { t } = useI18n();
  return (
    <>
      <p className="mt-3.5 text-center font-bold">
        {t('landing.paperSection', { letter: section.letter })} ({sectionMarks(section).sum})
      </p>
      <ol start={firstNumber} className="mt-0.5">
        {section.questions.map((question, index) => (
          <li key={question.text} className="mt-1 flex gap-2">
            <span className="w-5 shrink-0 text-right tabular-nums">{firstNumber + index}.</span>
            <span className="min-w-0 flex-1">
              {question.text}
              {question.options ? (
                <span className="grid grid-cols-2">
                  {question.options.map((option, place) => (
                    <span key={option}>
                      ({String.fromCharCode(97 + place)}) {option}
                    </span>
                  ))}
                </span>
              ) : null}
            </span>
            <span className="tabular-nums">[{section.marksEach}]</span>
          </li>
        ))}
      </ol>
    </>
  );
}
