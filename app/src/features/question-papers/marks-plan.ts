import * as z from 'zod/mini';

const planSchema = z.object({
  totalMarks: z.number(),
  minutes: z.number(),
  sections: z.array(
    z.object({
      letter: z.string(),
      marks: z.number(),
      attempt: z.nullable(z.number()),
      parts: z.array(z.object({ type: z.string(), count: z.number(), marksEach: z.number() })),
    }),
  ),
});

/** How the marks of a paper are spread, as the function plans them. */
export type MarksPlan = z.infer<typeof planSchema>;

/** The plan in a forecast, null while there is none. */
export function marksPlanOf(plan: unknown): MarksPlan | null {
  const parsed = planSchema.safeParse(plan);
  return parsed.success ? parsed.data : null;
}
