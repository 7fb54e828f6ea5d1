import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { consoleErrorTable, errorTable } from '../../../src/foundation/kernel/errors.ts'
import { project } from '../architecture/support/tree.ts'

/** The codes in the rows of a section's tables, as `400 code`; a status holds until the next one of its row. */
function codesIn(file: string, heading: string): string[] {
  const page = readFileSync(join(project, file), 'utf8')
  const section = page.split(`## ${heading}\n`)[1]!.split(/^## /m)[0]!
  return [...section.matchAll(/^\| (\d{3}) .*$/gm)].flatMap(([row]) => {
    const cells = row.split(' | ')
    let status = ''
    return [
      ...cells
        .slice(0, /^\| \d{3}$/.test(cells[0]!) ? 2 : 1)
        .join(' ')
        .matchAll(/(\d{3}) |`(\w+)`/g),
    ].flatMap(([, newStatus, code]) => {
      status = newStatus ?? status
      return code ? [`${status} ${code}`] : []
    })
  })
}

const codesOf = (table: Record<string, readonly [number, string]>) =>
  Object.entries(table)
    .map(([code, [status]]) => `${status} ${code}`)
    .sort()

test('the guide to the API names every code of the API once, with its status', () => {
  expect(codesIn('docs/api.md', 'Errors').sort()).toEqual(codesOf(errorTable))
})

test('the guide to status codes names every code of the console once, with its status', () => {
  expect(codesIn('docs/status-codes.md', 'Codes of the console').sort()).toEqual(codesOf(consoleErrorTable))
})
