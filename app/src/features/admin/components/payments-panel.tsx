import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { BreakableAddress } from '@/components/breakable-address';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { ConfirmDialog } from '@/components/ui/confirm-dialog';
import { Field } from '@/components/ui/field';
import { Input } from '@/components/ui/input';
import { useLoadError } from '@/hooks/use-load-error';
import { formatTime } from '@/lib/dates';
import { useI18n } from '@/lib/i18n';
import { formatNumber, formatRupees } from '@/lib/money';
import { toast } from '@/lib/toast';
import { creditsOf, type AdminUser } from '../admin-user';
import { adminKeys } from '../api/keys';
import { settlePayment, usePendingPayments, type PendingPayment, type Settlement } from '../api/payments';
import { useRowsInPlace } from '../use-rows-in-place';
import { ListEmpty, ListFailed, ListLoading } from './panel-state';

/** The limit of the database. */
const longestReason = 300;

type Question = { approve: boolean; payment: PendingPayment };

/**
 * The payments that somebody must find in the bank account
 * (SPECIFICATION.md D11). They do not wait for the list of users, which only
 * adds names. Until then a payer is shown by the beginning of the id.
 */
export function PaymentsPanel({ users }: { users: readonly AdminUser[] | undefined }) {
  const { t, tn } = useI18n();
  const client = useQueryClient();
  const query = usePendingPayments();
  const { data: payments, refetch } = query;
  const loadError = useLoadError(query);
  const { rows, remove } = useRowsInPlace(payments, keyOf);
  const [question, setQuestion] = useState<Question | null>(null);
  const emailOf = users && new Map(users.map(({ id, email }) => [id, email]));
  const payer = ({ user_id }: PendingPayment) =>
    emailOf ? (emailOf.get(user_id) ?? t('admin.deletedAccount')) : user_id.slice(0, 8);

  async function settle(payment: PendingPayment, settlement: Settlement) {
    try {
      await settlePayment(payment, settlement);
      remove(keyOf(payment));
      toast.success({
        title:
          'credits' in settlement
            ? t('admin.approved', { credits: formatNumber(settlement.credits) })
            : t('admin.rejected'),
      });
    } catch (error) {
      const description = error instanceof Error ? error.message : '';
      toast.error({ title: t('admin.settleFailed'), ...(description && { description }) });
    }
    await client.invalidateQueries({ queryKey: adminKeys.all });
  }

  if (loadError) return <ListFailed onRetry={refetch} />;
  if (!payments) return <ListLoading />;
  return (
    <>
      <p role="status" className="sr-only">
        {tn('admin.waitingCount', payments.length)}
      </p>
      {rows.length === 0 ? (
        <ListEmpty>{t('admin.noPayments')}</ListEmpty>
      ) : (
        <h2 className="text-lg font-bold">{t('admin.waiting')}</h2>
      )}
      <ul className="grid gap-3 md:grid-cols-2">
        {rows.map(({ key, row: payment, gone }) => (
          <li key={key}>
            <PaymentCard
              payment={payment}
              payer={payer(payment)}
              onAsk={setQuestion}
              onRemove={
                gone
                  ? () => {
                      remove(key);
                    }
                  : undefined
              }
            />
          </li>
        ))}
      </ul>
      {question ? (
        <SettleDialog
          {...question}
          payer={payer(question.payment)}
          onSettle={(settlement) => settle(question.payment, settlement)}
          onClose={() => {
            setQuestion(null);
          }}
        />
      ) : null}
    </>
  );
}

function keyOf({ user_id, transaction_id }: PendingPayment): string {
  return `${user_id} ${transaction_id}`;
}

interface PaymentCardProps {
  payment: PendingPayment;
  payer: string;
  onAsk: (question: Question) => void;
  /** Only for a payment that was settled elsewhere meanwhile. */
  onRemove: (() => void) | undefined;
}

