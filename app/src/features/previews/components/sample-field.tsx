import { useState } from 'react';
import { SampleBox } from '@/components/sample-box';
import { problemOfSample } from '@/lib/sample-file';

/**
 * A sample that stays on the page. A file that is neither
 * PDF nor DOCX is ignored (SPECIFICATION.md S-076).
 */
export function SampleField({ label, className }: { label: string; className?: string }) {
  const [name, setName] = useState('');
  return (
    <SampleBox
      label={label}
      name={name}
      onFile={(file) => {
        if (problemOfSample(file) === null) setName(file.name);
      }}
      className={className}
    />
  );
}
