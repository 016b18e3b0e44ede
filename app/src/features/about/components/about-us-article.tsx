import { MarginArticle, MarginBlock } from '@/components/margin-article';
import { useI18n } from '@/lib/i18n';
import { aboutUsChapters, aboutUsFeatures } from '../about-us';

export function AboutUsArticle() {
  const { t } = useI18n();
  return (
    <>
      <MarginArticle>
        {aboutUsChapters.map(({ heading, paragraphs }) => (
          <MarginBlock key={heading} heading={t(heading)}>
            {paragraphs.map((paragraph) => (
              <p key={paragraph}>{t(paragraph)}</p>
            ))}
          </MarginBlock>
        ))}
      </MarginArticle>
      <section aria-labelledby="features-heading" className="page py-8">
        <h2 id="features-heading" className="heading-condensed text-title">
          {t('aboutUs.features')}
        </h2>
        <ol className="mt-5 grid gap-3.5 md:grid-cols-3 md:gap-4">
          {aboutUsFeatures.map(({ title, text }, index) => (
            <li key={title} className="rounded-card border border-border bg-card p-5 shadow-card">
              <span aria-hidden="true" className="heading-condensed text-2xl text-muted-foreground">
                {index + 1}.
              </span>
              <h3 className="mt-1 text-xl font-bold">{t(title)}</h3>
              <p className="mt-1.5 text-muted-foreground">{t(text)}</p>
            </li>
          ))}
        </ol>
      </section>
    </>
  );
}
