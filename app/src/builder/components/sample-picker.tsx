import { Paperclip, X } from 'lucide-react';
import { useId, useRef, type ChangeEvent, type ReactNode } from 'react';
import { Button } from '@/components/ui/button';
import { useI18n } from '@/lib/i18n';
import { toast } from '@/lib/toast';
import { cn } from '@/lib/utils';
import { problemOfSample, sampleAccept } from '@/lib/sample-file';

export interface SampleFieldProps {
  label: string;
  /** The picked file's name, which is what the request carries; empty without one. */
  marker: string;
  onPick: (marker: string) => void;
  /** What is said of another kind of file. */
  refusal?: string;
}

/** An optional sample file, PDF or DOCX (screens.md S-189, S-220). */
export default function SamplePicker({ label, marker, onPick, refusal }: SampleFieldProps): ReactNode {
  const { t } = useI18n();
  const id = useId();
  const input = useRef<HTMLInputElement>(null);

  function pick(event: ChangeEvent<HTMLInputElement>) {
    const file = event.target.files?.[0];
    event.target.value = '';
    if (!file) return;
    const problem = problemOfSample(file);
    if (problem === 'type') {
      toast.error({ title: t('sample.invalidType'), description: refusal ?? t('sample.invalidTypeDetail') });
    } else if (problem === 'size') {
      toast.error({ title: t('sample.tooLarge') });
    } else {
      onPick(file.name);
      toast.success({ title: t('sample.uploaded') });
    }
  }

  return (
    <div className="min-w-0">
      <label htmlFor={id} className="mb-1.5 block text-sm font-semibold">
        {label} <span className="font-normal text-muted-foreground">{t('form.optional')}</span>
      </label>
      <div className="relative flex min-h-[46px] items-center gap-2 rounded-control border border-dashed border-input pr-1 pl-3.5 focus-within:border-ring">
        <Paperclip aria-hidden="true" className="size-5 shrink-0 text-muted-foreground" />
        <input
          ref={input}
          id={id}
          type="file"
          accept={sampleAccept}
          onChange={pick}
          className="absolute inset-0 size-full cursor-pointer opacity-0"
        />
        <span className={cn('min-w-0 flex-1 truncate', marker ? 'font-semibold' : 'text-muted-foreground')}>
          {marker || t('sample.choose')}
        </span>
        {marker ? (
          <Button
            variant="ghost"
            size="icon"
            className="relative"
            aria-label={t('sample.remove')}
            onClick={() => {
              onPick('');
              input.current?.focus();
            }}
          >
            <X aria-hidden="true" />
          </Button>
        ) : null}
      </div>
    </div>
  );
}
