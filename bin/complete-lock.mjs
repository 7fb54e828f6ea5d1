// Adds what npm leaves out of the lock file: the hashes of optional packages for other platforms than the writer's.
// Run it after a change of packages: `npm run complete-lock`. It asks the registry for those packages alone.
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'

const file = resolve(import.meta.dirname, '../package-lock.json')
const lock = JSON.parse(readFileSync(file, 'utf8'))
const unknown = []
for (const [path, entry] of Object.entries(lock.packages)) {
  if (!path.includes('node_modules/') || entry.link || entry.integrity) continue
  const name = `${path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)}@${entry.version}`
  const integrity = readIntegrity(name)
  if (integrity) {
    const { version, resolved, ...rest } = entry
    lock.packages[path] = { version, ...(resolved && { resolved }), integrity, ...rest }
  } else unknown.push(name)
}
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`)
for (const name of unknown) console.error(`The registry does not know ${name}.`)
process.exitCode = unknown.length > 0 ? 1 : 0

function readIntegrity(name) {
  try {
    const args = ['view', name, 'dist.integrity', '--loglevel=silent']
    return execFileSync('npm', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  } catch {
    return undefined
  }
}
