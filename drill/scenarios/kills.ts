import { setTimeout as delay } from 'node:timers/promises'
import { spreadOf } from '../client/counts.ts'
import { Revealers } from '../client/revealers.ts'
import { checkEnd, isServedWithin, openWorld, postmasterIn, type World } from '../installation/installation.ts'
import { isAlive, isTrueWithin, postgresProcesses, signal } from '../installation/processes.ts'
import type { Scenario } from '../scenario.ts'

const clients = 24
const pauseMs = 20
const mostRecoveryMs = 60_000

/** What is killed, and whether the drill has to start the service again as a supervisor would. */
const victims = {
  async server({ service }: World) {
    await service.kill()
    await service.start()
  },
  async backend(world: World) {
    const [backend] = postgresProcesses(postmasterIn(world))
    signal(backend!, 'SIGKILL')
  },
  async postgres(world: World) {
    await killPostgres(world)
  },
  async both(world: World) {
    await Promise.all([world.service.kill(), killPostgres(world)])
    await world.service.start()
  },
}

export const kills: Scenario = {
  name: 'kills',
  title: 'kill -9 of the server, of PostgreSQL and of both, under reveals',
  expected:
    'clients reveal people under Idempotency-Keys and repeat what got no reply. The server, one process of PostgreSQL, all of PostgreSQL, and everything at once are killed in turn. Every person is charged exactly once, every replay is the first reply byte for byte, and the ledger balances.',

  async run(drill) {
    const world = await openWorld(drill)
    const revealers = new Revealers(world, { clients, random: drill.random, pauseMs })
    revealers.start()
    const rounds = drill.isShort
      ? (['postgres'] as const)
      : repeat(10, Object.keys(victims) as (keyof typeof victims)[])
    const recoveriesMs: number[] = []
    for (const [index, victim] of rounds.entries()) {
      await delay(400 + drill.random.below(800))
      const startedAt = performance.now()
      await victims[victim](world)
      if (!(await isServedWithin(mostRecoveryMs, world))) break
      const tookMs = performance.now() - startedAt
      recoveriesMs.push(tookMs)
      drill.tell(`kill ${index + 1} of ${rounds.length}, ${victim}: serves again after ${Math.round(tookMs)} ms`)
    }
    await revealers.finish()
    const came = `${recoveriesMs.length} of ${rounds.length}`
    drill.check(
      'it serves again after every kill, by itself or started anew',
      recoveriesMs.length === rounds.length,
      came,
    )
    await revealers.check(drill)
    await checkEnd(drill, world)
    const { p50Ms, maxMs } = spreadOf(recoveriesMs)
    drill.figure('time until served again', `median ${Math.round(p50Ms)} ms, longest ${Math.round(maxMs)} ms`)
  },
}

async function killPostgres(world: World): Promise<void> {
  const processes = postgresProcesses(postmasterIn(world))
  for (const pid of processes.reverse()) signal(pid, 'SIGKILL')
  await isTrueWithin(5_000, () => !processes.some(isAlive))
}

const repeat = <T>(times: number, items: readonly T[]): T[] => Array.from({ length: times }, () => items).flat()
