/** The formats of samples, by the ending of their files. */
const mediaTypes = {
  pdf: 'application/pdf',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
};

export type SampleFormat = keyof typeof mediaTypes;

/** The bucket `samples` takes no larger file. */
export const maximumSampleBytes = 10_000_000;

export const sampleAccept = '.pdf,.docx';

/** `oldWord`: a file of Word before DOCX. */
export type SampleProblem = 'type' | 'oldWord' | 'size';

/**
 * Returns why a file cannot be a sample, or null. It must be PDF or DOCX, at most 10 MB
 * (SPECIFICATION.md S-189, S-414).
 */
export function problemOfSample(file: File): SampleProblem | null {
  if (!formatOfSample(file)) return /\.doc$/i.test(file.name) ? 'oldWord' : 'type';
  return file.size > maximumSampleBytes ? 'size' : null;
}

/** The format of a file by its type, or by its name if the device knows no type. */
export function formatOfSample({ type, name }: Pick<File, 'type' | 'name'>): SampleFormat | null {
  if (type === mediaTypes.pdf) return 'pdf';
  if (type === mediaTypes.docx) return 'docx';
  const ending = type === '' ? /\.(pdf|docx)$/i.exec(name)?.[1]?.toLowerCase() : undefined;
  return ending === 'pdf' || ending === 'docx' ? ending : null;
}

export function mediaTypeOf(format: SampleFormat): string {
  return mediaTypes[format];
}
