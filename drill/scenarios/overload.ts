import { setTimeout as delay } from 'node:timers/promises'
import { timeChart } from '../../bench/support/svg.ts'
import { inMs, tellSpread } from '../client/counts.ts'
import { requestText } from '../client/http-connection.ts'
import { type Flow, type FlowResult, type LoadGenerator, openLoadGenerator } from '../client/load.ts'
import { timeUntilServed } from '../client/probe.ts'
import { checkEnd, lookup, openWorld, searchStores, type World } from '../installation/installation.ts'
import { Sampler } from '../installation/resources.ts'
import type { Drill, Scenario } from '../scenario.ts'

const calibrationConnections = 32
const floodConnections = 1_000
const modestPerSecond = 10
const mostRatio = 3
/** Below this, a p99 of few requests says more about the machine's scheduler than about the service. */
const floorMs = 50
const recoverWithinMs = 5_000
/** What the server may take beside what it has anyway, while its capacity is offered many times over. */
const mostGrowthMb = 300

export const overload: Scenario = {
  name: 'overload',
  title: 'overload at 1, 3 and 10 times the capacity, by one greedy account beside a modest one',
  expected: `a closed loop finds the capacity for a mix of searches and lookups; then a greedy account sends 1, 3 and 10 times as much over up to ${floodConnections} connections, beside an account with one connection and ${modestPerSecond} requests a second. At ten times the modest account's p99 is at most three times its unloaded one (or under ${floorMs} ms), and it gets nothing but 200; /readyz is right in every probe; greedy requests are served again within 5 s of the flood; the memory is bounded.`,

  async run(drill) {
    const seconds = drill.isShort ? 4 : 20
    const world = await openWorld(drill)
    const [flood, probes] = [openLoadGenerator(drill.cleanup), openLoadGenerator(drill.cleanup)]
    await calibrate(world, flood, 2)
    const capacity = await calibrate(world, flood, drill.isShort ? 3 : 8)
    drill.figure('capacity', `${Math.round(capacity)} requests a second`)
    await delay(2_000)
    const watch = (forSeconds: number) =>
      probes({ origin: world.service.origin, seconds: forSeconds, flows: probeFlows(world) })
    const unloaded = (await watch(seconds)).modest!
    drill.figure('modest, unloaded', tellSpread(unloaded.successes))

    const sampler = new Sampler(() => world.service.pid, 250)
    for (const times of [1, 3, 10]) {
      const rate = times * capacity
      const question = { origin: world.service.origin, seconds, flows: [greedy(world, floodConnections, rate)] }
      const flooding = flood(question)
      // The flood is there when the probes begin, and until they end.
      await delay(1_000)
      const { modest, ready } = await watch(seconds - 2)
      const { greedy: sent } = await flooding
      const recoveredMs = await timeUntilServed(world.service.origin, greedyTexts(world)[0]!, 30_000)
      judge(
        drill,
        `${times} times`,
        { unloaded, modest: modest!, ready: ready!, sent: sent!, seconds, recoveredMs },
        times === 10,
      )
    }
    sampler.stop()
    const grown = sampler.mostMb - sampler.firstMb
    const memory = `${Math.round(sampler.firstMb)} MB before, ${Math.round(sampler.mostMb)} MB at most`
    drill.check(`the memory grows by at most ${mostGrowthMb} MB`, grown <= mostGrowthMb, memory)
    drill.plot(
      'memory',
      timeChart('Resident memory of the server under 1, 3 and 10 times its capacity', 'MB', [
        { label: 'server', points: sampler.memory() },
      ]),
    )
    await checkEnd(drill, world)
  },
}

interface Seen {
  unloaded: FlowResult
  modest: FlowResult
  ready: FlowResult
  sent: FlowResult
  seconds: number
  recoveredMs: number | null
}

/** Times are promised for ten times the capacity; answers for each load. */
function judge(drill: Drill, label: string, seen: Seen, isPromised: boolean): void {
  const { unloaded, modest, ready, sent, seconds, recoveredMs } = seen
  const ratio = modest.successes.p99Ms / unloaded.successes.p99Ms
  const came = `${inMs(unloaded.successes.p99Ms)} unloaded, ${inMs(modest.successes.p99Ms)} under load, ${ratio.toFixed(1)} times`
  const isFair = modest.successes.count > 0 && (ratio <= mostRatio || modest.successes.p99Ms <= floorMs)
  if (isPromised) drill.check(`${label}: modest's p99 is at most three times the unloaded one`, isFair, came)
  else drill.figure(`${label}: modest's p99`, came)
  const answers = tellAnswers(modest)
  drill.check(`${label}: modest gets nothing but 200`, modest.others.count === 0 && modest.successes.count > 0, answers)
  const isReady = ready.others.count === 0 && ready.successes.count > 0
  drill.check(
    `${label}: /readyz is right in every probe`,
    isReady,
    `${tellAnswers(ready)}; ${tellSpread(ready.successes)}`,
  )
  const recovery = recoveredMs === null ? 'not within 30 s' : inMs(recoveredMs)
  const isBack = recoveredMs !== null && recoveredMs <= recoverWithinMs
  drill.check(`${label}: greedy is served again within 5 s`, isBack, recovery)
  drill.figure(`${label}: modest`, `${answers}; ${tellSpread(modest.successes)}`)
  drill.figure(
    `${label}: greedy`,
    `${Math.round((sent.sent + sent.notSent) / seconds)} a second offered, ${Math.round(sent.sent / seconds)} sent; ${tellAnswers(sent)}; ${tellSpread(sent.successes)}`,
  )
}

async function calibrate(world: World, load: LoadGenerator, seconds: number): Promise<number> {
  const flows = [greedy(world, calibrationConnections, null)]
  const { greedy: result } = await load({ origin: world.service.origin, seconds, flows })
  return Math.max(1, result!.successes.count / seconds)
}

const greedy = (world: World, connections: number, ratePerSecond: number | null): Flow => ({
  name: 'greedy',
  connections,
  ratePerSecond,
  requests: greedyTexts(world),
  timeoutMs: 30_000,
})

function greedyTexts({ accounts, domains }: World): string[] {
  const { key } = accounts.greedy
  return domains
    .slice(0, 300)
    .flatMap((domain, index) => [
      searchStores(key, 25, { countries: [['US'], ['DE', 'FR'], ['GB']][index % 3] }),
      lookup(domain, key),
    ])
}

function probeFlows({ accounts, domains }: World): Flow[] {
  const { key } = accounts.modest
  const requests = domains.slice(300, 600).flatMap((domain) => [lookup(domain, key), searchStores(key, 5)])
  const ready = requestText('GET', '/readyz')
  return [
    { name: 'modest', connections: 1, ratePerSecond: modestPerSecond, requests, timeoutMs: 30_000 },
    { name: 'ready', connections: 1, ratePerSecond: 2, requests: [ready], timeoutMs: 10_000 },
  ]
}

const tellAnswers = ({ answers }: FlowResult) =>
  Object.entries(answers)
    .map(([name, count]) => `${name}: ${count}`)
    .join(', ') || 'nothing'
