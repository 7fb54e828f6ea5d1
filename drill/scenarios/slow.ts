import { setTimeout as delay } from 'node:timers/promises'
import { inMs, spreadOf, tellSpread } from '../client/counts.ts'
import { requestText } from '../client/http-connection.ts'
import { Crowd, type CrowdOptions } from '../client/misbehaving-connections.ts'
import { Probe, timeUntilServed } from '../client/probe.ts'
import { checkEnd, lookup, openWorld, type World } from '../installation/installation.ts'
import { Sampler } from '../installation/resources.ts'
import type { Drill, Scenario } from '../scenario.ts'

/** The body that never ends: half of what a request may bring. */
const bodyBytes = 128 * 1024
const mostGrowthMb = 150
const mostRatio = 10
/** Below this, times say more about the machine than about the service. The short form runs beside other tests. */
const [floorMs, shortFloorMs] = [1_000, 3_000]
const pipelined = 40

type Kind = Omit<CrowdOptions, 'origin'> & { name: string; seconds: number }

export const slow: Scenario = {
  name: 'slow',
  title: 'slow headers, slow bodies, readers that do not read, idle connections',
  expected: `each kind of connection is there for a while, beside a healthy client. The healthy client gets nothing but 200, its p99 stays under ten times the unloaded one (or ${inMs(floorMs)}), the server's memory grows by at most ${mostGrowthMb} MB, and slow senders and readers are closed.`,

  async run(drill) {
    const world = await openWorld(drill)
    const text = lookup(world.domains[5]!, world.accounts.modest.key)
    const unloadedMs = await measure(world, text, drill.isShort ? 3 : 8)
    drill.figure('healthy client, unloaded', tellSpread(spreadOf(unloadedMs)))
    const kinds = kindsOf(world, drill.isShort)
    for (const kind of kinds) await besideCrowd(drill, world, text, kind, spreadOf(unloadedMs).p99Ms)
    await checkEnd(drill, world)
  },
}

function kindsOf({ accounts }: World, isShort: boolean): Kind[] {
  const head = `POST /api/v1/stores/search HTTP/1.1\r\nhost: drill\r\nauthorization: Bearer ${accounts.greedy.key}\r\n`
  const body = `${head}content-type: application/json\r\ncontent-length: ${bodyBytes}\r\n\r\n{"filters":"${'x'.repeat(bodyBytes - 2_000)}`
  // The largest reply there is, which needs no key: no system takes all of this into its own buffers.
  const reads = requestText('GET', '/docs/scalar.js').repeat(pipelined)
  // A client that reads nothing learns of a closed connection only by writing.
  const readers = {
    name: 'readers that do not read',
    count: 60,
    greeting: () => reads,
    drip: '\r\n',
    dripEveryMs: 1_000,
    reads: false,
  }
  if (isShort) return [{ ...readers, seconds: 8 }]
  return [
    {
      name: 'slow headers',
      count: 300,
      greeting: () => 'GET /healthz HTTP/1.1\r\n',
      drip: 'x-a: b\r\n',
      dripEveryMs: 1_000,
      reads: true,
      seconds: 25,
    },
    { name: 'slow bodies', count: 300, greeting: () => body, drip: 'x', dripEveryMs: 1_000, reads: true, seconds: 40 },
    { ...readers, seconds: 45 },
    {
      name: 'idle connections',
      count: 1_000,
      greeting: () => '',
      drip: null,
      dripEveryMs: 0,
      reads: true,
      seconds: 20,
    },
  ]
}

async function measure({ service }: World, text: string, seconds: number): Promise<number[]> {
  const client = new Probe({ origin: service.origin, text, everyMs: 50 })
  await delay(seconds * 1_000)
  await client.stop()
  return client.successesMs()
}

async function besideCrowd(drill: Drill, world: World, text: string, kind: Kind, unloadedP99Ms: number): Promise<void> {
  const { name, seconds, ...options } = kind
  const { origin } = world.service
  const sampler = new Sampler(() => world.service.pid, 250)
  const client = new Probe({ origin, text, everyMs: 50 })
  const crowd = new Crowd({ origin, ...options })
  drill.cleanup.add(() => crowd.leave())
  await delay(seconds * 1_000)
  await client.stop()
  sampler.stop()
  const { closed } = crowd
  crowd.leave()
  const spread = spreadOf(client.successesMs())
  const isWell =
    spread.p99Ms <= Math.max(drill.isShort ? shortFloorMs : floorMs, mostRatio * unloadedP99Ms) && spread.count > 0
  drill.check(`${name}: the healthy client's p99 stays bounded`, isWell, tellSpread(spread))
  drill.check(
    `${name}: the healthy client gets nothing but 200`,
    client.answers.besides('200') === 0,
    String(client.answers),
  )
  const grown = sampler.mostMb - sampler.firstMb
  const memory = `${Math.round(sampler.firstMb)} MB before, ${Math.round(sampler.mostMb)} MB at most`
  drill.check(`${name}: the memory grows by at most ${mostGrowthMb} MB`, grown <= mostGrowthMb, memory)
  // A connection that asked for nothing yet may stay as long as there is room.
  const said = [...crowd.statuses].map(([status, count]) => `${status}: ${count}`).join(', ')
  const closings = `${closed} of ${options.count} closed within ${seconds} s${said && `; told ${said}`}`
  if (drill.isShort || options.greeting(0) === '') drill.figure(`${name}: connections closed by the server`, closings)
  else drill.check(`${name}: they are closed`, closed === options.count, closings)
  const servedMs = await timeUntilServed(origin, text, 30_000)
  drill.figure(`${name}: served again after they left`, servedMs === null ? 'not within 30 s' : inMs(servedMs))
}
