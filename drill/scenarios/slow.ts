import { setTimeout as delay } from 'node:timers/promises'
import { describeLatencies, formatMs, summarizeLatencies } from '../client/counts.ts'
import { requestText } from '../client/http-connection.ts'
import { MisbehavingConnections, type MisbehavingConnectionsOptions } from '../client/misbehaving-connections.ts'
import { Probe, timeUntilServed } from '../client/probe.ts'
import { checkInvariants, type Installation, lookup, openInstallation } from '../installation/installation.ts'
import { ProcessSampler } from '../installation/resources.ts'
import type { Drill, Scenario } from '../scenario.ts'

/** Length of the unfinished body: half of the allowed size. */
const bodyBytes = 128 * 1024
const maxGrowthMb = 150
const maxRatio = 10
/** Times below this depend mainly on the machine. The short form runs beside other tests. */
const [floorMs, shortFloorMs] = [1_000, 3_000]
const pipelined = 40

type Kind = Omit<MisbehavingConnectionsOptions, 'origin'> & { name: string; seconds: number }

export const slow: Scenario = {
  name: 'slow',
  title: 'slow headers, slow bodies, readers that do not read, idle connections',
  expected: `each kind of connection is there for a while, beside a healthy client. The healthy client gets nothing but 200, its p99 stays under ten times the unloaded one (or ${formatMs(floorMs)}), the server's memory grows by at most ${maxGrowthMb} MB, and slow senders and readers are closed.`,

  async run(drill) {
    const installation = await openInstallation(drill)
    const text = lookup(installation.domains[5]!, installation.accounts.modest.key)
    const unloadedMs = await measure(installation, text, drill.isShort ? 3 : 8)
    drill.figure('healthy client, unloaded', describeLatencies(summarizeLatencies(unloadedMs)))
    const kinds = kindsOf(installation, drill.isShort)
    for (const kind of kinds) await measureBeside(drill, installation, text, kind, summarizeLatencies(unloadedMs).p99Ms)
    await checkInvariants(drill, installation)
  },
}

function kindsOf({ accounts }: Installation, isShort: boolean): Kind[] {
  const head = `POST /api/v1/stores/search HTTP/1.1\r\nhost: drill\r\nauthorization: Bearer ${accounts.greedy.key}\r\n`
  const body = `${head}content-type: application/json\r\ncontent-length: ${bodyBytes}\r\n\r\n{"filters":"${'x'.repeat(bodyBytes - 2_000)}`
  // The largest reply without a key: more than the system's socket buffers hold.
  const reads = requestText('GET', '/docs/scalar.js').repeat(pipelined)
  // A client that does not read notices a closed connection only when it writes.
  const readers = {
    name: 'readers that do not read',
    count: 60,
    firstBytes: () => reads,
    repeatedBytes: '\r\n',
    repeatEveryMs: 1_000,
    reads: false,
  }
  if (isShort) return [{ ...readers, seconds: 8 }]
  return [
    {
      name: 'slow headers',
      count: 300,
      firstBytes: () => 'GET /healthz HTTP/1.1\r\n',
      repeatedBytes: 'x-a: b\r\n',
      repeatEveryMs: 1_000,
      reads: true,
      seconds: 25,
    },
    {
      name: 'slow bodies',
      count: 300,
      firstBytes: () => body,
      repeatedBytes: 'x',
      repeatEveryMs: 1_000,
      reads: true,
      seconds: 40,
    },
    { ...readers, seconds: 45 },
    {
      name: 'idle connections',
      count: 1_000,
      firstBytes: () => '',
      repeatedBytes: null,
      repeatEveryMs: 0,
      reads: true,
      seconds: 20,
    },
  ]
}

async function measure({ service }: Installation, text: string, seconds: number): Promise<number[]> {
  const client = new Probe({ origin: service.origin, text, everyMs: 50 })
  await delay(seconds * 1_000)
  await client.stop()
  return client.successesMs()
}

async function measureBeside(
  drill: Drill,
  installation: Installation,
  text: string,
  kind: Kind,
  unloadedP99Ms: number,
): Promise<void> {
  const { name, seconds, ...options } = kind
  const { origin } = installation.service
  const sampler = new ProcessSampler(() => installation.service.pid, 250)
  const client = new Probe({ origin, text, everyMs: 50 })
  const connections = new MisbehavingConnections({ origin, ...options })
  drill.cleanup.add(() => connections.close())
  await delay(seconds * 1_000)
  await client.stop()
  sampler.stop()
  const { closed } = connections
  connections.close()
  const latencies = summarizeLatencies(client.successesMs())
  const isWell =
    latencies.p99Ms <= Math.max(drill.isShort ? shortFloorMs : floorMs, maxRatio * unloadedP99Ms) && latencies.count > 0
  drill.check(`${name}: the healthy client's p99 stays bounded`, isWell, describeLatencies(latencies))
  drill.check(
    `${name}: the healthy client gets nothing but 200`,
    client.answers.besides('200') === 0,
    String(client.answers),
  )
  const grown = sampler.maxMb - sampler.firstMb
  const memory = `${Math.round(sampler.firstMb)} MB before, ${Math.round(sampler.maxMb)} MB at most`
  drill.check(`${name}: the memory grows by at most ${maxGrowthMb} MB`, grown <= maxGrowthMb, memory)
  // A connection without a request may stay open.
  const said = [...connections.statuses].map(([status, count]) => `${status}: ${count}`).join(', ')
  const closings = `${closed} of ${options.count} closed within ${seconds} s${said && `; told ${said}`}`
  if (drill.isShort || options.firstBytes(0) === '') drill.figure(`${name}: connections closed by the server`, closings)
  else drill.check(`${name}: they are closed`, closed === options.count, closings)
  const servedMs = await timeUntilServed(origin, text, 30_000)
  drill.figure(`${name}: served again after they left`, servedMs === null ? 'not within 30 s' : formatMs(servedMs))
}
