import { Navigate } from 'react-router';
import { Brand } from '@/components/brand';
import { LoadingScreen } from '@/components/loading-screen';
import { Card } from '@/components/ui/card';
import { SignIn } from '@/features/auth/components/sign-in';
import { usePage } from '@/hooks/use-page';
import { env } from '@/lib/env';
import { useI18n } from '@/lib/i18n';
import { useSession } from '@/lib/session';

export default function AuthRoute() {
  const { t } = useI18n();
  const { session } = useSession();
  usePage(t('auth.title'), 'public', t('auth.description', { product: env.productName }));
  if (session.status === 'loading') return <LoadingScreen />;
  if (session.status === 'signed-in') return <Navigate to="/home" replace />;
  return (
    <main className="mx-auto flex min-h-screen w-full max-w-[26rem] flex-col justify-center px-6 py-10">
      <Brand to="/" />
      <Card className="mt-2.5 p-6">
        <SignIn />
      </Card>
      <p className="mt-4 text-muted-foreground">{t('auth.freeCredits')}</p>
    </main>
  );
}
