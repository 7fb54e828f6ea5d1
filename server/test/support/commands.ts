import { command } from '../../src/auth/actor.ts'
import type { Deps } from '../../src/deps.ts'

/** The context of the verbs that commands call, at the time of the clock. */
export function commandsOf({ db, ids, clock, plans, config }: Deps) {
  return { db, ids, now: clock.now(), actor: command, readPlans: async () => plans, publicUrl: config.publicUrl }
}
