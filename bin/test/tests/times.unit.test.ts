import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readTimes, writeTimes } from '../../tests/times.mjs'

const file = { project: 'main', testsMs: 1_000, cpuMs: 500, passed: 2, failed: 0, skipped: 1 }

function openTable(): string {
  const folder = mkdtempSync(join(tmpdir(), 'storedex-times-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, 'times.csv')
}

test('the table has the slowest file first, and where its time went', () => {
  const table = openTable()
  writeTimes(table, [
    { ...file, path: 'a.test.ts', ms: 1_500 },
    { ...file, path: 'b.test.ts', ms: 12_345, cpuMs: null },
  ])
  expect(readFileSync(table, 'utf8')).toBe(
    'file,tier,tests,seconds,in tests,set-up,processor,waiting\n' +
      'b.test.ts,main,3,12.3,1.0,11.3,,\n' +
      'a.test.ts,main,3,1.5,1.0,0.5,0.5,1.0\n',
  )
})

test('a run replaces the rows of its files, keeps others, and drops those of files that are gone', () => {
  const table = openTable()
  writeTimes(
    table,
    ['a', 'b', 'c'].map((name) => ({ ...file, path: `${name}.test.ts`, ms: 1_000 })),
  )
  writeTimes(table, [{ ...file, path: 'a.test.ts', ms: 9_000 }], (path) => path !== 'c.test.ts')
  expect([...readTimes(table)]).toEqual([
    ['a.test.ts', 9],
    ['b.test.ts', 1],
  ])
})
