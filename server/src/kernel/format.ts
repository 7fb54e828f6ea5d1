/** A figure as sentences show it: 25,000. */
export function figure(value: number): string {
  return value.toLocaleString('en-US')
}

/** The UTC day of a moment: 2026-11-21. */
export function isoDay(moment: Date): string {
  return moment.toISOString().slice(0, 10)
}
