import { Check, Download, MailCheck, MailX, Printer } from 'lucide-react';
import type { ReactNode } from 'react';
import { LocalErrorBoundary } from '@/components/local-error-boundary';
import { Sentences } from '@/components/sentences';
import { Button } from '@/components/ui/button';
import { useI18n } from '@/lib/i18n';
import { languageOfRemark } from '@/lib/sentence-language';
import { cn } from '@/lib/utils';
import { saveDocument } from '../save-document';
import type { GeneratedDocument } from '../tool';
import type { MailState } from '../use-generation';
import { TextDocument } from './text-document';

export interface FinishedColumnProps {
  title: string;
  document: GeneratedDocument<{ label: string; warnings: readonly string[] }>;
  mail: MailState;
  /** Shows the document as its text, under this label. */
  asText?: string;
  children?: ReactNode;
}

/**
 * A paid document: its file, which can be saved again for free, the remarks about it, and the
 * document itself (SPECIFICATION.md D24, D30).
 */
export default function FinishedColumn({ title, document, mail, asText, children }: FinishedColumnProps) {
  const { t, language } = useI18n();
  const { content } = document;
  const warnings = distinct([...document.warnings, ...(content?.warnings ?? [])], content?.label);
  const languages = warnings.map((warning) => languageOfRemark(warning, document.language) ?? language);
  return (
    <>
      <div className="flex flex-wrap items-center justify-between gap-3 print:hidden">
        <h2 className="flex items-center gap-2 text-xl font-bold">
          <Check
            aria-hidden="true"
            strokeWidth={3}
            className="size-6 text-success [&_path]:animate-tick [&_path]:[stroke-dasharray:24]"
          />
          {title}
        </h2>
        <div className="flex gap-2">
          <Button
            variant="soft"
            size="icon"
            aria-label={t('builder.print')}
            title={t('builder.print')}
            className="min-h-[46px]"
            onClick={() => {
              window.print();
            }}
          >
            <Printer aria-hidden="true" />
          </Button>
          <Button
            variant="outline"
            onClick={() => {
              saveDocument(document);
            }}
          >
            <Download aria-hidden="true" />
            {t('builder.downloadAgain')}
          </Button>
        </div>
      </div>
      <MailNote mail={mail} />
      {languages.some((remarked) => remarked !== language) ? (
        <p className="-mb-2 text-sm font-semibold print:hidden">{t('builder.remarks')}</p>
      ) : null}
      {warnings.map((warning, index) => (
        <p
          key={warning}
          lang={languages[index]}
          className="rounded-control bg-accent-soft px-4 py-3 text-sm print:hidden"
        >
          {warning}
        </p>
      ))}
      <LocalErrorBoundary fallback={asText ? null : <TextDocument label={title} document={document} />}>
        {children}
      </LocalErrorBoundary>
      {asText ? <TextDocument label={asText} document={document} /> : null}
    </>
  );
}

/**
 * Returns each remark once, even if the content has it
 * with non-breaking spaces, and without the label.
 */
function distinct(remarks: readonly string[], label = ''): string[] {
  const plain = (remark: string) => remark.replaceAll('\u00a0', ' ');
  const found = new Map(remarks.map((remark) => [plain(remark), remark]));
  found.delete(plain(label));
  return [...found.values()];
}

/** Says to which address the document was mailed, or why it was not. */
function MailNote({ mail }: { mail: MailState }) {
  const { t } = useI18n();
  if (mail.kind === 'none') return null;
  const failed = mail.kind === 'failed';
  return (
    <p
      className={cn(
        'flex items-center gap-2 rounded-control px-4 py-3 text-sm [overflow-wrap:anywhere] print:hidden',
        failed ? 'bg-destructive-soft' : 'bg-success-soft',
      )}
    >
      {failed ? (
        <MailX aria-hidden="true" className="size-5 shrink-0 text-destructive" />
      ) : (
        <MailCheck aria-hidden="true" className="size-5 shrink-0 text-success" />
      )}
      {failed ? (
        <span>
          <Sentences text={[t('builder.notMailed'), mail.reason].filter(Boolean).join(' ')} />
        </span>
      ) : (
        t('builder.mailedTo', { email: mail.to })
      )}
    </p>
  );
}
