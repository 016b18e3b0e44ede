const accepted = [
  'application/pdf',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
];
const maximumBytes = 5 * 1024 * 1024;

export const sampleAccept = '.pdf,.docx';

export type SampleProblem = 'type' | 'size';

/**
 * Returns why a file cannot be a sample, or null. It must be PDF or DOCX, at most 5 MB
 * (SPECIFICATION.md S-189, S-414).
 */
export function problemOfSample(file: File): SampleProblem | null {
  const known = accepted.includes(file.type) || (file.type === '' && /\.(pdf|docx)$/i.test(file.name));
  if (!known) return 'type';
  return file.size > maximumBytes ? 'size' : null;
}
