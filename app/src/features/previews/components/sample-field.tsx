import { Paperclip } from 'lucide-react';
import { useId, useState } from 'react';
import { useI18n } from '@/lib/i18n';
import { problemOfSample, sampleAccept } from '@/lib/sample-file';
import { cn } from '@/lib/utils';

/** A sample that stays on the page; what is neither PDF nor DOCX is silently ignored (screens.md S-076). */
export function SampleField({ label, className }: { label: string; className?: string }) {
  const { t } = useI18n();
  const id = useId();
  const [name, setName] = useState('');
  return (
    <div className={cn('min-w-0', className)}>
      <label htmlFor={id} className="mb-1.5 block text-sm font-semibold">
        {label} <span className="font-normal text-muted-foreground">{t('form.optional')}</span>
      </label>
      <div className="relative flex min-h-[46px] items-center gap-2 rounded-control border border-dashed border-input px-3.5 focus-within:border-ring">
        <Paperclip aria-hidden="true" className="size-5 shrink-0 text-muted-foreground" />
        <input
          id={id}
          type="file"
          accept={sampleAccept}
          onChange={(event) => {
            const file = event.target.files?.[0];
            if (file && problemOfSample(file) === null) setName(file.name);
            event.target.value = '';
          }}
          className="absolute inset-0 size-full cursor-pointer opacity-0"
        />
        <span className={cn('min-w-0 flex-1 truncate', name ? 'font-semibold' : 'text-muted-foreground')}>
          {name || t('sample.choose')}
        </span>
      </div>
    </div>
  );
}
