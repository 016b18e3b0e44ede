import { X } from 'lucide-react';
import { useRef, type ReactNode } from 'react';
import { SampleBox } from '@/components/sample-box';
import { Button } from '@/components/ui/button';
import { useI18n } from '@/lib/i18n';
import { problemOfSample } from '@/lib/sample-file';
import { toast } from '@/lib/toast';

export interface SampleFieldProps {
  label: string;
  /** The name of the picked file, which the request carries. It is empty without a file. */
  marker: string;
  onPick: (marker: string) => void;
  /** The message for another kind of file. */
  refusal?: string;
  /** What is done with the file. */
  note: string;
}

/** An optional sample file, PDF or DOCX (SPECIFICATION.md S-189, S-220). */
export function SamplePicker({ label, marker, onPick, refusal, note }: SampleFieldProps): ReactNode {
  const { t } = useI18n();
  const input = useRef<HTMLInputElement>(null);

  function pick(file: File) {
    const problem = problemOfSample(file);
    if (problem === 'type') {
      toast.error({ title: t('sample.invalidType'), description: refusal ?? t('sample.invalidTypeDetail') });
    } else if (problem === 'size') {
      toast.error({ title: t('sample.tooLarge') });
    } else {
      onPick(file.name);
      toast.success({ title: t('sample.uploaded'), description: note });
    }
  }

  return (
    <SampleBox label={label} name={marker} onFile={pick} inputRef={input}>
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
    </SampleBox>
  );
}
