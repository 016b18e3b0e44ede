import { useEffect, useState, type SubmitEvent } from 'react';
import * as z from 'zod/mini';
import { BreakableAddress } from '@/components/breakable-address';
import { RetryButton } from '@/components/retry-button';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { Field } from '@/components/ui/field';
import { Input } from '@/components/ui/input';
import { Skeleton } from '@/components/ui/skeleton';
import { useLoadError } from '@/hooks/use-load-error';
import { formatDate } from '@/lib/dates';
import { useI18n } from '@/lib/i18n';
import { toast } from '@/lib/toast';
import { useAccount, type Account } from '../api/load-account';
import { useUpdateEmail } from '../api/update-email';
import { ConfirmEmailForm } from './confirm-email-form';

const emailSchema = z.email();
const shownIdLength = 8;

/**
 * Address, member since and account id. The address can
 * be changed (SPECIFICATION.md S-304 to S-308, S-313).
 */
export function ProfileCard({ userId }: { userId: string }) {
  const { t } = useI18n();
  const query = useAccount(userId);
  const { data: account, refetch } = query;
  const hasLoadError = useLoadError(query) !== null;

  useEffect(() => {
    if (hasLoadError) toast.error({ title: t('profilePage.loadFailed') });
  }, [hasLoadError, t]);

  if (hasLoadError) {
    return (
      <Card className="p-5">
        <p className="text-muted-foreground">{t('profilePage.loadFailed')}</p>
        <RetryButton onRetry={refetch} />
      </Card>
    );
  }
  if (!account) {
    return (
      <Card className="p-5">
        <p role="status" className="text-sm text-muted-foreground">
          {t('common.loading')}
        </p>
        <Skeleton className="mt-4 h-12" />
        <Skeleton className="mt-4 h-6 w-48" />
        <Skeleton className="mt-3 h-6 w-40" />
      </Card>
    );
  }
  return <Details account={account} />;
}

function Details({ account }: { account: Account }) {
  const { t } = useI18n();
  const [draft, setDraft] = useState<string | null>(null);
  const rows = [
    [t('profilePage.memberSince'), formatDate(account.memberSince)],
    [t('profilePage.accountId'), account.id.slice(0, shownIdLength)],
  ];
  return (
    <Card className="p-5">
      {draft === null ? (
        <>
          <p className="text-sm font-semibold">{t('profilePage.email')}</p>
          <p className="mt-1 text-lg">
            <BreakableAddress>{account.email}</BreakableAddress>
          </p>
        </>
      ) : (
        <EmailForm
          account={account}
          draft={draft}
          onDraft={setDraft}
          onDone={() => {
            setDraft(null);
          }}
        />
      )}
      <dl className="mt-5 divide-y divide-border border-y border-border">
        {rows.map(([term, value]) => (
          <div key={term} className="flex items-baseline justify-between gap-4 py-3">
            <dt className="text-muted-foreground">{term}</dt>
            <dd className="font-semibold tabular-nums">{value}</dd>
          </div>
        ))}
      </dl>
      {draft === null && account.newEmail ? (
        <ConfirmEmailForm
          key={account.newEmail}
          userId={account.id}
          addresses={[account.email, account.newEmail]}
        />
      ) : null}
      {draft === null ? (
        <Button
          variant="outline"
          className="mt-5"
          onClick={() => {
            setDraft(account.email);
          }}
        >
          {t('profilePage.edit')}
        </Button>
      ) : null}
    </Card>
  );
}

interface EmailFormProps {
  account: Account;
  draft: string;
  onDraft: (draft: string) => void;
  onDone: () => void;
}

function EmailForm({ account, draft, onDraft, onDone }: EmailFormProps) {
  const { t } = useI18n();
  const [error, setError] = useState<string>();
  const { mutateAsync: updateEmail, isPending } = useUpdateEmail(account.id);

  async function save(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    if (isPending) return;
    const email = emailSchema.safeParse(draft.trim());
    if (!email.success) {
      setError(t('profilePage.emailInvalid'));
      return;
    }
    if (email.data === account.email) {
      onDone();
      return;
    }
    try {
      const outcome = await updateEmail(email.data);
      toast.success({
        title: t('profilePage.updated'),
        ...(outcome === 'confirm' && { description: t('profilePage.confirm') }),
      });
      onDone();
    } catch (failure) {
      toast.error({
        title: t('profilePage.updateFailed'),
        ...(failure instanceof Error && failure.message && { description: failure.message }),
      });
    }
  }

  return (
    <form noValidate onSubmit={save}>
      <Field label={t('profilePage.email')} error={error}>
        {(control) => (
          <Input
            {...control}
            type="email"
            required
            autoComplete="email"
            maxLength={254}
            // The user opened the form to change this field, so it has the focus.
            // eslint-disable-next-line jsx-a11y/no-autofocus
            autoFocus
            value={draft}
            onChange={(event) => {
              setError(undefined);
              onDraft(event.target.value);
            }}
          />
        )}
      </Field>
      <div className="mt-4 flex flex-wrap gap-3">
        <Button type="submit" disabled={isPending}>
          {isPending ? t('profilePage.saving') : t('profilePage.save')}
        </Button>
        <Button variant="soft" disabled={isPending} onClick={onDone}>
          {t('common.cancel')}
        </Button>
      </div>
    </form>
  );
}
