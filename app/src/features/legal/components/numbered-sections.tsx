import { MarginArticle, MarginBlock } from '@/components/margin-article';
import type { Section } from '../section';

export function NumberedSections({ sections }: { sections: readonly Section[] }) {
  return (
    <MarginArticle>
      {sections.map(({ heading, paragraphs }, index) => (
        <MarginBlock key={heading} number={index + 1} heading={heading}>
          {paragraphs.map((paragraph) => (
            <p key={paragraph}>{paragraph}</p>
          ))}
        </MarginBlock>
      ))}
    </MarginArticle>
  );
}
