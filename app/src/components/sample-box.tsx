import { Paperclip } from 'lucide-react';
import { useId, type ReactNode, type Ref } from 'react';
import { useI18n } from '@/lib/i18n';
import { sampleAccept } from '@/lib/sample-file';
import { cn } from '@/lib/utils';

interface SampleBoxProps {
  label: string;
  /** The name of the picked file, empty without one. */
  name: string;
  onFile: (file: File) => void;
  inputRef?: Ref<HTMLInputElement>;
  className?: string;
  /** At the end of the box. */
  children?: ReactNode;
}

/** A box for an optional sample file, which is picked or dropped. */
export function SampleBox({ label, name, onFile, inputRef, className, children }: SampleBoxProps) {
  const { t } = useI18n();
  const id = useId();
  return (
    <div className={cn('min-w-0', className)}>
      <label htmlFor={id} className="mb-1.5 block text-sm font-semibold">
        {label} <span className="font-normal text-muted-foreground">{t('form.optional')}</span>
      </label>
      <div className="relative flex min-h-[46px] items-center gap-2 rounded-control border border-dashed border-input pr-1 pl-3.5 focus-within:border-ring">
        <Paperclip aria-hidden="true" className="size-5 shrink-0 text-muted-foreground" />
        <input
          ref={inputRef}
          id={id}
          type="file"
          accept={sampleAccept}
          onChange={(event) => {
            const file = event.target.files?.[0];
            // The same file may be picked again.
            event.target.value = '';
            if (file) onFile(file);
          }}
          className="absolute inset-0 size-full cursor-pointer opacity-0"
        />
        <span className={cn('min-w-0 flex-1 truncate', name ? 'font-semibold' : 'text-muted-foreground')}>
          {name || t('sample.choose')}
        </span>
        {children}
      </div>
    </div>
  );
}
