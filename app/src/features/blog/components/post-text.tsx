import { parsePost, type Block } from '../post-text';

/** The text of a post. Nothing in it can become markup (SPECIFICATION.md S-126, S-127). */
export function PostText({ content }: { content: string }) {
  return (
    <div className="text-lg leading-[1.65]">
      {parsePost(content).map((block, index) => (
        // A line has no identity except its position.
        <BlockOf key={index} block={block} />
      ))}
    </div>
  );
}

function BlockOf({ block }: { block: Block }) {
  switch (block.kind) {
    case 'heading':
      return block.level === 2 ? (
        <h2 className="pt-5 pb-1 text-[1.5rem] leading-snug font-bold">{block.text}</h2>
      ) : (
        <h3 className="pt-3 pb-0.5 text-xl leading-snug font-bold">{block.text}</h3>
      );
    case 'bold':
      return <p className="font-bold">{block.text}</p>;
    case 'break':
      return <div aria-hidden="true" className="h-3.5" />;
    case 'paragraph':
      return <p>{block.text}</p>;
  }
}
