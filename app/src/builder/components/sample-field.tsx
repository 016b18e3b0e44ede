import { lazy, Suspense } from 'react';
import type { SampleFieldProps } from './sample-picker';

// Few teachers have a sample, and those who do look for its field last.
const SamplePicker = lazy(() => import('./sample-picker').catch(() => ({ default: () => null })));

/** An optional sample file, in the room that it takes once it is there. */
export function SampleField(props: SampleFieldProps) {
  return (
    <div className="min-w-0">
      <Suspense fallback={<div className="h-[4.5rem]" />}>
        <SamplePicker {...props} />
      </Suspense>
      <p className="mt-1.5 text-sm text-muted-foreground">{props.note}</p>
    </div>
  );
}
