import { createRequire } from 'node:module'
import { join } from 'node:path'
import { installFolderPackages } from '../../support/packages.ts'

const folder = join(import.meta.dirname, '../../peers')

/** Installs the packages of the peers, which are not dependencies of the project, unless present. */
export function installPeerPackages(reportProgress: (progress: string) => void): Promise<void> {
  return installFolderPackages(folder, () =>
    reportProgress('installing the packages of the peers (one of them is compiled, which takes a minute or two)'),
  )
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
