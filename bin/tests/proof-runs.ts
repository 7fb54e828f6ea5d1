/**
 * How often a random test runs: `runs` times in the deep run, a fifth of that in `npm test`, at least `least` times, and as often
 * as STOREDEX_PROOF_RUNS says where it is set. vitest.config.ts sets the share of the deep run.
 */
export function proofRuns(runs: number, least = 5): number {
  const { STOREDEX_PROOF_RUNS: wanted, STOREDEX_PROOF_SHARE: share } = process.env
  if (wanted) return Number(wanted)
  return Math.min(runs, Math.max(least, Math.ceil(runs * Number(share ?? 0.2))))
}
