import { Check } from 'lucide-react';
import { useI18n } from '@/lib/i18n';
import { cn } from '@/lib/utils';
import { samplePaper, sectionMarks, totalMarks, type SampleSection } from '../sample-paper';

/** A real class test in an exercise book. Its marks are counted, not claimed. */
export function HeroPaper() {
  const { t } = useI18n();
  const total = totalMarks(samplePaper.sections);
  return (
    <figure className="relative min-w-0">
      <div
        aria-hidden="true"
        className="ruled absolute inset-y-[-20px] left-0 w-screen rounded-l-[10px] border-l-2 border-margin"
      />
      <div className="relative ml-8 rotate-paper rounded-paper bg-paper px-5 pt-6 pb-9 font-document text-sm leading-[1.42] text-paper-ink shadow-paper sm:ml-12 sm:px-7 sm:pt-7">
        <RedMark total={total} />
        <p className="text-center text-base font-bold">
          {t('landing.sampleSubject')} · {t('landing.sampleClass')}
        </p>
        <p className="mt-0.5 text-center">
          {t('landing.paperChapter')}: {t('landing.sampleChapter')}
        </p>
        <p className="mt-0.5 flex justify-between gap-3 border-b border-paper-ink pb-2">
          <span>{t('landing.paperTime', { minutes: samplePaper.minutes })}</span>
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

/** One section after the other is ticked. */
const tickDelays: Readonly<Record<string, string>> = {
  A: 'delay-pen-1',
  B: 'delay-pen-2',
  C: 'delay-pen-3',
};

/** The tick of the teacher's pen. */
function PenTick({ className }: { className?: string }) {
  return (
    <svg aria-hidden="true" viewBox="0 0 34 26" className="absolute -top-1.5 left-0 w-8 sm:left-2">
      <path
        d="M3 14 12 22 31 4"
        pathLength="40"
        className={cn(
          'animate-stroke fill-none stroke-tick [stroke-dasharray:40] [stroke-linecap:round] [stroke-linejoin:round] [stroke-width:3.4]',
          className,
        )}
      />
    </svg>
  );
}

/** The mark of the teacher on a paper with full marks. */
function RedMark({ total }: { total: number }) {
  return (
    <span
      aria-hidden="true"
      className="absolute -top-5 -right-2 grid size-[74px] -rotate-8 place-items-center font-sans text-lg font-heavy text-tick tabular-nums sm:-right-3 sm:size-[88px] sm:text-2xl"
    >
      <svg viewBox="0 0 100 100" className="absolute inset-0">
        <path
          d="M50 9C76 7 93 27 92 51S72 93 48 92 7 72 9 47 30 11 60 8"
          pathLength="40"
          className="animate-stroke delay-pen-4 fill-none stroke-tick [stroke-dasharray:40] [stroke-linecap:round] [stroke-width:4]"
        />
      </svg>
      <span className="animate-fade delay-pen-4">
        {total}/{total}
      </span>
    </span>
  );
}

function countQuestions(sections: readonly SampleSection[]): number {
  return sections.reduce((count, section) => count + section.questions.length, 0);
}

function PaperSection({ section, firstNumber }: { section: SampleSection; firstNumber: number }) {
  const { t } = useI18n();
  return (
    <>
      <p className="relative mt-3.5 text-center font-bold">
        <PenTick className={tickDelays[section.letter]} />
        {t('landing.paperSection', { letter: section.letter })} ({sectionMarks(section).sum})
      </p>
      <ol start={firstNumber} className="mt-0.5">
        {section.questions.map((question, index) => (
          <li key={question.text} className="mt-1 flex gap-2">
            <span className="w-5 shrink-0 text-right tabular-nums">{firstNumber + index}.</span>
            <span className="min-w-0 flex-1">
              {t(question.text)}
              {question.options ? (
                <span className="grid grid-cols-2">
                  {question.options.map((option, place) => (
                    <span key={place}>
                      ({String.fromCharCode(97 + place)}) {'text' in option ? t(option.text) : option.value}
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
