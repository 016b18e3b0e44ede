/** The fixed words of a lesson plan, in the language of the document rather than of the interface. */
const english = {
  board: 'Board',
  class: 'Class',
  subject: 'Subject',
  chapter: 'Chapter',
  book: 'Book',
  publisher: 'Publisher',
  periods: 'Number of periods',
  periodMinutes: 'Minutes per period',
  outcomes: 'Learning outcomes',
  priorKnowledge: 'Prior knowledge',
  diagnostic: 'Diagnostic questions',
  keyTerms: 'Key terms',
  resources: 'Teaching-learning resources',
  period: 'Period',
  minutes: 'minutes',
  teacher: 'Teacher',
  pupils: 'Pupils',
  blackboard: 'Board work',
  check: 'Quick check',
  answer: 'Answer',
  homework: 'Homework',
  misconceptions: 'Misconceptions',
  wrong: 'Misconception',
  right: 'Correction',
  differentiation: 'Differentiation',
  support: 'Needs support',
  core: 'On level',
  extension: 'Ready for more',
  inclusive: 'Inclusion',
  assessment: 'Assessment',
  links: 'Links',
  remedial: 'Remedial',
  enrichment: 'Enrichment',
  safety: 'Safety',
};

export type DocumentWords = typeof english;

const words: Readonly<Partial<Record<string, DocumentWords>>> = { en: english };

/** The words in that language, English where it has none. */
export function wordsOf(language: string): DocumentWords {
  return words[language] ?? english;
}
