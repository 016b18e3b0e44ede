import { Link, Navigate } from 'react-router';
import { Brand } from '@/components/brand';
import { LanguageChoice } from '@/components/language-choice';
import { LoadingScreen } from '@/components/loading-screen';
import { Card } from '@/components/ui/card';
import { SignIn } from '@/features/auth/components/sign-in';
import { useOAuthError } from '@/features/auth/use-oauth-error';
import { usePageHead } from '@/hooks/use-page-head';
import { env } from '@/lib/env';
import { useI18n } from '@/lib/i18n';
import { useSession } from '@/lib/session';

const linkClasses =
  'inline-flex min-h-11 items-center rounded-control hover:text-foreground hover:underline underline-offset-4';

export default function AuthRoute() {
  const { t } = useI18n();
  const { session } = useSession();
  usePageHead(t('auth.title'), 'public', t('auth.description', { product: env.productName }));
  const isLeaving = session.status === 'signed-in';
  useOAuthError(isLeaving);
  if (session.status === 'loading') return <LoadingScreen />;
  if (isLeaving) return <Navigate to="/home" replace />;
  return (
    <main className="mx-auto flex min-h-screen w-full max-w-[26rem] flex-col justify-center px-6 py-10">
      <Brand to="/" />
      <Card className="mt-2.5 p-6">
        <SignIn />
      </Card>
      <p className="mt-4 text-muted-foreground">{t('auth.freeCredits')}</p>
      <div className="mt-5 flex flex-wrap items-center justify-between gap-x-5 gap-y-1 border-t border-border pt-4 text-sm text-muted-foreground">
        <LanguageChoice />
        <div className="flex flex-wrap gap-x-5">
          <Link to="/terms" className={linkClasses}>
            {t('footer.terms')}
          </Link>
          <Link to="/privacy" className={linkClasses}>
            {t('footer.privacy')}
          </Link>
        </div>
      </div>
    </main>
  );
}
