import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { expectOnlyKnown } from './support/exceptions.ts'
import type { SourceFacts } from './support/facts.ts'
import { parse } from './support/parse.ts'
import { exportersOf, filesIn, project, sourcePaths } from './support/tree.ts'

/** Names that two files of the group export, with these files. */
function namesTwice(files: readonly SourceFacts[]): string[] {
  return [...exportersOf(files)]
    .filter(([, paths]) => paths.length > 1)
    .map(([name, paths]) => [name, ...paths].join(' '))
}

// The console's types from the API's document have the names of that document, and are renamed where they are used.
describe('one name has one meaning: no two files export the same', () => {
  test.each([
    ['the service and its packages', /^(server|packages\/[\w-]+)\/src\//],
    ['the console', /^console\/src\/(?!api\/generated\/)/],
    ['the client', /^client\/src\/(?!generated\/)/],
    ['the stand-in for the payment provider', /^stripe-standin\/src\//],
    ['the programs', /^(bin|catalogue)\/(?!test\/)/],
    ['the benches', /^bench\/(?!test\/)/],
    ['the drill', /^drill\/(?!test\/)/],
  ])('%s', (_, within) => {
    const files = filesIn(within)
    expect(files.length).toBeGreaterThan(9)
    expect(namesTwice(files)).toEqual([])
  })

  test.each([
    'export function lock() {}',
    'export async function* lock() {}',
    'export const { lock } = all',
    'const lock = 1; export { lock }',
    'export interface lock {}',
  ])('%s is seen', (text) => {
    expect(namesTwice([parse('a.ts', 'export const lock = 1'), parse('b.ts', text)])).toEqual(['lock a.ts b.ts'])
  })

  test('a name that is passed on is no second one', () => {
    expect(
      namesTwice([parse('a.ts', 'export const lock = 1'), parse('b.ts', "export { lock } from './a.ts'")]),
    ).toEqual([])
  })
})

test('a folder holds at most fifteen files', () => {
  const counts = new Map<string, number>()
  for (const path of sourcePaths) {
    const folder = path.slice(0, path.lastIndexOf('/'))
    counts.set(folder, (counts.get(folder) ?? 0) + 1)
  }
  const full = [...counts].filter(([, count]) => count > 15).map(([folder, count]) => `${folder}: ${count}`)
  expectOnlyKnown(full, [])
})

// Files of the console below 25 lines, each with the reason why it is not part of the file that imports it.
const addressOfPage = 'read by the router at the first load; the page is loaded later'
const smallFiles: Record<string, string> = {
  'lib/save-file.ts': 'shared by two pages that otherwise share no code',
  'lib/use-submit.ts': 'shared by all forms; pages without forms do not load it',
  'pages/account/roles.ts': 'shared by two pages that are loaded separately',
  'pages/keys/search.ts': addressOfPage,
  'pages/lists/search.ts': addressOfPage,
  'pages/revealed/search.ts': addressOfPage,
  'pages/stores/search.ts': addressOfPage,
  'shell/keyboard/keyboard-help.tsx': 'loaded with the first press of its key',
  'ui/class-names.ts': 'imported by nearly every control',
  'ui/feedback/toasts.tsx': 'imported by the list of toasts, which is loaded with the first toast',
}

test('a file of the console has at least 25 lines, or a reason', () => {
  const lines = (path: string) => readFileSync(join(project, path), 'utf8').trimEnd().split('\n').length
  const paths = sourcePaths.filter((path) => path.startsWith('console/src/'))
  expect(paths.length).toBeLessThanOrEqual(285)
  const small = paths.filter((path) => lines(path) < 25).map((path) => path.slice('console/src/'.length))
  expectOnlyKnown(small, Object.keys(smallFiles))
})
