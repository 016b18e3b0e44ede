import { Check, RotateCw, X } from 'lucide-react';
import { useRef, useState, type ReactNode } from 'react';
import { SampleBox } from '@/components/sample-box';
import { Button } from '@/components/ui/button';
import { useI18n } from '@/lib/i18n';
import { megabytes } from '@/lib/megabytes';
import { problemOfSample, type SampleProblem } from '@/lib/sample-file';
import { languageOfRemark } from '@/lib/sentence-language';
import type { Estimate, SampleReading } from '../api/estimate';
import { sampleProblemText, showSampleProblem } from '../sample-problem';
import { sampleRefusalText } from '../sample-refusals';
import type { SampleState } from '../sample-upload';
import type { BuilderSample } from '../use-sample';

interface SampleUploadFieldProps {
  label: string;
  sample: BuilderSample;
  /** The code with which the function refuses the sample. */
  refusal: string | undefined;
  /** What the function has read in the sample, once it has. */
  estimate: Estimate | undefined;
}

/**
 * An optional sample file, PDF or DOCX, which is uploaded as soon as it
 * is picked (SPECIFICATION.md S-189, S-204, S-220).
 */
export function SampleUploadField({ label, sample, refusal, estimate }: SampleUploadFieldProps) {
  const { t } = useI18n();
  const input = useRef<HTMLInputElement>(null);
  const { state, upload } = sample;
  const [problem, setProblem] = useState<SampleProblem | null>(null);

  function pick(file: File) {
    const found = problemOfSample(file);
    setProblem(found);
    if (found) showSampleProblem(found);
    else upload.pick(file);
  }

  return (
    <div className="min-w-0">
      <SampleBox label={label} name={state.kind === 'none' ? '' : state.name} onFile={pick} inputRef={input}>
        {state.kind === 'none' ? null : (
          <Button
            variant="ghost"
            size="icon"
            className="relative"
            aria-label={t(state.kind === 'uploading' ? 'sample.cancel' : 'sample.remove')}
            onClick={() => {
              upload.remove();
              setProblem(null);
              input.current?.focus();
            }}
          >
            <X aria-hidden="true" />
          </Button>
        )}
      </SampleBox>
      {state.kind === 'uploading' ? <UploadProgress {...state} /> : null}
      <div role="status" className="mt-1.5 text-sm text-muted-foreground">
        {problem ? <Problem>{sampleProblemText(problem)} </Problem> : null}
        {refusal && state.kind === 'uploaded' ? (
          <Problem>{sampleRefusalText(refusal)}</Problem>
        ) : state.kind === 'uploaded' && estimate?.sample ? (
          <Reading reading={estimate.sample} language={estimate.language} />
        ) : (
          <SampleNote state={state} isAwaited={sample.isAwaited} />
        )}
      </div>
      {state.kind === 'failed' ? (
        <Button
          variant="outline"
          className="mt-2"
          onClick={() => {
            upload.retry();
            // This button disappears.
            input.current?.focus();
          }}
        >
          <RotateCw aria-hidden="true" />
          {t('error.retry')}
        </Button>
      ) : null}
    </div>
  );
}

const failures = {
  lost: 'sample.lost',
  busy: 'sample.stillBusy',
  refused: 'sample.refused',
} as const;

/** What becomes of the sample, and what to do next. */
function SampleNote({ state, isAwaited }: { state: SampleState; isAwaited: boolean }) {
  const { t } = useI18n();
  switch (state.kind) {
    case 'none':
      return t('sample.note');
    case 'uploading':
      if (state.holdup) return t(state.holdup === 'lost' ? 'sample.waiting' : 'sample.busy');
      // The form is closed to changes while a press waits.
      return isAwaited ? null : t('sample.uploading');
    case 'interrupted':
      return <Problem>{t('sample.interrupted')}</Problem>;
    case 'failed':
      return <Problem>{t(failures[state.reason])}</Problem>;
    case 'uploaded':
      return (
        <span className="flex gap-1.5">
          <Check aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-success" />
          {t('sample.ready')}
        </span>
      );
  }
}

/** What the document takes from the sample, and what it does not. */
function Reading({ reading, language }: { reading: SampleReading; language: string }) {
  const { t } = useI18n();
  const { followed, warning } = reading;
  const names = followed.join(', ');
  return (
    <>
      {warning ? (
        <span
          lang={languageOfRemark(warning, language)}
          className="mb-1.5 block rounded-control bg-accent-soft px-3 py-2 text-foreground [overflow-wrap:anywhere]"
        >
          {warning}
        </span>
      ) : null}
      {names || !warning ? (
        <span className="flex gap-1.5 [overflow-wrap:anywhere]">
          <Check aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-success" />
          {names ? t('sample.followed', { names }) : t('sample.patternFollowed')}
        </span>
      ) : null}
    </>
  );
}

function Problem({ children }: { children: ReactNode }) {
  return <span className="font-semibold text-destructive">{children}</span>;
}

/** Shows how much was sent. A screen reader hears it when it asks. */
function UploadProgress({ size, sent }: { size: number; sent: number }) {
  const { t } = useI18n();
  const amount = t('sample.sent', { sent: megabytes(sent), size: megabytes(size) });
  return (
    <div className="mt-2 flex items-center gap-3">
      <progress
        value={sent}
        max={size}
        aria-label={t('sample.progress')}
        aria-valuetext={amount}
        className="h-2.5 min-w-0 flex-1 appearance-none overflow-hidden rounded-full border border-input bg-card [&::-moz-progress-bar]:bg-primary [&::-webkit-progress-bar]:bg-card [&::-webkit-progress-value]:bg-primary"
      />
      <span aria-hidden="true" className="text-sm whitespace-nowrap text-muted-foreground tabular-nums">
        {amount}
      </span>
    </div>
  );
}
