/**
 * How often a random test runs: `runs` times in the deep run, a fifth of that in `npm test`, at least `least` times, and as often
 * as STOREDEX_PROOF_RUNS says where it is set. vitest.config.ts sets the share of the deep run.
 */
export function proofRuns(runs: number, least = 5): number {
  return Number(process.env.STOREDEX_PROOF_RUNS ?? shareOf(runs, least))
}

/** The same for processes that are killed; STOREDEX_PROOF_KILLS says how many. */
export function proofKills(kills: number, least: number): number {
  return Number(process.env.STOREDEX_PROOF_KILLS ?? shareOf(kills, least))
}

const share = Number(process.env.STOREDEX_PROOF_SHARE ?? 0.2)

/** Whether random tests make all their runs here. A few may miss by chance what many meet, so only many are asked how much it was. */
export const makesAllRuns = share >= 1

function shareOf(runs: number, least: number): number {
  return Math.min(runs, Math.max(least, Math.ceil(runs * share)))
}
