import type { ReactNode } from 'react';
import { BlankPaper, type BlankPaperProps } from './blank-paper';
import { MarksPlanCard } from './marks-plan-card';

/** The preview of the paper: its marks plan, and the sheet with ruled blanks. */
export default function PaperPreview(props: BlankPaperProps): ReactNode {
  return (
    <>
      <MarksPlanCard plan={props.plan} />
      <BlankPaper {...props} />
    </>
  );
}
