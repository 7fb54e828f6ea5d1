import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** Installs what a folder's lock file names, unless present. Such packages are not dependencies of the project. */
export async function installFolderPackages(folder: string, reportInstallation: () => void): Promise<void> {
  const installed = join(folder, 'node_modules/.package-lock.json')
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(join(folder, 'package-lock.json')).mtimeMs)
    return
  reportInstallation()
  const npm = spawn('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const [code] = await once(npm, 'close')
  if (code !== 0) throw new Error(`npm ci failed in ${folder}`)
}
