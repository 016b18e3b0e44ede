import { useState } from 'react';
import { useI18n } from '@/lib/i18n';
import { toast } from '@/lib/toast';
import { continueWithGoogle, sendCode, verifyCode } from '../api/sign-in';
import { savePendingCode, pendingCodeEmail, clearPendingCode } from '../pending-code';
import { ChoiceStep } from './choice-step';
import { CodeStep } from './code-step';
import { EmailStep } from './email-step';

type Step = 'choice' | 'email' | 'otp';

/** The three steps of signing in: choice, email, otp (SPECIFICATION.md S-132 to S-145). */
export function SignIn() {
  const { t } = useI18n();
  const [awaited] = useState(() => pendingCodeEmail(Date.now()));
  const [step, setStep] = useState<Step>(awaited === undefined ? 'choice' : 'otp');
  const [email, setEmail] = useState(awaited ?? '');
  const [isBack, setIsBack] = useState(false);

  async function send(address: string) {
    setEmail(address);
    const result = await sendCode(address);
    if (result.ok) {
      savePendingCode(address, Date.now());
      toast.success({ title: t('auth.sent'), description: t('auth.sentDetail') });
    } else {
      toast.error({ title: t('common.error'), description: result.message ?? t('auth.sendFailed') });
    }
    // If another mail is requested too early, the earlier code still needs its field.
    if (result.ok || result.isTooEarly) setStep('otp');
  }

  async function verify(code: string): Promise<string | undefined> {
    const result = await verifyCode(email, code);
    if (result.ok) {
      clearPendingCode();
      return undefined;
    }
    const problem = result.message ?? t('auth.verifyFailed');
    toast.error({ title: t('common.error'), description: problem });
    return problem;
  }

  async function google() {
    try {
      const result = await continueWithGoogle();
      if (!result.ok) toast.error({ title: t('auth.googleFailed'), description: result.message });
    } catch {
      toast.error({ title: t('common.error'), description: t('common.unexpected') });
    }
  }

  if (step === 'choice') {
    return (
      <ChoiceStep
        isBack={isBack}
        onEmail={() => {
          setStep('email');
        }}
        onGoogle={google}
      />
    );
  }
  if (step === 'email') {
    return (
      <EmailStep
        email={email}
        onSubmit={send}
        onBack={(typed) => {
          setEmail(typed);
          setIsBack(true);
          setStep('choice');
        }}
      />
    );
  }
  return (
    <CodeStep
      email={email}
      onSubmit={verify}
      onResend={() => send(email)}
      onChangeEmail={() => {
        clearPendingCode();
        setStep('email');
      }}
    />
  );
}
