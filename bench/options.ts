import { parseArgs } from 'node:util'
import { parseCount, parseDecimal } from '../server/test/support/programs/command.ts'
import { type EngineName, engines } from '../server/test/support/programs/program.ts'
import { type Operation, operations } from './api/load/workload.ts'
import { dialects } from './messy/dialect.ts'
import { type PeerName, peerNames } from './search/peers/open.ts'

export const usage = `usage: npm run bench -- [api] [--stores N] [--seconds N] [--rounds N] [--connections N] [--accounts N] [--engine memory|postgres] [--only OPERATION,…] [--json]
       npm run bench -- compare --baseline COMMIT [--stores N] [--seconds N] [--rounds N] [--connections N,…] [--accounts N,…] [--only OPERATION,…] [--report FILE] [--json]
       npm run bench -- statements --baseline COMMIT [--stores N] [--rounds N] [--report FILE] [--json]
       npm run bench -- outage [the same options as api]
       npm run bench -- compression [--stores N] [--seconds N] [--rounds N] [--connections N] [--accounts N] [--engine memory|postgres]
       npm run bench -- import [--stores N] [--contacts N] [--serving]
       npm run bench -- import --baseline COMMIT [--stores N] [--contacts N] [--rounds N]
       npm run bench -- messy [--stores N] [--contacts N] [--only DIALECT,…] [--seed N] [--report FILE]
       npm run bench -- workbooks [--stores N]
       npm run bench -- ledger [--entries N]
       npm run bench -- exports [--stores N]
       npm run bench -- search [--stores N] [--peers PEER,… | none] [--rounds N] [--report FILE]
       npm run bench -- counts [--stores N] [--peers PEER,… | none] [--rounds N] [--report FILE]
       npm run bench -- exclude [--stores N]
       npm run bench -- bad-filters [--stores N] [--minutes N] [--seed N]
       npm run bench -- search-ready [--stores N] [--seconds N] [--connections N] [--report FILE]
       npm run bench -- profile [the options of api]
       npm run bench -- lighthouse [--link URL] [--rounds N] [--report FILE]
       npm run bench -- filters [--stores N] [--report FILE]
every bench takes --json, and --short for the least work that goes through all of its code
peers: ${peerNames.join(', ')}
operations: ${operations.join(', ')}
dialects: ${dialects.map(({ name }) => name).join(', ')}; files: small files that are judged as a whole`

/** The dialects of the messy files, and the small files that are judged as a whole. */
const messyParts: readonly string[] = [...dialects.map(({ name }) => name), 'files']

/** In the order of the documents. */
export const commands = [
  'api',
  'compare',
  'statements',
  'outage',
  'compression',
  'import',
  'messy',
  'workbooks',
  'ledger',
  'exports',
  'search',
  'counts',
  'exclude',
  'bad-filters',
  'search-ready',
  'profile',
  'lighthouse',
  'filters',
] as const

const defaults = {
  entries: '1000000',
  seconds: '2',
  minutes: '1',
  rounds: '3',
  connections: '32',
  accounts: '8',
  peers: peerNames.join(','),
}

const defaultsOf: { [name in (typeof commands)[number]]?: Partial<typeof defaults> } = {
  compare: { connections: '1,32,128', accounts: '1,8' },
  // With more at once, the service sends some replies as they are.
  compression: { connections: '16' },
  search: { rounds: '7' },
  counts: { rounds: '5' },
  'search-ready': { seconds: '5', connections: '16' },
}

/** Little work that goes through all of the code. */
const shortDefaults: typeof defaults & Record<'stores' | 'contacts', string> = {
  stores: '2000',
  contacts: '3000',
  entries: '20000',
  seconds: '0.2',
  minutes: '0.02',
  rounds: '1',
  connections: '32',
  accounts: '2',
  peers: 'none',
}

