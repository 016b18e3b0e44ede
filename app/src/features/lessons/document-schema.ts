import * as z from 'zod/mini';

const texts = z._default(z.array(z.string()), []);
const text = z._default(z.string(), '');

function list<Item extends z.ZodMiniType>(item: Item) {
  return z._default(z.array(item), []);
}

const questionSchema = z.object({ q: text, a: text });

const phaseSchema = z.object({
  name: text,
  minutes: z._default(z.number(), 0),
  teacher: text,
  pupils: text,
  questions: list(questionSchema),
  board: text,
});

const periodSchema = z.object({
  no: z.number(),
  subtopic: text,
  outcomeIds: texts,
  phases: list(phaseSchema),
  check: questionSchema,
  homework: text,
});

/**
 * A finished lesson plan, `lp/1` of functions/SPECIFICATION.md GEN-6. Missing parts are empty, so
 * that the plan can still be shown.
 */
const lessonPlanDocumentSchema = z.object({
  kind: text,
  schema: z.literal('lp/1'),
  title: text,
  language: z._default(z.string(), 'en'),
  board: text,
  class: z.union([z.number(), z.string()]),
  subject: text,
  chapter: text,
  book: text,
  publisher: text,
  createdOn: text,
  label: text,
  warnings: texts,
  notes: texts,
  periodMinutes: z._default(z.number(), 40),
  outcomes: list(z.object({ id: text, text, bloom: text })),
  priorKnowledge: list(z.object({ text })),
  diagnostic: list(questionSchema),
  keyTerms: list(z.object({ term: text, meaning: text })),
  resources: texts,
  periods: list(periodSchema),
  misconceptions: list(z.object({ wrong: text, right: text })),
  differentiation: z.object({ support: text, core: text, extension: text, inclusive: text }),
  assessment: list(z.object({ outcomeId: text, q: text, a: text, marks: z._default(z.number(), 0) })),
  links: list(z.object({ kind: text, text })),
  remedial: text,
  enrichment: text,
  safety: texts,
  /** The parts in the order of a sample, with the names that it gives them. Empty without one. */
  order: list(z.object({ part: text, title: z.optional(z.string()) })),
});

export type LessonPlanDocument = z.infer<typeof lessonPlanDocumentSchema>;
export type PlanPeriod = z.infer<typeof periodSchema>;

/**
 * Returns the structured plan, or null if the answer has
 * none that can be read. Then the plain text is shown.
 */
export function parseDocument(data: unknown): LessonPlanDocument | null {
  const parsed = lessonPlanDocumentSchema.safeParse(data);
  return parsed.success ? parsed.data : null;
}
