import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, posix, resolve } from 'node:path'
import type { SourceFacts } from './facts.ts'
import { parse } from './parse.ts'

export const project = resolve(import.meta.dirname, '../../../../..')

/** The folders with source code, except examples in documents. */
const roots = ['bench', 'bin', 'catalogue/build', 'client', 'console', 'drill', 'packages', 'server', 'stripe-standin']
const isSkipped = (name: string) => name.startsWith('.') || ['node_modules', 'dist', 'results'].includes(name)

/** All paths of files below a folder of the project. */
function pathsIn(folder: string): string[] {
  return readdirSync(join(project, folder), { withFileTypes: true }).flatMap((entry) => {
    if (isSkipped(entry.name)) return []
    const path = `${folder}/${entry.name}`
    return entry.isDirectory() ? pathsIn(path) : [path]
  })
}

/** Every source file, in order of its path. */
export const sourcePaths = roots.flatMap(pathsIn).filter((path) => /\.(ts|tsx|mjs)$/.test(path))

/** A file is read when a rule first wants it, and kept for the tests of this worker. */
const parsed = new Map<string, SourceFacts>()

export function factsOf(path: string): SourceFacts {
  let facts = parsed.get(path)
  if (!facts) {
    facts = parse(path, readFileSync(join(project, path), 'utf8'))
    parsed.set(path, facts)
  }
  return facts
}

/** The source files whose path begins so or matches. */
export function filesIn(part: string | RegExp): SourceFacts[] {
  const isIn = (path: string) => (typeof part === 'string' ? path.startsWith(part) : part.test(path))
  return sourcePaths.filter(isIn).map(factsOf)
}

/** The files that export each name. A name that is only passed on counts where it is made. */
export function exportersOf(files: readonly SourceFacts[]): Map<string, string[]> {
  const exporters = new Map<string, string[]>()
  for (const { path, exports } of files)
    for (const name of new Set(exports)) exporters.set(name, [...(exporters.get(name) ?? []), path])
  return exporters
}

/** Tests and their helpers, in whichever workspace. */
export function isTestPath(path: string): boolean {
  return /^(packages\/[^/]+|[^/]+)\/test\//.test(path)
}

/** `server`, `packages/search-index`, `bench`. */
export function workspaceOf(path: string): string {
  return /^(packages\/[^/]+|[^/]+)/.exec(path)![0]
}

/** The project's path of what a file imports, or a package's name. */
export function resolveImport(path: string, from: string): string {
  if (from.startsWith('.')) return posix.join(dirname(path), from)
  if (from.startsWith('#')) return `console/src/${from.slice(1)}`
  const own = /^@storedex\/([\w-]+)/.exec(from)?.[1]
  if (own === undefined) return from
  return sourcePaths.some((each) => each.startsWith(`packages/${own}/`)) ? `packages/${own}` : own
}
