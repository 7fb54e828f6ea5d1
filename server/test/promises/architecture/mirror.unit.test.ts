import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { filesIn, project, sourcePaths } from './support/tree.ts'

// Promises that cross rooms stand in promises/, whole programs and their documents in deep/, helpers in support/.
const shared = /^(promises|deep|support)$/
const tests = sourcePaths.filter((path) => path.startsWith('server/test/') && path.endsWith('.test.ts'))

/** `auth/keys` of server/test/customers/auth/keys/budgets.test.ts. */
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

  test('a test beside the rooms has the name of a file there', () => {
    const beside = tests.filter((path) => folderOf(path) === '')
    const names = beside.map((path) => /([^/.]+)[\w.]*\.test\.ts$/.exec(path)![1]!)
    expect(names.filter((name) => !existsSync(join(project, `server/src/${name}.ts`)))).toEqual([])
  })

  test('every room has tests', () => {
    const rooms = new Set(filesIn('server/src/').map(({ path }) => path.split('/')[2]!.replace(/\.ts$/, '')))
    const tested = new Set(tests.map((path) => path.split('/')[2]!.replace(/\..*/, '')))
    expect([...rooms].filter((room) => !tested.has(room))).toEqual([])
  })
})
