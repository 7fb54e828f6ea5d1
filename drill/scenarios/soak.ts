import { setTimeout as delay } from 'node:timers/promises'
import { median, timeChart } from '@storedex/testkit'
import { describeLatencies } from '../client/counts.ts'
import { requestText } from '../client/http-connection.ts'
import { type Flow, openLoadGenerator } from '../client/load.ts'
import { Revealers } from '../client/revealers.ts'
import {
  checkInvariants,
  type Installation,
  lookup,
  openInstallation,
  searchStores,
} from '../installation/installation.ts'
import { type ResourceSample, watchResources } from '../installation/resources.ts'
import type { Drill, Scenario } from '../scenario.ts'

const requestsPerSecond = 150
const connections = 32
const maxSamples = 400
/** Allowed growth from the middle third to the last, above the noise and the filling of caches. */
const [maxGrowth, leastGrowthMb] = [1.15, 25]
const maxMoreDescriptors = 16

export const soak: Scenario = {
  name: 'soak',
  title: 'a mixed load for half an hour',
  expected: `${requestsPerSecond} lookups, searches, enrichments and contact searches a second, and reveals beside them, for 30 minutes (or --minutes). Nothing but 200 comes back; memory of the server and of PostgreSQL and the descriptors in the last third are what they were in the middle one; the ledger balances.`,

  async run(drill) {
    const seconds = drill.isShort ? 15 : drill.minutes * 60
    const installation = await openInstallation(drill)
    const load = openLoadGenerator(drill.cleanup)
    const stopping = new AbortController()
    const watching = watchResources(installation, Math.max(1_000, (seconds * 1_000) / maxSamples), stopping.signal)
    const revealers = new Revealers(installation, { clients: 4, random: drill.random, pauseMs: 100 })
    revealers.start()
    const { mixed } = await load({ origin: installation.service.origin, seconds, flows: [mixedFlow(installation)] })
    await revealers.finish()
    stopping.abort()
    const samples = await watching
    await delay(500)

    const { answers, successes, others, notSent } = mixed!
    drill.check('nothing but 200 comes back', others.count === 0, JSON.stringify(answers))
    drill.figure('mixed load', `${describeLatencies(successes)}; ${notSent} not sent because all connections were busy`)
    judgeGrowth(drill, samples)
    plotSamples(drill, samples)
    await revealers.check(drill)
    await checkInvariants(drill, installation)
  },
}

function mixedFlow({ accounts, domains, contactIds }: Installation): Flow {
  const { key } = accounts.modest
  const post = (path: string, body: object) => requestText('POST', `/api/v1${path}`, { key, body })
  const requests = domains
    .slice(0, 500)
    .flatMap((domain, index) => [
      lookup(domain, key),
      searchStores(key, 25, { countries: [['US'], ['DE', 'FR'], ['GB'], ['IT']][index % 4] }),
      post('/stores/enrich', { domains: domains.slice(index, index + 10) }),
      post('/contacts/search', { person: { has_verified_email: true }, limit: 10 }),
      requestText('GET', '/api/v1/usage', { key }),
      post('/contacts/reveal', { contact_ids: [contactIds[index % contactIds.length]] }),
    ])
  return { name: 'mixed', connections, ratePerSecond: requestsPerSecond, requests, timeoutMs: 30_000 }
}

function judgeGrowth(drill: Drill, samples: readonly ResourceSample[]): void {
  const third = Math.floor(samples.length / 3)
  const [middle, last] = [samples.slice(third, 2 * third), samples.slice(2 * third)]
  if (middle.length === 0) throw new Error('the soak was too short to be judged')
  const medianOf = (part: readonly ResourceSample[], name: keyof ResourceSample) =>
    median(part.map((each) => each[name]))
  const memories = [
    ['serverMb', "the server's memory"],
    ['heapMb', "the server's heap"],
    ['postgresMb', "PostgreSQL's memory"],
  ] as const
  for (const [name, what] of memories) {
    const [before, after] = [medianOf(middle, name), medianOf(last, name)]
    const isSteady = after <= Math.max(before * maxGrowth, before + leastGrowthMb)
    drill.check(
      `${what} does not grow`,
      isSteady,
      `${before.toFixed(0)} MB in the middle third, ${after.toFixed(0)} MB in the last`,
    )
  }
  const [before, after] = [medianOf(middle, 'serverDescriptors'), medianOf(last, 'serverDescriptors')]
  drill.check(
    'descriptors do not grow',
    after - before <= maxMoreDescriptors,
    `${before} in the middle third, ${after} in the last`,
  )
  drill.figure('event loop delay, p99', `${medianOf(last, 'loopDelayMs').toFixed(1)} ms in the last third`)
}

function plotSamples(drill: Drill, samples: readonly ResourceSample[]): void {
  const series = (label: string, name: keyof ResourceSample) => ({
    label,
    points: samples.map((each) => [each.seconds, each[name]] as const),
  })
  const memory = [
    series('server', 'serverMb'),
    series('server, heap used', 'heapMb'),
    series('PostgreSQL', 'postgresMb'),
  ]
  const counts = [
    series('server, descriptors', 'serverDescriptors'),
    series('PostgreSQL, processes', 'postgresProcesses'),
  ]
  drill.plot('memory', timeChart('Memory during the soak', 'MB', memory))
  drill.plot('descriptors', timeChart('Descriptors and processes during the soak', 'number', counts))
  drill.plot('event-loop', timeChart('Delay of the event loop, p99', 'ms', [series('server', 'loopDelayMs')]))
}
