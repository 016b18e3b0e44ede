import { expect, test } from 'vitest';
import { communicationTool } from '@/features/communications/communication-tool';
import { lessonPlanTool } from '@/features/lessons/lesson-plan-tool';
import { paperTool } from '@/features/question-papers/paper-tool';
import { aidsTool } from '@/features/teaching-aids/aids-tool';
import { missingFields } from '@/builder/missing-fields';
import type { Tool } from '@/builder/tool';
import type { MessageKey } from '@/lib/i18n';

/** The fields that a tool misses in an empty form, and those that its checks refuse. */
function emptyForm<Form extends object, Content>(tool: Tool<Form, Content>) {
  return {
    functionName: tool.functionName,
    missing: missingFields(tool, tool.empty),
    labels: new Map(Object.entries<MessageKey | undefined>(tool.labels)),
    refused: async () => {
      const { form } = await tool.checks();
      return form.safeParse(tool.empty).error?.issues.map(({ path }) => String(path[0])) ?? [];
    },
  };
}

// The buttons use the labels before the checks have loaded, so both must mean the same fields.
test.each([
  emptyForm(lessonPlanTool),
  emptyForm(paperTool),
  emptyForm(aidsTool),
  emptyForm(communicationTool),
])(
  '$functionName: the missing fields of an empty form are those that fail',
  async ({ missing, labels, refused }) => {
    const complaints = (await refused()).map((name) => labels.get(name));
    expect(new Set(missing)).toEqual(new Set(complaints));
    expect(missing).not.toHaveLength(0);
  },
);

test('a field of spaces is missing', () => {
  const form = { ...lessonPlanTool.empty, board: '  ', grade: 'Class 10' };
  expect(missingFields(lessonPlanTool, form)).toContain(lessonPlanTool.labels.board);
  expect(missingFields(lessonPlanTool, form)).not.toContain(lessonPlanTool.labels.grade);
});