export interface Options {
  command: (typeof commands)[number]
  /** Whether it only has to go through all of the code. */
  isShort: boolean
  stores: number | null
  contacts: number | null
  /** Whether a service runs beside the imports. */
  serving: boolean
  entries: number
  seconds: number
  minutes: number
  rounds: number
  connections: number
  accounts: number
  /** Numbers of connections and of accounts, and the commit that is compared with this version. */
  crowds: { connections: readonly number[]; accounts: readonly number[] }
  baseline: string
  engine: EngineName
  operations: readonly Operation[]
  /** Ways to write a CSV file; `files` stands for the small ones. */
  dialects: readonly string[]
  seed: number
  peers: readonly PeerName[]
  /** A one-time link of a running service; null: one that the bench starts. */
  link: string | null
  report: string | null
  json: boolean
}

/** The options, or undefined for wrong usage. */
export function readOptions(args: string[]): Options | undefined {
  try {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: {
        stores: { type: 'string' },
        contacts: { type: 'string' },
        serving: { type: 'boolean', default: false },
        entries: { type: 'string' },
        seconds: { type: 'string' },
        minutes: { type: 'string' },
        rounds: { type: 'string' },
        connections: { type: 'string' },
        accounts: { type: 'string' },
        baseline: { type: 'string' },
        engine: { type: 'string', default: 'memory' },
        only: { type: 'string' },
        seed: { type: 'string', default: '1' },
        peers: { type: 'string' },
        short: { type: 'boolean', default: false },
        link: { type: 'string' },
        report: { type: 'string' },
        json: { type: 'boolean', default: false },
      },
    })
    const [word = 'api', ...rest] = positionals
    const command = commands.find((name) => name === word)
    const choices: readonly string[] = command === 'messy' ? messyParts : operations
    const named = values.only?.split(',') ?? choices
    if (!command) return undefined
    const given: typeof defaults & { stores?: string; contacts?: string } = values.short
      ? { ...shortDefaults, ...values }
      : { ...defaults, ...defaultsOf[command], ...values }
    const namedPeers = given.peers === 'none' ? [] : given.peers.split(',')
    const stores = given.stores === undefined ? null : parseCount(given.stores, 10_000_000)
    const contacts =
      given.contacts === undefined ? null : given.contacts === '0' ? 0 : parseCount(given.contacts, 10_000_000)
    const entries = parseCount(given.entries, 100_000_000)
    if (!entries || entries % 2 > 0) return undefined
    const seconds = parseDecimal(given.seconds, 600)
    const minutes = parseDecimal(given.minutes, 600)
    const rounds = parseCount(given.rounds, 100)
    const connections = parseCounts(given.connections, 256)
    const accounts = parseCounts(given.accounts, 8)
    const seed = parseCount(values.seed)
    const engine = engines.find((name) => name === values.engine)
    const chosen = operations.filter((operation) => named.includes(operation))
    const peers = peerNames.filter((peer) => namedPeers.includes(peer))
    if (rest.length > 0 || peers.length < namedPeers.length) return undefined
    if (stores === undefined || contacts === undefined || !seconds || !minutes || !rounds) return undefined
    if (!connections || !accounts) return undefined
    if (command !== 'compare' && (connections.length > 1 || accounts.length > 1)) return undefined
    const needsBaseline = command === 'compare' || command === 'statements'
    if (needsBaseline !== (values.baseline !== undefined) && command !== 'import') return undefined
    if (values.baseline !== undefined && values.serving) return undefined
    if (!named.every((name) => choices.includes(name)) || !engine || !seed) return undefined
    const { link = null, report = null, json, serving, short: isShort } = values
    if (link !== null && !URL.canParse(link)) return undefined
    return {
      command,
      isShort,
      stores,
      contacts,
      serving,
      entries,
      seconds,
      minutes,
      rounds,
      connections: connections[0]!,
      accounts: accounts[0]!,
      crowds: { connections, accounts },
      baseline: values.baseline ?? '',
      engine,
      operations: chosen,
      dialects: named,
      seed,
      peers,
      link,
      report,
      json,
    }
  } catch {
    return undefined
  }
}

/** Counts with commas between them, without repetitions; undefined when one of them is wrong. */
function parseCounts(text: string, most: number): number[] | undefined {
  const counts = [...new Set(text.split(','))].map((each) => parseCount(each, most))
  return counts.every((each) => each !== undefined) ? counts : undefined
}
