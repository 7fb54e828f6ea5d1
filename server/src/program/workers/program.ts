import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

/** How to run a worker. */
export interface WorkerProgram {
  exec: string
  execArgv: readonly string[]
  /** Variables beside this process's environment. */
  env: Readonly<Record<string, string>>
}

const bundleName = 'worker.js'

/** The program of the same version as this process: its bundle, otherwise its source. */
export function currentProgram(): WorkerProgram {
  const bundle = fileURLToPath(new URL(`./${bundleName}`, import.meta.url))
  if (existsSync(bundle)) return { exec: bundle, execArgv: process.execArgv, env: {} }
  const source = fileURLToPath(new URL('../bin/worker.ts', import.meta.url))
  return { exec: source, execArgv: [...process.execArgv, '--import', import.meta.resolve('tsx')], env: {} }
}

/** What `storedex prepare --json` prints. */
interface Prepared {
  /** The bundle of the command line. */
  entry: string
  console: string | null
}

/** The program of the version that is in the checkout now, bundled by that version's launcher. */
export async function newestProgram(projectDir: string): Promise<WorkerProgram> {
  const current = currentProgram()
  if (!current.exec.endsWith(bundleName)) return current
  const launcher = join(projectDir, 'bin/storedex.mjs')
  const { stdout } = await promisify(execFile)(process.execPath, [launcher, 'prepare', '--json'], { cwd: projectDir })
  const { entry, console } = JSON.parse(stdout) as Prepared
  const exec = join(dirname(entry), bundleName)
  // Where the checkout cannot be written to, a new bundle would be gone with the process that made it.
  if (!existsSync(exec)) return current
  return { ...current, exec, env: console === null ? {} : { CONSOLE_DIR: console } }
}
