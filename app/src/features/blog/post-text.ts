/** The kinds of lines in a post (SPECIFICATION.md S-126). */
export type Block =
  | { kind: 'heading'; level: 2 | 3; text: string }
  | { kind: 'bold' | 'paragraph'; text: string }
  | { kind: 'break' };

/**
 * Parses a post line by line. `## ` and `### ` begin headings, a line in `**` is bold, an empty
 * line is a break, and every other line is a paragraph. Nothing in a post is markup (S-127).
 */
export function parsePost(content: string): Block[] {
  return content.trim().split(/\r?\n/).map(parseLine);
}

function parseLine(line: string): Block {
  const text = line.trim();
  if (text === '') return { kind: 'break' };
  if (text.startsWith('### ')) return { kind: 'heading', level: 3, text: text.slice(4).trim() };
  if (text.startsWith('## ')) return { kind: 'heading', level: 2, text: text.slice(3).trim() };
  const bold = /^\*\*(.+)\*\*$/.exec(text)?.[1];
  if (bold !== undefined && !bold.includes('**')) return { kind: 'bold', text: bold };
  return { kind: 'paragraph', text };
}

/** Returns a text without the marks of headings and bold lines. */
export function withoutMarks(text: string): string {
  return text.replace(/^\s*#{2,3} /gm, '').replaceAll('**', '');
}

const excerptLength = 150;

/**
 * Returns the first 150 characters, and three dots if the content goes on (SPECIFICATION.md S-121).
 */
export function excerptOf(content: string): string {
  const characters = Array.from(content);
  if (characters.length <= excerptLength) return content;
  return `${characters.slice(0, excerptLength).join('')}...`;
}
