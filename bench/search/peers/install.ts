import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

const folder = join(import.meta.dirname, '../../peers')

/** Installs the packages of the peers, which are not dependencies of the project, unless present. */
export async function installPeerPackages(reportProgress: (progress: string) => void): Promise<void> {
  const installed = join(folder, 'node_modules/.package-lock.json')
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(join(folder, 'package-lock.json')).mtimeMs)
    return
  reportProgress('installing the packages of the peers (one of them is compiled, which takes a minute or two)')
  const npm = spawn('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const [code] = await once(npm, 'close')
  if (code !== 0) throw new Error(`npm ci failed in ${folder}`)
}

/** A package of the peers, or undefined when it could not be installed. */
export function loadPeerPackage<T>(name: string): T | undefined {
  const require = createRequire(join(folder, 'package.json'))
  try {
    return require(name) as T
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'MODULE_NOT_FOUND') return undefined
    throw error
  }
}
