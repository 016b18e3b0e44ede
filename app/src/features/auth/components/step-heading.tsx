import { useEffect, useRef, type ReactNode } from 'react';

interface StepHeadingProps {
  title: string;
  focus?: boolean;
  children?: ReactNode;
}

/** The heading of a step. `focus` moves the focus to it if the step has no field to focus. */
export function StepHeading({ title, focus = false, children }: StepHeadingProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (focus) heading.current?.focus();
  }, [focus]);
  return (
    <>
      <h1 ref={heading} tabIndex={-1} className="heading-condensed text-3xl outline-none">
        {title}
      </h1>
      {children ? <p className="mt-1.5 text-muted-foreground">{children}</p> : null}
    </>
  );
}
