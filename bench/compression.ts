import { once } from 'node:events'
import { type IncomingMessage, request as openRequest } from 'node:http'
import { type Cleanup, mapOf, median, startWorker } from '@storedex/testkit'
import type { Request } from 'autocannon'
import { type EngineName, serveWith } from '../server/test/support/programs/program.ts'
import type { Workspace } from '../server/test/support/programs/workspace.ts'
import { prepareInstallation, warmupMs } from './api/installation.ts'
import { prepareSearches } from './api/load/load.ts'
import type { LoadTask } from './api/load/load.worker.ts'
import { taxonomyRequest } from './api/load/requests.ts'
import { type Figures, timingOf } from './api/load/stopwatch.ts'

const encodings = ['identity', 'gzip', 'br'] as const
type Encoding = (typeof encodings)[number]

interface CompressionOptions {
  stores: number
  seconds: number
  rounds: number
  connections: number
  accounts: number
  engine: EngineName
}

interface Ratio {
  median: number
  lowest: number
  highest: number
}

interface RequestFigures {
  name: string
  /** Medians of the rounds. */
  perSecond: Record<Encoding, number>
  /** Requests a second to those without compression, within a round. */
  toIdentity: Record<'gzip' | 'br', Ratio>
  /** The mean size of the bodies of the same replies. */
  bytes: Record<Encoding, number>
}

export interface CompressionFigures {
  settings: CompressionOptions
  requests: RequestFigures[]
}

/** At most so many replies are measured in bytes: of searches, two with each kind of filter. */
const sampledRequests = 24

/** Measures what compressing replies costs the service in throughput, and how much smaller they get. */
export async function benchCompression(
  { stores, seconds, rounds, connections, accounts, engine }: CompressionOptions,
  workspace: Workspace,
  cleanup: Cleanup,
  report: (progress: string) => void,
): Promise<CompressionFigures> {
  const settings = { stores, seconds, rounds, connections, accounts, engine }
  // Nothing is revealed: no contacts are needed for that.
  const content = { stores, accounts, seconds: 0 }
  const { program, keys, database, workload } = await prepareInstallation(content, workspace, cleanup, report)
  const { origin } = new URL((await serveWith(engine, program)).api)
  const searches = (operation: 'search' | 'contact_search', limit?: number) =>
    prepareSearches(origin, workload, keys, connections, operation, limit)
  report('preparing requests')
  /** The requests of each connection. */
  const loads: Record<string, Request[][]> = {
    search_25: await searches('search'),
    search_100: await searches('search', 100),
    contact_search: await searches('contact_search'),
    taxonomy: Array.from({ length: connections }, (_, index) => [taxonomyRequest(keys[index % keys.length]!)]),
  }
  const loader = startWorker<LoadTask, Figures>(new URL('./api/load/load.worker.ts', import.meta.url), cleanup)
  const timing = timingOf(seconds, warmupMs)
  await database.settle()
  const runs = Object.entries(loads).map(([name, load]) => {
    const perSecond: Record<Encoding, number[]> = { identity: [], gzip: [], br: [] }
    return { name, load, perSecond }
  })
  for (let round = 0; round < rounds; round++)
    for (const { name, load, perSecond } of runs)
      for (const encoding of startingAt(round)) {
        await database.emptyLedger()
        const encoded = load.map((requests) => ({ repeated: requests.map((each) => accepting(each, encoding)) }))
        const figures = await loader.call({ origin, allowRepeats: false, connections: encoded, timing })
        perSecond[encoding].push(figures.perSecond)
        report(`round ${round + 1}, ${name}, ${encoding}: ${Math.round(figures.perSecond)} a second`)
      }
  const requests: RequestFigures[] = []
  for (const { name, load, perSecond } of runs) {
    const sample = load.flat().slice(0, sampledRequests)
    const bytes = { identity: 0, gzip: 0, br: 0 }
    for (const encoding of encodings) {
      for (const each of sample) bytes[encoding] += await readBytes(origin, accepting(each, encoding))
      bytes[encoding] = Math.round(bytes[encoding] / sample.length)
    }
    const toIdentity = { gzip: ratioOf(perSecond.gzip, perSecond), br: ratioOf(perSecond.br, perSecond) }
    requests.push({ name, perSecond: mapOf(encodings, (encoding) => median(perSecond[encoding])), toIdentity, bytes })
  }
  return { settings, requests }
}

/** Each encoding comes first in turn, so that none always follows the same one. */
function startingAt(round: number): Encoding[] {
  const first = round % encodings.length
  return [...encodings.slice(first), ...encodings.slice(0, first)]
}

function accepting(request: Request, encoding: Encoding): Request {
  return { ...request, headers: { ...request.headers, 'accept-encoding': encoding } }
}

function ratioOf(perSecond: readonly number[], { identity }: Record<Encoding, number[]>): Ratio {
  const ratios = perSecond.map((each, round) => each / identity[round]!)
  return { median: median(ratios), lowest: Math.min(...ratios), highest: Math.max(...ratios) }
}

/** The size of a reply's body as it is sent: `fetch` would decompress it. */
async function readBytes(origin: string, { method, path, headers, body }: Request): Promise<number> {
  const request = openRequest(origin + path, { method, headers })
  request.end(body)
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  let bytes = 0
  for await (const chunk of response) bytes += (chunk as Buffer).length
  if (response.statusCode !== 200) throw new Error(`${method} ${path} got ${response.statusCode}`)
  return bytes
}

const count = (value: number) => Math.round(value).toLocaleString('en-US')
const ratio = ({ median, lowest, highest }: Ratio) =>
  `${median.toFixed(2)} (${lowest.toFixed(2)} to ${highest.toFixed(2)})`

export function formatCompression({ settings, requests }: CompressionFigures): string {
  const { stores, engine, connections, accounts, rounds, seconds } = settings
  const rows = requests.map(({ name, perSecond, toIdentity, bytes }) =>
    [
      ...[name, count(perSecond.identity), ratio(toIdentity.gzip), ratio(toIdentity.br)],
      ...encodings.map((encoding) => count(bytes[encoding])),
    ].join(' | '),
  )
  return [
    `${count(stores)} stores, searches on the engine ${engine}, ${connections} connections, ${accounts} accounts, ${rounds} rounds of ${seconds} s:`,
    '',
    '| request | identity a second | gzip/identity | br/identity | bytes, identity | gzip | br |',
    '| --- | ---: | ---: | ---: | ---: | ---: | ---: |',
    ...rows.map((row) => `| ${row} |`),
    '',
    'Medians of the rounds, with the lowest and highest ratio. Bytes: of the body of a reply, the mean of the same ones.',
  ].join('\n')
}
