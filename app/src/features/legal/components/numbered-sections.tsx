import type { ReactNode } from 'react';
import { MarginArticle, MarginBlock } from '@/components/margin-article';
import { env } from '@/lib/env';
import { withNonBreakingNumbers } from '@/lib/non-breaking-numbers';
import type { Section } from '../section';

export function NumberedSections({ sections }: { sections: readonly Section[] }) {
  return (
    <MarginArticle>
      {sections.map(({ heading, paragraphs }, index) => (
        <MarginBlock key={heading} number={index + 1} heading={heading}>
          {paragraphs.map((paragraph) => (
            <p key={paragraph}>{withNonBreakingAddress(withNonBreakingNumbers(paragraph))}</p>
          ))}
        </MarginBlock>
      ))}
    </MarginArticle>
  );
}

/** The support address must not break at its hyphens. */
function withNonBreakingAddress(paragraph: string): ReactNode {
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
