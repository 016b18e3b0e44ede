import type { ReactNode } from 'react';
import { MarginArticle, MarginBlock } from '@/components/margin-article';
import { env } from '@/lib/env';
import type { Section } from '../section';

export function NumberedSections({ sections }: { sections: readonly Section[] }) {
  return (
    <MarginArticle>
      {sections.map(({ heading, paragraphs }, index) => (
        <MarginBlock key={heading} number={index + 1} heading={heading}>
          {paragraphs.map((paragraph) => (
            <p key={paragraph}>{withWholeAddress(withWholeNumbers(paragraph))}</p>
          ))}
        </MarginBlock>
      ))}
    </MarginArticle>
  );
}

/** Numbers stay on a line with what they count. */
function withWholeNumbers(paragraph: string): string {
  return paragraph.replace(/(\d) (?=\p{L})/gu, '$1\u00a0');
}

/** The address of the support, which a line may not tear at its hyphens. */
function withWholeAddress(paragraph: string): ReactNode {
  const address = env.supportEmail;
  if (!address || !paragraph.includes(address)) return paragraph;
  const [before, after] = paragraph.split(address);
  return (
    <>
      {before}
      <span className="inline-block">{address}</span>
      {after}
    </>
  );
}
