import { Readable, Writable } from 'node:stream'
import { beforeAll } from 'vitest'
import { runCommandLine } from '../../../../src/doors/cli/program.ts'
import { createLogger } from '../../../../src/foundation/runtime/logger.ts'
import { findProjectDir, readConfig, readServiceAccess } from '../../../../src/operations/config.ts'
import type { Deps } from '../../../../src/operations/deps.ts'
import { openDatabase } from '../../../../src/operations/resources/database.ts'
import { atEnd } from '../../../support/cleanup.ts'
import { createTestDatabase } from '../../../support/database.ts'
import { openTestDeps } from '../../../support/deps.ts'
import { createManualClock, testDataKeys } from '../../../support/fixtures.ts'

interface CommandResult {
  code: number
  stdout: string
  stderr: string
}

export interface CommandLine {
  deps: Deps
  clock: ReturnType<typeof createManualClock>
  /** Runs one command line in this process, without closing the resources. */
  run(...args: string[]): Promise<CommandResult>
  runWithInput(input: string, ...args: string[]): Promise<CommandResult>
  /** Runs a command with --json that must succeed; returns its document. */
  json<T = Record<string, unknown>>(...args: string[]): Promise<T>
}

/** Creates a command line on a database for the test file, with a fixed time. */
export function openCommandLine(now: string): CommandLine {
  const commandLine = {} as CommandLine
  let deps: Deps
  const clock = createManualClock(now)
  beforeAll(async () => {
    const { url } = await createTestDatabase()
    const environment = { DATABASE_URL: url, DATA_KEYS: testDataKeys, LOG_LEVEL: 'silent' }
    const config = readConfig(environment, findProjectDir(import.meta.dirname))
    deps = await openTestDeps(config, { clock, maxConnections: 4, asOwner: true })
    commandLine.deps = deps
  })
  atEnd(() => deps.close())

  const runWithInput: CommandLine['runWithInput'] = (input, ...args) => runCommand(deps, args, input)
  const run: CommandLine['run'] = (...args) => runCommand(deps, args)
  const json: CommandLine['json'] = async (...args) => {
    const { code, stdout, stderr } = await run(...args, '--json')
    if (code !== 0) throw new Error(`storedex ${args.join(' ')} ended with ${code}: ${stderr}`)
    return JSON.parse(stdout)
  }
  return Object.assign(commandLine, { clock, run, runWithInput, json })
}

/** Runs one command line in this process, with these resources. */
export async function runCommand(deps: Deps, args: string[], input = ''): Promise<CommandResult> {
  const [stdout, stderr] = [new Collector(), new Collector()]
  const open = async () => ({ ...deps, db: deps.ownerDb, close: async () => {} })
  const code = await runCommandLine(args, {
    version: '1.2.3',
    readConfig: async () => deps.config,
    readServiceAccess: async () => readServiceAccess({}),
    openDatabase: (config) => openDatabase(config, createLogger({ level: 'silent' })),
    openDatabaseDeps: open,
    openCatalogueDeps: open,
    openDeps: open,
    serve: async () => {},
    stdin: Readable.from(input ? [Buffer.from(input)] : []),
    stdout,
    stderr,
  })
  return { code, stdout: stdout.text, stderr: stderr.text }
}

class Collector extends Writable {
  text = ''

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk
    done()
  }
}
