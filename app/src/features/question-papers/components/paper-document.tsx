import { PaperSheet } from '@/builder/components/paper-sheet';
import { useWords } from '@/builder/document-words';
import type { GeneratedDocument } from '@/builder/tool';
import { useI18n } from '@/lib/i18n';
import type { PaperDocument } from '../document-schema';
import { loadPaperWords } from '../paper-words';
import { PaperBody } from './paper-body';
import { PaperKey } from './paper-key';

/** The finished paper, from its structure, or its plain text if that is impossible. */
export default function PaperDocumentSheet({ paper }: { paper: GeneratedDocument<PaperDocument> }) {
  const { t } = useI18n();
  const words = useWords(loadPaperWords, paper.content?.language);
  const readable = paper.content && words !== null;
  return (
    <PaperSheet label={t('paper.document')} lang={paper.content?.language ?? paper.language}>
      {paper.content && words ? (
        <>
          <PaperBody paper={paper.content} words={words} />
          <PaperKey paper={paper.content} words={words} />
        </>
      ) : null}
      {readable ? null : <p className="whitespace-pre-wrap">{paper.text}</p>}
    </PaperSheet>
  );
}
