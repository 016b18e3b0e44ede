import { Plus } from 'lucide-react';
import { useId, useState } from 'react';
import { env } from '@/lib/env';
import { generationCost } from '@/lib/generation-cost';
import { useI18n } from '@/lib/i18n';
import { cn } from '@/lib/utils';
import type { Question } from '../questions';

/**
 * Questions, of which one at a time is open. On paper all
 * answers are there (SPECIFICATION.md S-098, S-100).
 */
export function FaqList({ questions }: { questions: readonly Question[] }) {
  const [open, setOpen] = useState<number | null>(0);
  return (
    <ol className="divide-y divide-border border-y border-border">
      {questions.map((question, index) => (
        <FaqItem
          key={question.question}
          number={index + 1}
          question={question}
          open={open === index}
          onToggle={() => {
            setOpen(open === index ? null : index);
          }}
        />
      ))}
    </ol>
  );
}

interface FaqItemProps {
  number: number;
  question: Question;
  open: boolean;
  onToggle: () => void;
}

/** The values of the placeholders in the texts. */
const values = { product: env.productName, cost: generationCost };

function FaqItem({ number, question, open, onToggle }: FaqItemProps) {
  const { t } = useI18n();
  const id = useId();
  return (
    <li className="break-inside-avoid">
      <h2>
        <button
          type="button"
          id={`${id}-question`}
          aria-expanded={open}
          aria-controls={`${id}-answer`}
          onClick={onToggle}
          className="group flex min-h-14 w-full items-start gap-3 rounded-control py-3 text-left text-lg font-bold sm:gap-4"
        >
          <span aria-hidden="true" className="w-7 shrink-0 text-right text-muted-foreground tabular-nums">
            {number}.
          </span>
          <span className="min-w-0 flex-1 group-hover:text-primary">{t(question.question, values)}</span>
          <Plus
            aria-hidden="true"
            className={cn(
              'mt-1 size-5 shrink-0 transition-transform duration-150 print:hidden',
              open && '[transform:rotate(45deg)]',
            )}
          />
        </button>
      </h2>
      <div
        id={`${id}-answer`}
        role="region"
        aria-labelledby={`${id}-question`}
        className={cn(
          'max-w-[66ch] space-y-2.5 pr-2 pb-5 pl-10 text-muted-foreground sm:pl-11',
          !open && 'hidden print:block',
        )}
      >
        {question.answer.map((paragraph) => (
          <p key={paragraph}>{t(paragraph, values)}</p>
        ))}
      </div>
    </li>
  );
}
