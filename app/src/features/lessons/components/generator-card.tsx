import { Download, Mail } from 'lucide-react';
import { useLayoutEffect, useRef, type MouseEvent, type ReactNode } from 'react';
import { Cost } from '@/components/cost';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { useElapsedSeconds } from '@/hooks/use-elapsed-seconds';
import { useOnline } from '@/hooks/use-online';
import { useI18n } from '@/lib/i18n';
import type { Activity, Delivery } from '../use-lesson-plan';
import { ActionBar } from './action-bar';

interface GeneratorCardProps {
  cost: number;
  activity: Activity;
  /** The finished plan belongs to the form as it stands: mailing it costs nothing more. */
  paidAlready: boolean;
  /** An earlier request was charged and its result can still be fetched. */
  recoverable: boolean;
  /** What is known beforehand of the plan. */
  forecast: ReactNode;
  onGenerate: (delivery: Delivery) => Promise<void>;
  onCancel: () => Promise<void>;
}

export function GeneratorCard(props: GeneratorCardProps) {
  const { t } = useI18n();
  const { activity, cost, paidAlready, recoverable, forecast, onGenerate, onCancel } = props;
  const busy = activity.kind !== 'idle';
  const pressed = useRef<HTMLButtonElement | null>(null);

  // A disabled button loses the focus: it comes back to the button that was pressed, and dialogs return to it.
  useLayoutEffect(() => {
    if (!busy && document.activeElement === document.body) pressed.current?.focus();
  }, [busy]);

  function press(event: MouseEvent<HTMLButtonElement>, delivery: Delivery) {
    pressed.current = event.currentTarget;
    return onGenerate(delivery);
  }

  return (
    <Card className="p-4 sm:p-5">
      {forecast}
      <p className="text-muted-foreground">{t(hintOf(props), { cost })}</p>
      <ActionBar>
        {activity.kind === 'generating' ? <Progress activity={activity} onCancel={onCancel} /> : null}
        <div className="grid grid-cols-[1.5fr_1fr] gap-2.5 md:mt-4 md:flex md:flex-wrap md:gap-3">
          <Button
            disabled={busy}
            className="px-3 leading-5 md:px-5"
            onClick={(event) => press(event, 'download')}
          >
            <Download aria-hidden="true" />
            <span>
              {t('lesson.download')}{' '}
              {recoverable ? null : <Cost credits={cost} className="whitespace-nowrap" />}
            </span>
          </Button>
          <Button
            variant="outline"
            disabled={busy}
            className="px-3 leading-5 md:px-5"
            onClick={(event) => press(event, 'email')}
          >
            <Mail aria-hidden="true" />
            <span>
              {activity.kind === 'sending' ? t('lesson.sendingEmail') : t('lesson.email')}
              {paidAlready ? <span className="sr-only"> ({t('lesson.free')})</span> : null}
            </span>
          </Button>
        </div>
      </ActionBar>
    </Card>
  );
}

function hintOf({ paidAlready, recoverable }: GeneratorCardProps) {
  if (recoverable) return 'lesson.recoverable';
  return paidAlready ? 'lesson.paidHint' : 'lesson.costHint';
}

interface ProgressProps {
  activity: Extract<Activity, { kind: 'generating' }>;
  onCancel: () => Promise<void>;
}

function Progress({ activity, onCancel }: ProgressProps) {
  const { t, tn } = useI18n();
  const seconds = useElapsedSeconds(activity.startedAt);
  const online = useOnline();
  return (
    <div className="mb-2.5 flex items-center justify-between gap-3 md:mt-4 md:mb-0">
      <div className="min-w-0">
        <p role="status" className="font-semibold">
          {t(progressOf(activity, online))}
        </p>
        <p className="text-sm text-muted-foreground tabular-nums">{tn('lesson.elapsed', seconds)}</p>
      </div>
      <Button variant="soft" disabled={activity.cancelling} onClick={onCancel}>
        {t('common.cancel')}
      </Button>
    </div>
  );
}

function progressOf(activity: ProgressProps['activity'], online: boolean) {
  if (!online) return 'lesson.offline';
  return activity.reconnecting ? 'lesson.reconnecting' : 'lesson.writing';
}
