import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { openContactSeals } from '../../../server/src/foundation/encryption/keyring.ts'
import { parseDataKeys } from '../../../server/src/foundation/kernel/seal.ts'
import { openCommandLine } from '../../../server/test/doors/cli/support/run-command.ts'
import { testDataKeys } from '../../../server/test/support/fixtures.ts'
import { fileCase, refused, taken, topics } from '../../messy/files/file-case.ts'
import { fileCases } from '../../messy/files/file-cases.ts'
import { formatCaseFailures } from '../../messy/files/report.ts'
import { runFileCases } from '../../messy/files/run-cases.ts'

const commandLine = openCommandLine('2026-11-01T12:00:00.000Z')
const folder = mkdtempSync(join(tmpdir(), 'storedex-messy-files-'))
afterAll(() => rmSync(folder, { recursive: true }))

async function judge(cases: typeof fileCases) {
  const db = commandLine.deps.ownerDb
  const seals = await openContactSeals(db, parseDataKeys(testDataKeys)!, folder)
  const own = mkdtempSync(join(folder, 'cases-'))
  return runFileCases(cases, commandLine.run, { db, seals }, own)
}

const numbers = [...new Set(fileCases.map(({ number }) => number))]

test.each(numbers.map((number) => [topics[number], number] as const))(
  'small files about %s are read or refused with a sentence',
  async (_topic, number) => {
    expect(formatCaseFailures(await judge(fileCases.filter((each) => each.number === number)))).toEqual([])
  },
)

test('a record that is missing or another one is found, and so is a sentence that is not said', async () => {
  const oak = 'domain,name\noak.example,Oak\n'
  const results = await judge([
    fileCase(1, 'as it must be', oak, taken([{ domain: 'oak.example', name: 'Oak' }], /1 inserted/)),
    fileCase(1, 'another name', oak, taken([{ domain: 'oak.example', name: 'Elm' }])),
    fileCase(1, 'nothing must be taken', oak, refused(/name/)),
    fileCase(1, 'another sentence', 'domain,name\noak,Oak\n', refused(/no such sentence/)),
  ])
  expect(results.map(({ verdict }) => verdict)).toEqual(['right', 'silent', 'silent', 'told'])
})
