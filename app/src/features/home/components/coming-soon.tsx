import { useI18n } from '@/lib/i18n';
import { toast } from '@/lib/toast';
import { comingSoonTools } from '@/lib/tools';

export function ComingSoon() {
  const { t } = useI18n();
  return (
    <section aria-labelledby="coming-soon">
      <h2 id="coming-soon" className="text-xl font-bold">
        {t('tools.comingSoon')}
      </h2>
      <ul className="mt-3 grid grid-cols-2 gap-2.5 md:grid-cols-4">
        {comingSoonTools.map((name) => (
          <li key={name}>
            <button
              type="button"
              onClick={() => {
                toast.plain({ title: t(name), description: t('tools.availableSoon', { tool: t(name) }) });
              }}
              className="flex min-h-14 size-full items-center rounded-card border border-dashed border-input px-3.5 py-2 text-left leading-snug font-semibold text-muted-foreground hover:bg-muted hover:text-foreground"
            >
              {t(name)}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
