import { setTimeout as delay } from 'node:timers/promises'
import { summarizeLatencies } from '../client/counts.ts'
import { Revealers } from '../client/revealers.ts'
import {
  checkInvariants,
  type Installation,
  openInstallation,
  recoverWithin,
  requirePostmaster,
} from '../installation/installation.ts'
import { isAlive, isTrueWithin, postgresProcesses, signal } from '../installation/processes.ts'
import type { Scenario } from '../scenario.ts'

const clients = 24
const pauseMs = 20
const maxRecoveryMs = 60_000

/** Processes to kill. The drill restarts a killed server, as a supervisor would. */
const victims = {
  async server({ service }: Installation) {
    await service.kill()
    await service.start()
  },
  async backend(installation: Installation) {
    const [backend] = postgresProcesses(requirePostmaster(installation))
    signal(backend!, 'SIGKILL')
  },
  async postgres(installation: Installation) {
    await killPostgres(installation)
  },
  async both(installation: Installation) {
    await Promise.all([installation.service.kill(), killPostgres(installation)])
    await installation.service.start()
  },
}

export const kills: Scenario = {
  name: 'kills',
  title: 'kill -9 of the server, of PostgreSQL and of both, under reveals',
  expected:
    'clients reveal people under Idempotency-Keys and repeat what got no reply. The server, one process of PostgreSQL, all of PostgreSQL, and everything at once are killed in turn. Every person is charged exactly once, every replay is the first reply byte for byte, and the ledger balances.',

  async run(drill) {
    const installation = await openInstallation(drill)
    const revealers = new Revealers(installation, { clients, random: drill.random, pauseMs })
    revealers.start()
    const rounds = drill.isShort
      ? (['postgres'] as const)
      : repeat(10, Object.keys(victims) as (keyof typeof victims)[])
    const recoveriesMs: number[] = []
    for (const [index, victim] of rounds.entries()) {
      await delay(400 + drill.random.below(800))
      const startedAt = performance.now()
      await victims[victim](installation)
      if (!(await recoverWithin(maxRecoveryMs, installation))) break
      const tookMs = performance.now() - startedAt
      recoveriesMs.push(tookMs)
      drill.reportProgress(
        `kill ${index + 1} of ${rounds.length}, ${victim}: serves again after ${Math.round(tookMs)} ms`,
      )
    }
    await revealers.finish()
    const came = `${recoveriesMs.length} of ${rounds.length}`
    drill.check(
      'it serves again after every kill, by itself or started anew',
      recoveriesMs.length === rounds.length,
      came,
    )
    await revealers.check(drill)
    await checkInvariants(drill, installation)
    const { p50Ms, maxMs } = summarizeLatencies(recoveriesMs)
    drill.figure('time until served again', `median ${Math.round(p50Ms)} ms, longest ${Math.round(maxMs)} ms`)
  },
}

async function killPostgres(installation: Installation): Promise<void> {
  const processes = postgresProcesses(requirePostmaster(installation))
  for (const pid of processes.reverse()) signal(pid, 'SIGKILL')
  await isTrueWithin(5_000, () => !processes.some(isAlive))
}

const repeat = <T>(times: number, items: readonly T[]): T[] => Array.from({ length: times }, () => items).flat()
