import type { MessageKey } from '@/lib/i18n';
import type { Tool } from './tool';

/** The names of the required fields of a form that are not filled in: those that have a label. */
export function missingFields<Form extends object, Content>(
  tool: Tool<Form, Content>,
  values: Form,
): MessageKey[] {
  const names = new Set<string>();
  for (const name in values) if (isBlank(values[name])) names.add(name);
  return Object.entries<MessageKey | undefined>(tool.labels).flatMap(([name, label]) =>
    label && names.has(name) ? [label] : [],
  );
}

function isBlank(value: unknown): boolean {
  return Array.isArray(value) ? value.length === 0 : typeof value !== 'string' || value.trim() === '';
}
