import { expect, test } from 'vitest';
import { communicationTool } from '@/features/communications/communication-tool';
import { lessonPlanTool } from '@/features/lessons/lesson-plan-tool';
import { paperTool } from '@/features/question-papers/paper-tool';
import { aidsTool } from '@/features/teaching-aids/aids-tool';
import { formResolver, lateResolver } from '@/builder/form-resolver';

const options = { fields: {}, shouldUseNativeValidation: false };

// The buttons go by the labels, before the checks are there: both must mean the same fields.
test.each([lessonPlanTool, paperTool, aidsTool, communicationTool])(
  '$functionName: what is missing from an empty form is what its checks complain of',
  async ({ checks, empty, labels }) => {
    const { form } = await checks();
    const refused = form.safeParse(empty).error?.issues.map(({ path }) => String(path[0])) ?? [];
    const blank = Object.entries<unknown>({ ...empty })
      .filter(
        ([name, value]) => name in labels && (value === '' || (Array.isArray(value) && value.length === 0)),
      )
      .map(([name]) => name);
    expect(new Set(blank)).toEqual(new Set(refused));
  },
);

test('a form is refused as a whole while its checks cannot be had, and checked once they can', async () => {
  const { form } = await lessonPlanTool.checks();
  const unreachable = lateResolver(() => Promise.reject<typeof form>(new TypeError('Failed to fetch')));
  const late = lateResolver(() => Promise.resolve(form));
  expect(await unreachable(lessonPlanTool.empty, undefined, options)).toMatchObject({
    values: {},
    errors: { root: { type: 'unavailable' } },
  });
  expect(await late(lessonPlanTool.empty, undefined, options)).toEqual(
    await formResolver(form)(lessonPlanTool.empty, undefined, options),
  );
});
