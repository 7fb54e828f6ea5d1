import { join } from 'node:path'
import { runExclusively } from '../db/exclusive.ts'
import type { Deps } from '../deps.ts'
import { loadDemonstration, loadSandbox } from '../imports/demo.ts'
import { type DemoKeys, provideDemoKeys } from './demo-keys.ts'

/**
 * What a first start adds to an empty database, and a later one finds done: the sandbox that test keys see, and unless
 * the operator starts empty, the demonstration with keys to try it. Of several starters one does it, the others wait.
 */
export function prepareCatalogueAndKeys(deps: Deps): Promise<DemoKeys | null> {
  const folder = (name: string) => join(deps.config.projectDir, 'catalogue', name)
  return runExclusively(deps.databaseUrl, async () => {
    await loadSandbox(deps, folder('sandbox'))
    if (!deps.config.demo) return null
    await loadDemonstration(deps, folder('demo'))
    return provideDemoKeys(deps)
  })
}
