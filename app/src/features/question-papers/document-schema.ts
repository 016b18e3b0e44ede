import * as z from 'zod/mini';

const text = z._default(z.string(), '');
const texts = z._default(z.array(z.string()), []);
const number = z._default(z.number(), 0);

function list<Item extends z.ZodMiniType>(item: Item) {
  return z._default(z.array(item), []);
}

const askedSchema = z.object({
  text,
  options: texts,
  pairs: list(z.object({ left: text, right: text })),
  parts: list(z.object({ marker: text, text, marks: number })),
  marks: number,
  answer: text,
  key: z.optional(z.nullable(z.string())),
  scheme: list(z.object({ point: text, marks: number })),
});

const questionSchema = z.extend(askedSchema, {
  no: z.number(),
  choice: z.optional(z.nullable(askedSchema)),
});

const partSchema = z.object({
  type: text,
  title: text,
  count: number,
  marksEach: number,
  questions: list(questionSchema),
});

const sectionSchema = z.object({
  letter: text,
  /** The name of the section in a sample. */
  name: z.optional(z.string()),
  line: text,
  parts: list(partSchema),
});

const tallySchema = z.object({ count: number, marks: number });

const blueprintSchema = z.object({
  byType: z._default(z.record(z.string(), tallySchema), {}),
  bySubtopic: list(
    z.object({ subtopic: text, types: z._default(z.record(z.string(), tallySchema), {}), marks: number }),
  ),
  byBloom: z._default(z.array(z.number()), []),
  byDifficulty: z._default(z.array(z.number()), []),
  marks: number,
});

/**
 * A finished question paper with its key, `qp/1` of functions/SPECIFICATION.md GEN-6. Missing parts
 * are empty, so that it can be shown.
 */
const paperDocumentSchema = z.object({
  schema: z.literal('qp/1'),
  title: text,
  language: z._default(z.string(), 'en'),
  board: text,
  class: z.union([z.number(), z.string()]),
  subject: text,
  chapter: text,
  book: text,
  publisher: text,
  session: text,
  /** The name of the examination in a sample. */
  examination: z.optional(z.string()),
  /** What stands before and behind the number of a question in a sample. */
  numbering: z.optional(z.tuple([z.string(), z.string()])),
  label: text,
  warnings: texts,
  notes: texts,
  totalMarks: number,
  minutes: number,
  instructions: texts,
  sections: list(sectionSchema),
  blueprint: z.optional(blueprintSchema),
});

export type PaperDocument = z.infer<typeof paperDocumentSchema>;
export type AskedQuestion = z.infer<typeof askedSchema>;
export type PaperBlueprint = z.infer<typeof blueprintSchema>;

/**
 * Returns the structured paper, or null if the answer has
 * none that can be read. Then the plain text is shown.
 */
export function parsePaper(data: unknown): PaperDocument | null {
  const parsed = paperDocumentSchema.safeParse(data);
  return parsed.success ? parsed.data : null;
}
