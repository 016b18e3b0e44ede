import { Card } from '@/components/ui/card';
import { useLoadError } from '@/hooks/use-load-error';
import { formatTime } from '@/lib/dates';
import { useI18n, type MessageKey } from '@/lib/i18n';
import { useRecentGenerations, type RecentGeneration } from '../api/generations';
import { ListEmpty, ListFailed, ListLoading } from './panel-state';

const tools: Readonly<Partial<Record<string, MessageKey>>> = {
  'generate-lesson-plan': 'admin.lessonPlan',
  'generate-question-paper': 'admin.questionPaper',
  'generate-teaching-aids': 'admin.teachingAids',
  'generate-communication': 'admin.communication',
};

const statusTexts: Readonly<Partial<Record<string, MessageKey>>> = {
  running: 'admin.running',
  finished: 'admin.finished',
  failed: 'admin.failedStatus',
  cancelled: 'admin.cancelled',
  expired: 'admin.expired',
};

/**
 * The generations of the last 24 hours: for whom, how,
 * and with which outcome, but never their content.
 */
export function GenerationsPanel() {
  const { t } = useI18n();
  // A tool that is newer than this screen has its own name.
  const textOr = (key: MessageKey | undefined, name: string) => (key ? t(key) : name);
  const query = useRecentGenerations();
  const { data: generations, refetch } = query;
  const loadError = useLoadError(query);
  if (loadError) return <ListFailed onRetry={refetch} />;
  if (!generations) return <ListLoading />;
  if (generations.length === 0) return <ListEmpty>{t('admin.noGenerations')}</ListEmpty>;
  const heads = [
    t('admin.started'),
    t('admin.email'),
    t('admin.tool'),
    t('admin.status'),
    t('admin.seconds'),
    t('admin.written'),
  ];
  return (
    <Card
      className="scroll-hint max-h-[75vh] overflow-auto"
      role="region"
      aria-label={t('admin.generations')}
      // A scrolling region must be reachable by keyboard.
      tabIndex={0}
    >
      <table className="w-full min-w-[48rem] border-collapse text-sm whitespace-nowrap">
        <thead className="sticky top-0 bg-muted text-left">
          <tr>
            {heads.map((head) => (
              <th key={head} scope="col" className="px-3 py-2.5 font-semibold">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {generations.map((generation) => (
            <tr key={generation.id} className="border-t border-border">
              <td className="px-3 py-2 tabular-nums">{formatTime(new Date(generation.started_at))}</td>
              <td className="px-3 py-2">{generation.email ?? t('admin.deletedAccount')}</td>
              <td className="px-3 py-2">{textOr(tools[generation.tool], generation.tool)}</td>
              <td className="px-3 py-2 font-semibold">
                {textOr(statusTexts[generation.status], generation.status)}
              </td>
              <td className="px-3 py-2 tabular-nums">{secondsOf(generation)}</td>
              <td className="px-3 py-2">{t(generation.model_backed ? 'admin.model' : 'admin.builtIn')}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Card>
  );
}

function secondsOf({ started_at, finished_at }: RecentGeneration): string {
  if (!finished_at) return '–';
  return ((Date.parse(finished_at) - Date.parse(started_at)) / 1_000).toFixed(1);
}
