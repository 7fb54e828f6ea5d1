import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { filesIn, project, sourcePaths } from './support/tree.ts'

// Promises that cross rooms stand in promises/, whole programs and their documents in deep/, helpers in support/.
const shared = /^(promises|deep|support)$/
const tests = sourcePaths.filter((path) => path.startsWith('server/test/') && path.endsWith('.test.ts'))

/** `customers/ledger/closing` of server/test/customers/ledger/closing/archives.test.ts. */
function folderOf(path: string): string {
  return path.split('/').slice(2, -1).join('/')
}

/** Folders of tests that are no folder or file of the source. */
function foldersAstray(paths: readonly string[]): string[] {
  const folders = new Set(paths.map(folderOf).filter((folder) => folder !== '' && !shared.test(folder.split('/')[0]!)))
  return [...folders].filter((folder) => {
    const source = join(project, 'server/src', folder)
    return !existsSync(source) && !existsSync(`${source}.ts`)
  })
}

describe('the tests of x stand in the folder of x', () => {
  test('every folder of tests has the name of what it tests', () => {
    expect(foldersAstray(tests)).toEqual([])
  })

  test('a folder astray is seen', () => {
    expect(foldersAstray(['server/test/tokens/budgets.test.ts'])).toEqual(['tokens'])
    expect(
      foldersAstray(['server/test/customers/auth/budgets.test.ts', 'server/test/promises/leaks/logs.test.ts']),
    ).toEqual([])
  })

  test('a test beside the rooms of a wing has the name of a file there', () => {
    const beside = tests.filter((path) => !shared.test(folderOf(path)) && !folderOf(path).includes('/'))
    const sources = beside.map((path) => path.replace('/test/', '/src/').replace(/(\.\w+)*\.test\.ts$/, '.ts'))
    expect(sources.filter((path) => !existsSync(join(project, path)))).toEqual([])
  })

  test('every room has tests', () => {
    const roomsOf = (paths: readonly string[]) =>
      new Set(paths.map((path) => path.split('/').slice(2, 4).join('/').replace(/\..*/, '')))
    const tested = roomsOf(tests)
    const rooms = roomsOf(filesIn('server/src/').map(({ path }) => path))
    expect([...rooms].filter((room) => !tested.has(room))).toEqual([])
  })
})
