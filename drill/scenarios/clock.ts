import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Counts } from '../kit/counts.ts'
import { type OwnWorld, openOwnWorld } from '../kit/own-world.ts'
import { SkewedClock, settleMs } from '../kit/skewed-clock.ts'
import { askOnce, nameOf, requestText } from '../kit/wire.ts'
import { checkEnd, lookup, openWorld, searchStores, type World } from '../kit/world.ts'
import type { Drill, Scenario } from '../scenario.ts'

const day = 86_400
const steps = {
  '+1 day': day,
  '-1 day': -day,
  '+31 days': 31 * day,
  '-31 days': -31 * day,
  '+10 years': 3_652 * day,
  '-10 years': -3_652 * day,
}

type Clocks = Record<string, readonly SkewedClock[]>

export const clock: Scenario = {
  name: 'clock',
  title: 'clock steps of a day, 31 days and ten years, ahead and back',
  expected:
    "the server's clock, PostgreSQL's, or both step by ±1 day, ±31 days and ±10 years while requests are made, and are then corrected. No request gets a 500, no process ends, and after the correction an account within its limits is answered 200 at once.",

  async run(drill) {
    const ofServer = new SkewedClock(join(drill.folder, 'server-clock'))
    if (drill.isShort) {
      const world = await openWorld(drill, { environment: ofServer.environment })
      await stepAll(drill, world, { server: [ofServer] }, ['+1 day'])
      return checkEnd(drill, world)
    }
    const ofPostgres = new SkewedClock(join(drill.folder, 'postgres-clock'))
    const world: OwnWorld = await openOwnWorld(drill, {
      serverEnvironment: ofServer.environment,
      postgresEnvironment: ofPostgres.environment,
    })
    const clocks = { server: [ofServer], PostgreSQL: [ofPostgres], both: [ofServer, ofPostgres] }
    await stepAll(drill, world, clocks, Object.keys(steps) as (keyof typeof steps)[])
    drill.check(
      'PostgreSQL never ends',
      world.postgres.isRunning,
      world.postgres.isRunning ? 'it never ended' : 'it ended',
    )
    await checkEnd(drill, world)
  },
}

async function stepAll(drill: Drill, world: World, clocks: Clocks, wanted: (keyof typeof steps)[]): Promise<void> {
  const statuses = new Counts()
  const serverErrors = new Counts()
  for (const step of wanted)
    for (const [whose, affected] of Object.entries(clocks)) {
      for (const each of affected) each.set(steps[step])
      await delay(settleMs)
      for (const name of await useService(world)) {
        statuses.add(name)
        if (name === '500') serverErrors.add(`${step}, ${whose}`)
      }
      for (const each of affected) each.set(0)
      await delay(settleMs)
      const after = await useService(world)
      const isServed = after.every((name) => name === '200')
      drill.check(`after ${step} of ${whose}, all are served at once`, isServed, after.join(', '))
      drill.tell(`${step} of ${whose}: ${after.join(', ')}`)
      if (!world.service.isRunning) await world.service.start()
    }
  drill.check('no request gets a 500 while a clock is wrong', serverErrors.besides() === 0, `${serverErrors}`)
  drill.figure('answers while a clock was wrong', String(statuses))
}

/** A request by an account with the limits of its plan, few enough for them, and one of each kind without limits. */
async function useService({ service, accounts, domains, contactIds }: World): Promise<string[]> {
  const { key } = accounts.modest
  const texts = [
    lookup(domains[4]!, accounts.ordinary.key),
    lookup(domains[4]!, key),
    searchStores(key, 1),
    requestText('POST', '/api/v1/contacts/reveal', { key, body: { contact_ids: [contactIds[0]!] } }),
  ]
  const names: string[] = []
  for (const text of texts) names.push(nameOf(await askOnce(service.origin, text, 15_000)))
  return names
}
