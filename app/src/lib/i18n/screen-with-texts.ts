import { lazy, type ComponentType } from 'react';
import { loadTexts, type Area } from './index';

/** A screen that loads when it is first shown, together with its texts. */
export function screenWithTexts<Props extends object>(
  areas: readonly Area[],
  load: () => Promise<{ default: ComponentType<Props> }>,
) {
  return lazy(async () => {
    const [screen] = await Promise.all([load(), loadTexts(areas)]);
    return screen;
  });
}
