import type { MessageKey } from '@/lib/i18n';
import type { Tool } from './tool';

/** Returns the labels of the required fields that are empty. */
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
