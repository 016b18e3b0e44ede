import { SamplePicker, type SampleFieldProps } from './sample-picker';

/** An optional sample file, and a note on what is done with it. */
export function SampleField(props: SampleFieldProps) {
  return (
    <div className="min-w-0">
      <SamplePicker {...props} />
      <p className="mt-1.5 text-sm text-muted-foreground">{props.note}</p>
    </div>
  );
}
