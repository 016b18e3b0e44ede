import { Download, Mail } from 'lucide-react';
import { useLayoutEffect, useRef, type MouseEvent } from 'react';
import { Cost } from '@/components/cost';
import { Button } from '@/components/ui/button';
import { useElapsedSeconds } from '@/hooks/use-elapsed-seconds';
import { useOnline } from '@/hooks/use-online';
import { useI18n, type MessageKey } from '@/lib/i18n';
import type { ChargeConfirmation } from '../use-confirm-before-charge';
import type { Activity, Delivery, MailState } from '../use-generation';
import type { BuilderSample } from '../use-sample';
import { ActionBar } from './action-bar';

interface GenerateActionsProps {
  builder: {
    activity: Activity;
    /** The empty required fields. The buttons are off until there are none. */
    missing: readonly MessageKey[];
    /** The checks of the form have not loaded. */
    loadFailed: boolean;
    /** The finished document belongs to the current form, so mailing it costs nothing more. */
    paidAlready: boolean;
    recoverable: boolean;
    finished: { mail: MailState } | null;
    sample: Pick<BuilderSample, 'isAwaited' | 'stopWaiting'>;
    generate: (delivery: Delivery, mayCharge: ChargeConfirmation['mayCharge']) => Promise<void>;
    cancel: () => Promise<void>;
  };
  confirmation: ChargeConfirmation;
  cost: number;
  /** The label of the button while nothing runs. */
  download: string;
  /**
   * The pressed button says Generating... or Sending... while its document is generated
   * (SPECIFICATION.md S-241).
   */
  progressInLabel?: boolean;
  /** What a press does. By default it generates the document. */
  onGenerate?: (delivery: Delivery) => Promise<void>;
}

/** Download and Send to Email with their price. While they run, the progress and Cancel. */
export function GenerateActions(props: GenerateActionsProps) {
  const { t } = useI18n();
  const { builder, confirmation, cost, download, progressInLabel } = props;
  const { onGenerate = (delivery: Delivery) => builder.generate(delivery, confirmation.mayCharge) } = props;
  const { activity, missing, loadFailed, sample } = builder;
  const deliveryRunning = progressInLabel && activity.kind === 'generating' ? activity.delivery : null;
  const busy = activity.kind !== 'idle' || sample.isAwaited || confirmation.estimating;
  const disabled = missing.length > 0 || loadFailed;
  const pressed = useRef<HTMLButtonElement | null>(null);

  // A disabled button loses the focus. The focus returns
  // to the pressed button, and dialogs return to it.
  useLayoutEffect(() => {
    if (!busy && document.activeElement === document.body) pressed.current?.focus();
  }, [busy]);

  function press(event: MouseEvent<HTMLButtonElement>, delivery: Delivery) {
    pressed.current = event.currentTarget;
    return onGenerate(delivery);
  }

  return (
    <>
      {missing.length > 0 ? <p className="mb-1 font-semibold">{t('builder.incomplete')}</p> : null}
      <p className="text-muted-foreground">{t(hintOf(builder), { cost })}</p>
      <ActionBar missing={missing}>
        {activity.kind === 'generating' ? <Progress activity={activity} onCancel={builder.cancel} /> : null}
        {sample.isAwaited ? <WaitingForSample onCancel={sample.stopWaiting} /> : null}
        <div className="grid grid-cols-[1fr_auto] gap-2.5 md:mt-4 md:flex md:flex-wrap md:gap-3">
          <Button
            disabled={busy || disabled}
            className="px-3 leading-5 md:px-5 max-[400px]:[&>svg]:hidden"
            onClick={(event) => press(event, 'download')}
          >
            <Download aria-hidden="true" />
            <span>
              {deliveryRunning === 'download' ? t('builder.generating') : download}{' '}
              <Price builder={builder} cost={cost} delivery="download" />
            </span>
          </Button>
          <Button
            variant="outline"
            disabled={busy || disabled}
            className="px-3 leading-5 whitespace-nowrap md:px-5 max-[400px]:[&>svg]:hidden"
            onClick={(event) => press(event, 'email')}
          >
            <Mail aria-hidden="true" />
            <span>
              {deliveryRunning === 'email' || activity.kind === 'sending'
                ? t('builder.sendingEmail')
                : t('builder.email')}{' '}
              <Price builder={builder} cost={cost} delivery="email" />
            </span>
          </Button>
        </div>
      </ActionBar>
    </>
  );
}

interface PriceProps {
  builder: Pick<GenerateActionsProps['builder'], 'paidAlready' | 'recoverable' | 'finished'>;
  cost: number;
  delivery: Delivery;
}

/**
 * The price of a press. Mailing a paid document, saving one whose mail failed, and fetching a
 * charged one are free.
 */
export function Price({ builder, cost, delivery }: PriceProps) {
  const { t } = useI18n();
  const { paidAlready, recoverable, finished } = builder;
  const paid = paidAlready && (delivery === 'email' || finished?.mail.kind === 'failed');
  if (paid || recoverable) return <span className="sr-only">({t('builder.free')})</span>;
  return <Cost credits={cost} className="whitespace-nowrap" />;
}

/** Returns the key of the hint about the price of the next document. */
export function hintOf({
  paidAlready,
  recoverable,
}: Pick<GenerateActionsProps['builder'], 'paidAlready' | 'recoverable'>) {
  if (recoverable) return 'builder.recoverable';
  return paidAlready ? 'builder.paidHint' : 'builder.costHint';
}

/** Says that the press waits until the sample is uploaded, and offers Cancel. */
function WaitingForSample({ onCancel }: { onCancel: () => void }) {
  const { t } = useI18n();
  return (
    <div className="mb-2.5 flex items-center justify-between gap-3 md:mt-4 md:mb-0">
      <p role="status" className="min-w-0 font-semibold">
        {t('sample.awaited')}
      </p>
      <Button variant="soft" onClick={onCancel}>
        {t('common.cancel')}
      </Button>
    </div>
  );
}

interface ProgressProps {
  activity: Extract<Activity, { kind: 'generating' }>;
  onCancel: () => Promise<void>;
}

/** Says what is going on and for how long, and offers Cancel. */
export function Progress({ activity, onCancel }: ProgressProps) {
  const { t, tn } = useI18n();
  const seconds = useElapsedSeconds(activity.startedAt);
  const online = useOnline();
  return (
    <div className="mb-2.5 flex items-center justify-between gap-3 md:mt-4 md:mb-0">
      <div className="min-w-0">
        <p role="status" className="font-semibold">
          {t(progressOf(activity, online))}
        </p>
        <p className="text-sm text-muted-foreground tabular-nums">{tn('builder.elapsed', seconds)}</p>
      </div>
      <Button variant="soft" disabled={activity.cancelling} onClick={onCancel}>
        {t('common.cancel')}
      </Button>
    </div>
  );
}

function progressOf(activity: ProgressProps['activity'], online: boolean) {
  if (!online) return 'builder.offline';
  return activity.reconnecting ? 'builder.reconnecting' : 'builder.writing';
}
