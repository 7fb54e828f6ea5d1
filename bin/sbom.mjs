// Writes the software bill of materials of what the service runs with, as CycloneDX: `npm run sbom [-- FILE]`.
// npm lists the packages of the lock file. Its own `--omit=dev` also leaves out packages that are needed in production
// and in development (fastify and pg among them), so the lock file decides here what belongs in.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const projectDir = resolve(import.meta.dirname, '..')
const file = resolve(process.argv[2] ?? join(projectDir, 'sbom.cdx.json'))

const [project, lock] = ['package.json', 'package-lock.json'].map((name) =>
  JSON.parse(readFileSync(join(projectDir, name), 'utf8')),
)
const { packages } = lock
const nameAt = (path) => packages[path].name ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
const shipped = new Set(
  Object.entries(packages)
    .filter(([path, { dev, link }]) => !dev && !link && path !== 'bench')
    .map(([path, { version }]) => `${nameAt(path)}@${version}`),
)

const { serialNumber: _, metadata, ...bom } = listPackages()

const components = bom.components.filter((component) => shipped.has(component['bom-ref']))
const dependencies = bom.dependencies
  .filter(({ ref }) => shipped.has(ref))
  .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((each) => shipped.has(each)) }))

// The same lock file gives the same bytes: no time of writing, no random number, not the name of the folder.
const { timestamp: __, ...keptMetadata } = metadata
const content = {
  ...bom,
  metadata: { ...keptMetadata, component: { ...metadata.component, name: 'storedex' } },
  components,
  dependencies,
}
const hash = createHash('sha256').update(JSON.stringify(content)).digest('hex')
const uuid = [
  hash.slice(0, 8),
  hash.slice(8, 12),
  `5${hash.slice(13, 16)}`,
  `8${hash.slice(17, 20)}`,
  hash.slice(20, 32),
]
writeFileSync(file, `${JSON.stringify({ ...content, serialNumber: `urn:uuid:${uuid.join('-')}` }, null, 2)}\n`)
console.log(`${components.length} packages in ${file}`)

/** What npm lists. The client, which the service does not run with, is left out: npm lists nothing if a workspace has no version. */
function listPackages() {
  const isKept = (path) => path !== 'client'
  const workspaces = project.workspaces.filter(isKept)
  const kept = Object.fromEntries(
    Object.entries(packages)
      .filter(([path, { link, resolved }]) => isKept(link ? resolved : path))
      .map(([path, entry]) => [path, path === '' ? { ...entry, workspaces } : entry]),
  )
  const folder = mkdtempSync(join(tmpdir(), 'storedex-sbom-'))
  try {
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...project, workspaces }))
    writeFileSync(join(folder, 'package-lock.json'), JSON.stringify({ ...lock, packages: kept }))
    const options = { cwd: folder, encoding: 'utf8', maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'inherit'] }
    const args = ['sbom', '--sbom-format=cyclonedx', '--package-lock-only', '--loglevel=error']
    return JSON.parse(execFileSync('npm', args, options))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
