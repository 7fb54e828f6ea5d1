/**
 * Measurements, on a database and processes of their own that are gone afterwards. DATABASE_URL may name a PostgreSQL
 * server to use in place of the embedded one.
 *
 *   npm run bench -- [api] [--stores 100000] [--seconds 2] [--rounds 3] [--connections 32] [--only search,reveal_1] [--json]
 *   npm run bench -- outage [the same options]
 *   npm run bench -- import [--stores 1000000] [--contacts 0]
 */
import { parseArgs } from 'node:util'
import { untilAborted, watchTermination } from '../server/src/bin/termination.ts'
import { OperatorError } from '../server/src/kernel/errors.ts'
import { benchApi } from './api/bench.ts'
import { tellReport } from './api/table.ts'
import { type Operation, operations } from './api/workload.ts'
import { Cleanup } from './cleanup.ts'
import { benchOutage } from './outage/bench.ts'
import { openPlace } from './place.ts'
import { runScript } from './program.ts'

const usage = `usage: npm run bench -- [api] [--stores N] [--seconds N] [--rounds N] [--connections N] [--only OPERATION,…] [--json]
       npm run bench -- outage [the same options]
       npm run bench -- import [--stores N] [--contacts N]
operations: ${operations.join(', ')}`

interface Options {
  command: 'api' | 'outage' | 'import'
  stores: number | null
  contacts: number
  seconds: number
  rounds: number
  connections: number
  operations: readonly Operation[]
  json: boolean
}

/** The options, or undefined for wrong usage. */
function readOptions(args: string[]): Options | undefined {
  const whole = (text: string, most: number) =>
    /^\d{1,9}$/.test(text) && +text >= 1 && +text <= most ? +text : undefined
  try {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: {
        stores: { type: 'string' },
        contacts: { type: 'string' },
        seconds: { type: 'string', default: '2' },
        rounds: { type: 'string', default: '3' },
        connections: { type: 'string', default: '32' },
        only: { type: 'string', default: operations.join(',') },
        json: { type: 'boolean', default: false },
      },
    })
    const [command = 'api', ...rest] = positionals
    const named = values.only.split(',')
    const stores = values.stores === undefined ? null : whole(values.stores, 10_000_000)
    const contacts = values.contacts === undefined ? 0 : whole(values.contacts, 10_000_000)
    const seconds = whole(values.seconds, 600)
    const rounds = whole(values.rounds, 100)
    const connections = whole(values.connections, 256)
    const chosen = operations.filter((operation) => named.includes(operation))
    if ((command !== 'api' && command !== 'outage' && command !== 'import') || rest.length > 0) return undefined
    if (stores === undefined || contacts === undefined || !seconds || !rounds || !connections) return undefined
    if (chosen.length < named.length) return undefined
    return { command, stores, contacts, seconds, rounds, connections, operations: chosen, json: values.json }
  } catch {
    return undefined
  }
}

const tell = (progress: string) => void process.stderr.write(`${progress}\n`)

async function run({ command, json, stores, contacts, ...options }: Options, cleanup: Cleanup): Promise<void> {
  const place = await openPlace(process.env.DATABASE_URL || null, cleanup)
  if (command === 'import') {
    const counts = ['--stores', String(stores ?? 1_000_000), '--contacts', String(contacts)]
    return runScript('import.ts', ['--url', place.databaseUrl, ...counts], place, cleanup)
  }
  if (command === 'outage') {
    const figures = await benchOutage({ ...options, stores: stores ?? 100_000 }, place, cleanup, tell)
    process.stdout.write(`${JSON.stringify(figures, null, json ? undefined : 2)}\n`)
    return
  }
  const report = await benchApi({ ...options, stores: stores ?? 100_000 }, place, cleanup, tell)
  process.stdout.write(`${json ? JSON.stringify(report) : tellReport(report)}\n`)
}

const interruptedCode = 130
const termination = watchTermination()
const cleanup = new Cleanup()
const options = readOptions(process.argv.slice(2))

let code = 0
try {
  if (options) await untilAborted(termination, run(options, cleanup))
  else {
    process.stderr.write(`${usage}\n`)
    code = 2
  }
} catch (error) {
  code = termination.aborted ? interruptedCode : 1
  if (!termination.aborted) tell(error instanceof OperatorError ? error.message : String((error as Error).stack))
}
await cleanup.run()
process.exit(code)
