import { chmodSync, mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { formatGreeting } from '../../../src/program/serving/greeting.ts'
import { atEnd } from '../../support/cleanup.ts'
import { connectClient, createTestDatabase } from '../../support/database.ts'
import { listDocuments, readBlocks } from './support/blocks.ts'
import { drawings, findEntry, notRun, special } from './support/exceptions.ts'
import { ExampleChecker } from './support/json-blocks.ts'
import { type Checks, runDocument } from './support/run-blocks.ts'
import { findProgram, startDemonstration } from './support/service.ts'
import { projectDir } from './support/workplace.ts'

const documents = listDocuments(projectDir).filter((file) => readBlocks(projectDir, file).length > 0)
const blocks = documents.flatMap((file) => readBlocks(projectDir, file))

// PostgreSQL may run as another user, who has to reach it.
const root = mkdtempSync(join(tmpdir(), 'storedex-docs-'))
chmodSync(root, 0o755)
atEnd(() => rm(root, { recursive: true, force: true, maxRetries: 5 }))
let checks: Checks
beforeAll(async () => {
  const dataDir = join(root, '.storedex')
  const service = await startDemonstration(dataDir)
  const keys = { live: service.liveKey, test: service.testKey, file: join(dataDir, 'demo-keys.json'), areNew: true }
  checks = {
    root,
    service,
    examples: new ExampleChecker(projectDir),
    greeting: formatGreeting(service.greeting, keys, { isTerminal: true }),
    trySql,
  }
})

describe('every code block runs, or is checked as what it shows', () => {
  test.each(documents)('%s', async (file) => expect(await runDocument(checks, file)).toEqual([]), 600_000)
})

// Their blocks are checked only where there is a python3; elsewhere the run says so here.
test.skipIf(!findProgram('python3'))('Python blocks run with python3', () => {
  expect(new Set(blocks.filter(({ language }) => language === 'python').map(({ file }) => file))).toContain(
    'docs/afternoon.md',
  )
})

test('every exception is of exactly one block', () => {
  const counts = [...notRun, ...special].map((entry) => ({
    entry,
    blocks: blocks.filter((block) => findEntry([entry], block)).length,
  }))
  expect(counts.filter(({ blocks }) => blocks !== 1)).toEqual([])
  const drawn = new Set(blocks.filter(({ language }) => language === 'text').map(({ file }) => file))
  expect(drawings.filter((file) => !drawn.has(file))).toEqual([])
})

/** Runs a statement on a database of its own, and undoes it. */
async function trySql(statement: string): Promise<void> {
  const { url } = await createTestDatabase()
  const client = await connectClient(url)
  try {
    await client.query('begin')
    await client.query(statement)
  } finally {
    await client.end()
  }
}
