const circumference = 2 * Math.PI * 16;

/** The remaining seconds, in a thin ring that empties. */
export function CountdownRing({ left, total }: { left: number; total: number }) {
  return (
    <svg aria-hidden="true" viewBox="0 0 40 40" className="size-10 shrink-0">
      <circle cx="20" cy="20" r="16" fill="none" strokeWidth="3" className="stroke-muted" />
      <circle
        cx="20"
        cy="20"
        r="16"
        fill="none"
        strokeWidth="3"
        strokeLinecap="round"
        strokeDasharray={circumference}
        strokeDashoffset={circumference * (1 - left / total)}
        transform="rotate(-90 20 20)"
        className="stroke-primary"
      />
      <text
        x="20"
        y="24.5"
        textAnchor="middle"
        className="fill-foreground text-[13px] font-semibold tabular-nums"
      >
        {left}
      </text>
    </svg>
  );
}
