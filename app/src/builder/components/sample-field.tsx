import { X } from 'lucide-react';
import { useRef } from 'react';
import { SampleBox } from '@/components/sample-box';
import { Button } from '@/components/ui/button';
import { useI18n } from '@/lib/i18n';
import { problemOfSample } from '@/lib/sample-file';
import { toast } from '@/lib/toast';
import { showSampleProblem } from '../sample-problem';

interface SampleFieldProps {
  label: string;
  /** The name of the picked file, empty without one. */
  name: string;
  onPick: (name: string) => void;
  /** The message for another kind of file. */
  refusal: string;
  /** What is done with the file. */
  note: string;
}

/** An optional sample file that stays on the device (SPECIFICATION.md S-238, S-239). */
export function SampleField({ label, name, onPick, refusal, note }: SampleFieldProps) {
  const { t } = useI18n();
  const input = useRef<HTMLInputElement>(null);

  function pick(file: File) {
    const problem = problemOfSample(file);
    if (problem) {
      showSampleProblem(problem, refusal);
      return;
    }
    onPick(file.name);
    toast.success({ title: t('sample.uploaded'), description: note });
  }

  return (
    <div className="min-w-0">
      <SampleBox label={label} name={name} onFile={pick} inputRef={input}>
        {name ? (
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
      </SampleBox>
      <p className="mt-1.5 text-sm text-muted-foreground">{note}</p>
    </div>
  );
}