function PaymentCard({ payment, payer, onAsk, onRemove }: PaymentCardProps) {
  const { t, tn } = useI18n();
  const amount = formatRupees(payment.amount);
  return (
    <Card className="flex h-full flex-col p-4">
      <p className="flex items-baseline justify-between gap-3">
        <span className="text-2xl font-heavy tabular-nums">{amount}</span>
        <span className="text-sm text-muted-foreground tabular-nums">
          {tn('common.credits', payment.credits)}
        </span>
      </p>
      <p className="mt-1 font-medium">
        <BreakableAddress>{payer}</BreakableAddress>
      </p>
      <dl className="mt-2 grid grid-cols-[auto_1fr] gap-x-4 text-sm">
        <dt className="text-muted-foreground">{t('admin.phone')}</dt>
        <dd className="text-right tabular-nums">{payment.phone_number ?? '–'}</dd>
        <dt className="text-muted-foreground">{t('admin.reported')}</dt>
        <dd className="text-right tabular-nums">{formatTime(new Date(payment.created_at))}</dd>
      </dl>
      <p className="mt-1 text-sm text-muted-foreground [overflow-wrap:anywhere]">{payment.transaction_id}</p>
      <DuplicateReportWarning payment={payment} />
      <div className="mt-4 flex flex-1 items-end gap-2">
        <Button
          // The same button with another label, so that it keeps the focus.
          variant={onRemove ? 'soft' : 'default'}
          className="flex-1"
          aria-label={onRemove ? undefined : t('admin.approveFor', { amount, email: payer })}
          onClick={() => {
            if (onRemove) onRemove();
            else onAsk({ approve: true, payment });
          }}
        >
          {t(onRemove ? 'admin.removeFromList' : 'admin.approve')}
        </Button>
        {onRemove ? (
          <p className="flex-1 self-center text-center text-sm font-medium">{t('admin.settledElsewhere')}</p>
        ) : (
          <Button
            variant="soft"
            className="flex-1"
            aria-label={t('admin.rejectFor', { amount, email: payer })}
            onClick={() => {
              onAsk({ approve: false, payment });
            }}
          >
            {t('admin.reject')}
          </Button>
        )}
      </div>
    </Card>
  );
}

/** An id belongs to its payer, so the same payment may be reported by two accounts. */
function DuplicateReportWarning({ payment }: { payment: PendingPayment }) {
  const { t } = useI18n();
  if (!payment.reported_by_others) return null;
  return <p className="mt-2 text-sm font-medium text-destructive">{t('admin.reportedByOthers')}</p>;
}

interface SettleDialogProps extends Question {
  payer: string;
  onSettle: (settlement: Settlement) => Promise<void>;
  onClose: () => void;
}

/** An approval has at most the credits of the payment. A rejection has a reason. */
function SettleDialog({ approve, payment, payer, onSettle, onClose }: SettleDialogProps) {
  const { t } = useI18n();
  const [text, setText] = useState(approve ? String(payment.credits) : '');
  const settlement = approve ? approvalOf(text, payment) : rejectionOf(text);
  const label = approve
    ? t('admin.creditsToGive', { credits: formatNumber(payment.credits) })
    : t('admin.rejectionReason');
  return (
    <ConfirmDialog
      title={t(approve ? 'admin.approveTitle' : 'admin.rejectTitle')}
      detail={t('admin.approveDetail', {
        amount: formatRupees(payment.amount),
        email: payer,
        id: payment.transaction_id,
      })}
      confirm={t(approve ? 'admin.approve' : 'admin.reject')}
      destructive={!approve}
      disabled={settlement === null}
      onConfirm={async () => {
        if (settlement) await onSettle(settlement);
      }}
      onClose={onClose}
    >
      <DuplicateReportWarning payment={payment} />
      <Field label={label} className="mt-4">
        {(control) => (
          <Input
            {...control}
            {...(approve && { inputMode: 'numeric' })}
            maxLength={approve ? 6 : longestReason}
            value={text}
            onChange={(event) => {
              setText(event.target.value);
            }}
          />
        )}
      </Field>
    </ConfirmDialog>
  );
}

function approvalOf(text: string, payment: PendingPayment): Settlement | null {
  const credits = creditsOf(text);
  return credits !== null && credits <= payment.credits ? { credits } : null;
}

function rejectionOf(text: string): Settlement | null {
  const reason = text.trim();
  return reason ? { reason } : null;
}
