import { setTimeout as delay } from 'node:timers/promises'
import { timeChart } from '@storedex/testkit'
import { describeLatencies, formatMs } from '../client/counts.ts'
import { requestText } from '../client/http-connection.ts'
import { type Flow, type FlowResult, type LoadGenerator, openLoadGenerator } from '../client/load.ts'
import { timeUntilServed } from '../client/probe.ts'
import {
  checkInvariants,
  type Installation,
  lookup,
  openInstallation,
  searchStores,
} from '../installation/installation.ts'
import { ProcessSampler } from '../installation/resources.ts'
import type { Drill, Scenario } from '../scenario.ts'

const calibrationConnections = 32
const floodConnections = 1_000
const modestPerSecond = 10
const maxRatio = 3
/** A p99 below this depends mainly on the machine's scheduler. */
const floorMs = 50
const recoverWithinMs = 5_000
/** Allowed memory growth under overload. */
const maxGrowthMb = 300

export const overload: Scenario = {
  name: 'overload',
  title: 'overload at 1, 3 and 10 times the capacity, by one greedy account beside a modest one',
  expected: `a closed loop finds the capacity for a mix of searches and lookups; then a greedy account sends 1, 3 and 10 times as much over up to ${floodConnections} connections, beside an account with one connection and ${modestPerSecond} requests a second. At ten times the modest account's p99 is at most three times its unloaded one (or under ${floorMs} ms), and it gets nothing but 200; /readyz is right in every probe; greedy requests are served again within 5 s of the flood; the memory is bounded.`,

  async run(drill) {
    const seconds = drill.isShort ? 4 : 20
    const installation = await openInstallation(drill)
    const [flood, probes] = [openLoadGenerator(drill.cleanup), openLoadGenerator(drill.cleanup)]
    await calibrate(installation, flood, 2)
    const capacity = await calibrate(installation, flood, drill.isShort ? 3 : 8)
    drill.figure('capacity', `${Math.round(capacity)} requests a second`)
    await delay(2_000)
    const watch = (forSeconds: number) =>
      probes({ origin: installation.service.origin, seconds: forSeconds, flows: probeFlows(installation) })
    const unloaded = (await watch(seconds)).modest!
    drill.figure('modest, unloaded', describeLatencies(unloaded.successes))

    const sampler = new ProcessSampler(() => installation.service.pid, 250)
    for (const times of [1, 3, 10]) {
      const rate = times * capacity
      const question = {
        origin: installation.service.origin,
        seconds,
        flows: [greedy(installation, floodConnections, rate)],
      }
      const flooding = flood(question)
      // The flood begins before the probes and ends after them.
      await delay(1_000)
      const { modest, ready } = await watch(seconds - 2)
      const { greedy: sent } = await flooding
      const recoveredMs = await timeUntilServed(installation.service.origin, greedyTexts(installation)[0]!, 30_000)
      judge(
        drill,
        `${times} times`,
        { unloaded, modest: modest!, ready: ready!, sent: sent!, seconds, recoveredMs },
        times === 10,
      )
    }
    sampler.stop()
    const grown = sampler.maxMb - sampler.firstMb
    const memory = `${Math.round(sampler.firstMb)} MB before, ${Math.round(sampler.maxMb)} MB at most`
    drill.check(`the memory grows by at most ${maxGrowthMb} MB`, grown <= maxGrowthMb, memory)
    drill.plot(
      'memory',
      timeChart('Resident memory of the server under 1, 3 and 10 times its capacity', 'MB', [
        { label: 'server', points: sampler.memory() },
      ]),
    )
    await checkInvariants(drill, installation)
  },
}

interface LoadObservations {
  unloaded: FlowResult
  modest: FlowResult
  ready: FlowResult
  sent: FlowResult
  seconds: number
  recoveredMs: number | null
}

/** Latency is promised at ten times the capacity, replies at each load. */
function judge(drill: Drill, label: string, seen: LoadObservations, isPromised: boolean): void {
  const { unloaded, modest, ready, sent, seconds, recoveredMs } = seen
  const ratio = modest.successes.p99Ms / unloaded.successes.p99Ms
  const came = `${formatMs(unloaded.successes.p99Ms)} unloaded, ${formatMs(modest.successes.p99Ms)} under load, ${ratio.toFixed(1)} times`
  const isFair = modest.successes.count > 0 && (ratio <= maxRatio || modest.successes.p99Ms <= floorMs)
  if (isPromised) drill.checkTime(`${label}: modest's p99 is at most three times the unloaded one`, isFair, came)
  else drill.figure(`${label}: modest's p99`, came)
  const answers = describeAnswers(modest)
  drill.check(`${label}: modest gets nothing but 200`, modest.others.count === 0 && modest.successes.count > 0, answers)
  const isReady = ready.others.count === 0 && ready.successes.count > 0
  drill.check(
    `${label}: /readyz is right in every probe`,
    isReady,
    `${describeAnswers(ready)}; ${describeLatencies(ready.successes)}`,
  )
  const recovery = recoveredMs === null ? 'not within 30 s' : formatMs(recoveredMs)
  const isBack = recoveredMs !== null && recoveredMs <= recoverWithinMs
  drill.checkTime(`${label}: greedy is served again within 5 s`, isBack, recovery)
  drill.figure(`${label}: modest`, `${answers}; ${describeLatencies(modest.successes)}`)
  drill.figure(
    `${label}: greedy`,
    `${Math.round((sent.sent + sent.notSent) / seconds)} a second offered, ${Math.round(sent.sent / seconds)} sent; ${describeAnswers(sent)}; ${describeLatencies(sent.successes)}`,
  )
}

async function calibrate(installation: Installation, load: LoadGenerator, seconds: number): Promise<number> {
  const flows = [greedy(installation, calibrationConnections, null)]
  const { greedy: result } = await load({ origin: installation.service.origin, seconds, flows })
  return Math.max(1, result!.successes.count / result!.seconds)
}

const greedy = (installation: Installation, connections: number, ratePerSecond: number | null): Flow => ({
  name: 'greedy',
  connections,
  ratePerSecond,
  requests: greedyTexts(installation),
  timeoutMs: 30_000,
})

function greedyTexts({ accounts, domains }: Installation): string[] {
  const { key } = accounts.greedy
  return domains
    .slice(0, 300)
    .flatMap((domain, index) => [
      searchStores(key, 25, { countries: [['US'], ['DE', 'FR'], ['GB']][index % 3] }),
      lookup(domain, key),
    ])
}

function probeFlows({ accounts, domains }: Installation): Flow[] {
  const { key } = accounts.modest
  const requests = domains.slice(300, 600).flatMap((domain) => [lookup(domain, key), searchStores(key, 5)])
  const ready = requestText('GET', '/readyz')
  return [
    { name: 'modest', connections: 1, ratePerSecond: modestPerSecond, requests, timeoutMs: 30_000 },
    { name: 'ready', connections: 1, ratePerSecond: 2, requests: [ready], timeoutMs: 10_000 },
  ]
}

const describeAnswers = ({ answers }: FlowResult) =>
  Object.entries(answers)
    .map(([name, count]) => `${name}: ${count}`)
    .join(', ') || 'nothing'
