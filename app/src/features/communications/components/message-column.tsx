import { Copy } from 'lucide-react';
import { FinishedDocument } from '@/builder/components/finished-document';
import { History } from '@/builder/components/history';
import { useWords, word } from '@/builder/document-words';
import type { Activity, Finished } from '@/builder/use-generation';
import { Button } from '@/components/ui/button';
import { copyText } from '@/lib/copy-text';
import { formatDateWithWeekday } from '@/lib/dates';
import { useI18n } from '@/lib/i18n';
import { toast } from '@/lib/toast';
import { cn } from '@/lib/utils';
import { communicationTool } from '../communication-tool';
import { loadMessageWords } from '../message-words';
import type { CommunicationForm } from '../schema';

interface MessageColumnProps {
  values: CommunicationForm;
  /** The language of the message, as ISO 639-1. */
  language: string;
  activity: Activity;
  finished: Finished<CommunicationForm, never> | null;
  userId: string;
}

/** The preview of the message: a bubble for WhatsApp, a sheet for the others. */
export function MessageColumn({ values, language, activity, finished, userId }: MessageColumnProps) {
  const { t } = useI18n();
  const generating = activity.kind === 'generating';
  if (finished && !generating) {
    return (
      <FinishedDocument
        title={t('message.ready')}
        document={finished.document}
        mail={finished.mail}
        asText={t('message.document')}
      >
        <CopyText text={finished.document.text} />
      </FinishedDocument>
    );
  }
  return (
    <>
      <BlankMessage values={values} language={language} writing={generating} />
      <History tool={communicationTool} userId={userId} />
    </>
  );
}

function CopyText({ text }: { text: string }) {
  const { t } = useI18n();
  async function copy() {
    if (await copyText(text)) toast.success({ title: t('message.copied') });
  }
  return (
    <Button variant="soft" className="justify-self-start print:hidden" onClick={copy}>
      <Copy aria-hidden="true" />
      {t('message.copy')}
    </Button>
  );
}

interface BlankMessageProps {
  values: CommunicationForm;
  language: string;
  writing: boolean;
}

function BlankMessage({ values, language, writing }: BlankMessageProps) {
  const { t } = useI18n();
  const words = useWords(loadMessageWords, language);
  const bubble = values.communicationType === 'whatsapp';
  const audience = values.targetAudience.trim() || '__________';
  const day = values.eventDate ? formatDateWithWeekday(values.eventDate, language) : '__________';
  return (
    <section
      aria-label={t('builder.preview')}
      className={cn(
        'bg-paper px-[22px] py-6 text-[0.9375rem] text-paper-ink shadow-paper',
        bubble ? 'mr-8 rounded-card rounded-tl-none' : 'rounded-paper font-document',
      )}
    >
      <h2 className={cn('text-[1.0625rem] leading-snug font-bold', !bubble && 'text-center')}>
        {values.schoolName.trim() || t('message.school')}
      </h2>
      <p lang={words ? language : undefined} className="mt-2 flex flex-wrap justify-between gap-x-4">
        <span className="min-w-0 [overflow-wrap:anywhere]">
          {words ? `${word(words, bubble ? 'for' : 'to')}: ${audience}` : t('message.to', { audience })}
        </span>
        <span className="shrink-0">{day}</span>
      </p>
      <p className="mt-2 font-bold [overflow-wrap:anywhere]">
        {values.purpose.trim() || t('message.purpose')}
      </p>
      {[0, 1, 2, 3].map((line) => (
        <span
          key={line}
          aria-hidden="true"
          className={cn('mt-6 block border-b border-paper-rule', writing && 'animate-breathe')}
        />
      ))}
      <p className="mt-6 [overflow-wrap:anywhere]">{values.senderName.trim() || t('message.senderName')}</p>
      <p className="text-paper-muted [overflow-wrap:anywhere]">
        {values.senderRole.trim() || t('message.senderRole')}
      </p>
      {values.signature.trim() ? <p className="mt-1 italic">{values.signature.trim()}</p> : null}
    </section>
  );
}
