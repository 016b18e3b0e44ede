import type { LessonPlanDocument } from './document-schema';

/** The parts of a plan in their usual order (functions/SPECIFICATION.md DOM-2.1, L2 to L12). */
const usualOrder = [
  'outcomes',
  'priorKnowledge',
  'keyTerms',
  'resources',
  'periods',
  'misconceptions',
  'differentiation',
  'assessment',
  'links',
  'remedial',
  'safety',
] as const;

export type PartName = (typeof usualOrder)[number];

interface PlacedPart {
  part: PartName;
  /** The name of the part in the sample. Without one it has its usual name. */
  title?: string | undefined;
}

/**
 * Returns the parts of a plan in its order, which is that of a sample if there was one (GEN-5.3.6).
 * The safety rules are a part only if there are any.
 */
export function partsOf({ order, safety }: LessonPlanDocument): PlacedPart[] {
  const placed = order.flatMap(({ part, title }) => {
    const known = usualOrder.find((name) => name === part);
    return known ? [{ part: known, title }] : [];
  });
  const parts = placed.length > 0 ? placed : usualOrder.map((part) => ({ part }));
  return parts.filter(({ part }) => part !== 'safety' || safety.length > 0);
}
