import { setTimeout as delay } from 'node:timers/promises'
import { formatMs, summarizeLatencies } from '../client/counts.ts'
import { Revealers } from '../client/revealers.ts'
import {
  checkInvariants,
  type Installation,
  openExternalInstallation,
  openInstallation,
  recoverWithin,
  requirePostmaster,
} from '../installation/installation.ts'
import { isAlive, isTrueWithin, signal } from '../installation/processes.ts'
import type { Drill, Scenario } from '../scenario.ts'

const clients = 60
const pauseMs = 10
const maxRecoveryMs = 60_000

export const restarts: Scenario = {
  name: 'restarts',
  title: 'restarts of PostgreSQL, as by pg_ctl -m fast, under reveals',
  expected:
    '60 clients reveal people while PostgreSQL is stopped by SIGINT and started again, 100 times: half of them the embedded one, which the server starts again itself, half of them a PostgreSQL of the operator. The server process never ends, serves again each time, and nothing is charged twice or lost.',

  async run(drill) {
    const times = drill.isShort ? 3 : 50
    const embedded = await openInstallation(drill)
    await restart(drill, 'embedded', embedded, times, async () => {
      const pid = requirePostmaster(embedded)
      signal(pid, 'SIGINT')
      await isTrueWithin(30_000, () => !isAlive(pid))
    })
    await embedded.service.stop()
    if (drill.isShort) return
    const own = await openExternalInstallation(drill)
    drill.figure("the operator's PostgreSQL", own.postgres.version)
    await restart(drill, 'own', own, times, async () => {
      await own.postgres.stop('SIGINT')
      await own.postgres.start()
    })
  },
}

async function restart(
  drill: Drill,
  name: string,
  installation: Installation,
  times: number,
  restartPostgres: () => Promise<void>,
): Promise<void> {
  const { service } = installation
  const revealers = new Revealers(installation, { clients, random: drill.random, pauseMs })
  revealers.start()
  const recoveriesMs: number[] = []
  let ends = 0
  for (let time = 1; time <= times; time++) {
    await delay(300 + drill.random.below(500))
    const startedAt = performance.now()
    await restartPostgres()
    if (!(await recoverWithin(maxRecoveryMs, installation))) break
    if (service.unexpectedExits > ends)
      drill.reportProgress(`restart ${time} of ${times}, ${name}: the server ended with ${service.lastExit}`)
    ends = service.unexpectedExits
    recoveriesMs.push(performance.now() - startedAt)
  }
  await revealers.finish()
  const came = `${recoveriesMs.length} of ${times}`
  drill.check(`${name}: it serves again after every restart`, recoveriesMs.length === times, came)
  await revealers.check(drill)
  await checkInvariants(drill, installation)
  const { p50Ms, maxMs } = summarizeLatencies(recoveriesMs)
  drill.figure(`${name}: times that a restart ended the server`, `${ends} of ${times}`)
  drill.figure(`${name}: from the signal until served again`, `median ${formatMs(p50Ms)}, longest ${formatMs(maxMs)}`)
}
