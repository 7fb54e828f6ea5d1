import project from '../../../../package.json' with { type: 'json' }
import { type Cli, printNote } from '../../doors/cli/context.ts'
import { runCommandLine } from '../../doors/cli/program.ts'
import type { Config } from '../../operations/config.ts'
import type { DatabaseDeps } from '../../operations/resources/database.ts'
import { listenForTermination, rejectOnAbort } from '../serving/termination.ts'

const termination = listenForTermination((sentence) => void warn(sentence))
let release = async () => {}

async function readSettings() {
  const { findProjectDir, readConfig } = await import('../../operations/config.ts')
  return readConfig(process.env, findProjectDir(import.meta.dirname))
}

async function createCommandLogger({ logLevel, isLogLevelGiven }: Config) {
  const { createProcessLogger } = await import('../../foundation/runtime/terminal-log.ts')
  // At the default level the command's own output is enough.
  const level = logLevel === 'info' ? 'warn' : logLevel
  return createProcessLogger({ level, isLevelGiven: isLogLevelGiven, stderr: process.stderr }).log
}

/** Logs a warning, which every level but `error` shows. */
async function warn(sentence: string): Promise<void> {
  try {
    const log = await createCommandLogger(await readSettings())
    log.warn(sentence)
  } catch {
    // Invalid settings end the process with a sentence of their own.
  }
}

/** Settings of a command, and how it opens the database. Loaded when a command needs them: most of a start is loading. */
async function readCommandSettings() {
  const config = await readSettings()
  const log = await createCommandLogger(config)
  return { config, options: { applicationName: 'storedex command', log, maxConnections: 4, asOwner: true } }
}

/** Makes sure that an interrupted command closes what it opens. */
function closeWhenInterrupted<D extends DatabaseDeps>(opening: Promise<D>): Promise<D> {
  release = async () => (await opening).close()
  return opening
}

const cli: Cli = {
  version: project.version,
  termination,
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  readConfig: readSettings,
  readServiceAccess: async () => (await import('../../operations/config.ts')).readServiceAccess(process.env),
  async openDatabase(config) {
    const { openDatabase } = await import('../../operations/resources/database.ts')
    const opening = openDatabase(config, await createCommandLogger(config))
    release = async () => (await opening).release()
    return opening
  },
  async openDatabaseDeps() {
    const { openDatabaseDeps } = await import('../../operations/resources/database.ts')
    const { config, options } = await readCommandSettings()
    return closeWhenInterrupted(openDatabaseDeps(config, options))
  },
  async openCatalogueDeps() {
    const [{ openCatalogueDeps }, { readInThread }, { threadProgram }] = await Promise.all([
      import('../../operations/resources/catalogue.ts'),
      import('../../catalogue/imports/threads/read-in-thread.ts'),
      import('../serving/programs.ts'),
    ])
    const { config, options } = await readCommandSettings()
    const deps = await closeWhenInterrupted(openCatalogueDeps(config, options))
    return { ...deps, startReading: readInThread(threadProgram('reading-thread')) }
  },
  async openDeps() {
    const [{ openDeps }, { standinProgram }] = await Promise.all([
      import('../../operations/deps.ts'),
      import('../serving/programs.ts'),
    ])
    const { config, options } = await readCommandSettings()
    return closeWhenInterrupted(openDeps(config, { ...options, standin: { args: standinProgram(config.projectDir) } }))
  },
  async serve(options) {
    const [{ serve }, config] = await Promise.all([import('./server.ts'), readSettings()])
    await serve(config, { ...options, stdout: process.stdout, stderr: process.stderr, termination })
  },
}

const args = process.argv.slice(2)
// The service shuts down in order; a command is abandoned and its resources are released.
const isCommand = args.find((arg) => !arg.startsWith('-')) !== 'serve'
const interruptedCode = 130

// The reader of a command's output may stop reading. The running service does not need its output.
process.stdout.on('error', () => isCommand && process.exit(1))

let code: number
try {
  const running = runCommandLine(args, cli)
  code = await (isCommand ? rejectOnAbort(termination, running) : running)
} catch (error) {
  if (!termination.aborted) {
    const { formatFailure } = await import('../../doors/cli/failure.ts')
    printNote(cli, `${formatFailure(error)}\n`)
  }
  code = termination.aborted ? interruptedCode : 1
  await release().catch(() => {})
}
process.exit(code)
