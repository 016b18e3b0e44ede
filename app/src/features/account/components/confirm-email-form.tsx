import { useState, type SubmitEvent } from 'react';
import { Button } from '@/components/ui/button';
import { Field } from '@/components/ui/field';
import { Input } from '@/components/ui/input';
import { useI18n } from '@/lib/i18n';
import { toast } from '@/lib/toast';
import { useConfirmEmail } from '../api/confirm-email';

const codeLength = 6;

interface ConfirmEmailFormProps {
  userId: string;
  /** The old and the new address. A code was sent to each. */
  addresses: readonly string[];
}

/** Both addresses must be confirmed before the new one counts (SPECIFICATION.md S-307, D31). */
export function ConfirmEmailForm({ userId, addresses }: ConfirmEmailFormProps) {
  const { t } = useI18n();
  const [codes, setCodes] = useState<Readonly<Partial<Record<string, string>>>>({});
  const [taken, setTaken] = useState<readonly string[]>([]);
  const open = addresses.filter((email) => !taken.includes(email));
  const { mutateAsync: confirm, isPending } = useConfirmEmail(userId, (email) => {
    setTaken((before) => [...before, email]);
  });
  const complete = open.flatMap((email) => {
    const code = codes[email] ?? '';
    return code.length === codeLength ? [{ email, code }] : [];
  });
  // After a reload the page does not know of a code that
  // was accepted before. Then the other code is enough.
  const canConfirm = complete.length > 0 && !isPending;

  async function submit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    if (!canConfirm) return;
    try {
      const outcome = await confirm(complete);
      toast.success({ title: t(outcome === 'half' ? 'profilePage.codeTaken' : 'profilePage.updated') });
    } catch (failure) {
      const description = failure instanceof Error ? failure.message : undefined;
      toast.error({ title: t('profilePage.codeRefused'), ...(description && { description }) });
    }
  }

  return (
    <form noValidate onSubmit={submit} className="mt-5 rounded-control bg-muted p-4 [overflow-wrap:anywhere]">
      <p className="text-sm">{t('profilePage.confirm')}</p>
      {open.map((email) => (
        <div key={email} className="mt-3">
          <Field label={t('profilePage.codeSentTo', { email })}>
            {(control) => (
              <Input
                {...control}
                inputMode="numeric"
                autoComplete="one-time-code"
                value={codes[email] ?? ''}
                onChange={(event) => {
                  const code = event.target.value.replace(/\D/g, '').slice(0, codeLength);
                  setCodes((before) => ({ ...before, [email]: code }));
                }}
              />
            )}
          </Field>
        </div>
      ))}
      <Button type="submit" className="mt-4" disabled={!canConfirm}>
        {isPending ? t('profilePage.confirming') : t('profilePage.confirmAddress')}
      </Button>
    </form>
  );
}
