import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { withLock } from '@storedex/process-lock'
import { atEnd, removeFolder } from '../../../support/cleanup.ts'

/** Programs of others, with a lock file of their own: hundreds of packages that nothing else here needs. */
export const toolsDir = join(import.meta.dirname, '../tools')

const run = promisify(execFile)
const maxBuffer = 64 * 2 ** 20

/** Installs the tools, once for all test files and until their lock file changes. */
export async function installTools(): Promise<void> {
  const isInstalled = () => {
    const record = join(toolsDir, 'node_modules/.package-lock.json')
    if (!existsSync(record)) return false
    const { packages } = JSON.parse(readFileSync(join(toolsDir, 'package-lock.json'), 'utf8'))
    const installed = JSON.parse(readFileSync(record, 'utf8')).packages
    return Object.entries<{ version: string }>(installed).every(
      ([path, { version }]) => packages[path]?.version === version,
    )
  }
  const install = async () => {
    if (isInstalled()) return
    await run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: toolsDir })
  }
  const lockDir = join(tmpdir(), 'storedex-contract-tools')
  mkdirSync(lockDir, { recursive: true })
  await withLock(lockDir, install, { timeoutMs: 900_000, waitingFor: 'the tools of the contract' })
}

/** Runs a script or program of the tools; throws what it printed. */
export async function runTool(
  file: string,
  args: string[],
  options: { node?: string; cwd?: string } = {},
): Promise<string> {
  const { node = process.execPath, cwd = toolsDir } = options
  return (await run(node, [join(toolsDir, file), ...args], { cwd, maxBuffer })).stdout
}

/** Runs any program; throws what it printed. */
export async function runProgram(program: string, args: string[], cwd: string): Promise<string> {
  try {
    return (await run(program, args, { cwd, maxBuffer })).stdout
  } catch (error) {
    const { stdout, stderr } = error as { stdout?: string; stderr?: string }
    throw new Error(`${program} ${args.join(' ')} failed:\n${stdout ?? ''}${stderr ?? ''}`, { cause: error })
  }
}

/** A folder for what a tool generates; removed after the file's tests. */
export function generatedFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'storedex-generated-'))
  atEnd(() => removeFolder(folder))
  return folder
}

/** Writes the document that a service serves to a file of the folder, and returns its path. */
export async function saveDocument(address: string, folder: string): Promise<string> {
  const file = join(folder, 'openapi.json')
  await writeFile(file, await (await fetch(`${address}/openapi.json`)).text())
  return file
}
