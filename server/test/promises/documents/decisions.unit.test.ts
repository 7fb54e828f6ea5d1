import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { project } from '../architecture/support/tree.ts'

const folder = join(project, 'docs/decisions')
const index = readFileSync(join(folder, 'README.md'), 'utf8')
const records = readdirSync(folder)
  .filter((name) => /^\d{4}-/.test(name))
  .map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8') }))

const titleOf = (text: string) => /^# \d{4} · (.+)$/m.exec(text)?.[1]
const statusOf = (text: string) => /^Status: (.+)$/m.exec(text)?.[1]
const rowOf = (name: string, text: string) => `| [${name.slice(0, 4)}](${name}) | ${titleOf(text)} |`

describe('decisions', () => {
  test('the index has every record with its title, in order, and no other', () => {
    const rows = index.split('\n').filter((line) => line.startsWith('| ['))
    expect(rows).toEqual(records.map(({ name, text }) => rowOf(name, text)))
  })

  test.each(records)('$name says its status, and a superseded one little else', ({ text }) => {
    const status = statusOf(text)
    expect(status).toMatch(/^(accepted|superseded by \[\d{4}\]\(\d{4}-[\w-]+\.md\))/)
    if (status!.startsWith('superseded')) expect(text.split(/\s+/).length).toBeLessThan(90)
  })
})
