import type { Cli } from '../cli/context.ts'
import { formatFailure, runCommandLine } from '../cli/program.ts'
import { findProjectDir, readConfig } from '../config.ts'
import { type Deps, openDeps } from '../deps.ts'
import { createLogger } from '../runtime/logger.ts'
import { listenForTermination, rejectOnAbort, standinProgram } from './process.ts'

const termination = listenForTermination()
let opening: Promise<Deps> | undefined

const cli: Cli = {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  openDeps() {
    const config = readConfig(process.env, findProjectDir(import.meta.dirname))
    // At the default level the command's own output is enough.
    const level = config.logLevel === 'info' ? 'warn' : config.logLevel
    opening = openDeps(config, {
      applicationName: 'storedex command',
      log: createLogger({ level }),
      maxConnections: 4,
      asOwner: true,
      standin: { args: standinProgram(config.projectDir) },
    })
    return opening
  },
  async serve(options) {
    const { serve } = await import('./server.ts')
    const config = readConfig(process.env, findProjectDir(import.meta.dirname))
    await serve(config, { ...options, stdout: process.stdout, termination })
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
  if (!termination.aborted) process.stderr.write(`${formatFailure(error)}\n`)
  code = termination.aborted ? interruptedCode : 1
  await opening?.then((deps) => deps.close()).catch(() => {})
}
process.exit(code)
