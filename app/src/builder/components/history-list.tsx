import { Download } from 'lucide-react';
import { useState } from 'react';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { useI18n } from '@/lib/i18n';
import { formatTime } from '@/lib/dates';
import { toast } from '@/lib/toast';
import { useHistory, type PastDocument } from '../api/history';
import { saveDocument } from '../save-document';
import type { GeneratedDocument } from '../tool';

export interface HistoryListProps {
  functionName: string;
  userId: string;
  /** Reads a whole past document, or null. */
  fetchWhole: FetchWhole;
}

type FetchWhole = (id: string) => Promise<GeneratedDocument<unknown> | null>;

/**
 * The documents of the last 24 hours. Each can be saved again for free (SPECIFICATION.md D08).
 * Without any, nothing is shown.
 */
export default function HistoryList({ functionName, userId, fetchWhole }: HistoryListProps) {
  const { t } = useI18n();
  const { data: past } = useHistory(functionName, userId);
  if (!past?.length) return null;
  return (
    <Card className="px-[18px] py-4 print:hidden">
      <h2 className="text-lg font-bold">{t('history.title')}</h2>
      <p className="text-sm text-muted-foreground">{t('history.detail')}</p>
      <ul className="mt-1.5 divide-y divide-border">
        {past.map((document) => (
          <li key={document.id}>
            <PastRow past={document} fetchWhole={fetchWhole} />
          </li>
        ))}
      </ul>
    </Card>
  );
}

function PastRow({ past, fetchWhole }: { past: PastDocument; fetchWhole: FetchWhole }) {
  const { t } = useI18n();
  const [busy, setBusy] = useState(false);

  async function saveAgain() {
    setBusy(true);
    const document = await fetchWhole(past.id).catch(() => null);
    setBusy(false);
    if (document) saveDocument(document);
    else toast.error({ title: t('history.failed') });
  }

  return (
    <div className="flex items-center justify-between gap-3 py-1.5">
      <p className="min-w-0">
        <span className="line-clamp-2 leading-snug font-medium">{past.title}</span>
        <span className="text-sm text-muted-foreground tabular-nums">{formatTime(past.finishedAt)}</span>
      </p>
      <Button
        variant="ghost"
        size="icon"
        aria-label={t('history.save', { title: past.title })}
        disabled={busy}
        onClick={saveAgain}
      >
        <Download aria-hidden="true" />
      </Button>
    </div>
  );
}
