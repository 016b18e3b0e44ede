import { ArrowLeft, House } from 'lucide-react';
import type { ReactNode, SubmitEvent } from 'react';
import { Link, useNavigate } from 'react-router';
import { Button } from '@/components/ui/button';
import { Cost } from '@/components/cost';
import { useGoBack } from '@/hooks/use-go-back';
import { generationCost } from '@/lib/generation-cost';
import { useI18n } from '@/lib/i18n';

interface PreviewFrameProps {
  title: string;
  lead: string;
  /** Whether a Home button stands beside Back. */
  home?: boolean;
  /** Stands between the heading and the form. */
  steps?: ReactNode;
  action: string;
  /** Stands beside the button. */
  note: string;
  /** The paper beside the form. */
  paper: ReactNode;
  children: ReactNode;
}

/**
 * A form that anybody may fill in. Its button goes to /auth, whatever was typed. Nothing is sent,
 * either by this page or by the browser before hydration, because no control has a name
 * (SPECIFICATION.md S-073, S-074).
 */
export function PreviewFrame({
  title,
  lead,
  home = true,
  steps,
  action,
  note,
  paper,
  children,
}: PreviewFrameProps) {
  const { t } = useI18n();
  const navigate = useNavigate();
  const goBack = useGoBack('/');

  function start(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    void navigate('/auth');
  }

  return (
    <div className="page pt-2">
      <div className="flex flex-wrap gap-2 print:hidden">
        <Button asChild variant="ghost" className="-ml-3 px-3">
          <Link to="/" onClick={goBack}>
            <ArrowLeft aria-hidden="true" />
            {t('common.back')}
          </Link>
        </Button>
        {home ? (
          <Button asChild variant="ghost" className="px-3">
            <Link to="/">
              <House aria-hidden="true" />
              {t('public.home')}
            </Link>
          </Button>
        ) : null}
      </div>
      <h1 className="heading-condensed mt-2 text-[clamp(1.875rem,1.3rem+2.2vw,2.75rem)] leading-[1.14]">
        {title}
      </h1>
      <p className="mt-2 max-w-[38rem] text-lg text-balance text-muted-foreground">{lead}</p>
      {steps}
      <div className="mt-6 grid items-start gap-x-10 gap-y-8 lg:grid-cols-[minmax(0,1fr)_400px]">
        <form noValidate autoComplete="off" action="/auth" onSubmit={start}>
          {children}
          <div className="mt-2 ml-[31px] pl-3 md:ml-[50px] md:pl-[18px]">
            <Button type="submit" size="lg" className="w-full px-4 sm:w-auto sm:px-6">
              <span className="text-balance">
                {action} <Cost credits={generationCost} className="whitespace-nowrap opacity-85" />
              </span>
            </Button>
            <p className="mt-3 text-muted-foreground">{note}</p>
          </div>
        </form>
        <div className="lg:sticky lg:top-4">{paper}</div>
      </div>
    </div>
  );
}
