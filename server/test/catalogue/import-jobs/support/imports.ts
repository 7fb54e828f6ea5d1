import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { startTestApp, type TestApp, type TestAppOptions } from '../../../support/app.ts'
import { atEnd, removeFolder } from '../../../support/cleanup.ts'
import type { Json, TestReply } from '../../../support/client.ts'
import { countLockWaits } from '../../../support/database.ts'
import type { ConsoleClient, TestUser } from '../../../support/user.ts'

export const now = '2026-11-22T12:00:00.000Z'

/** An app with a data directory of its own. */
export async function startImportApp(
  options: Partial<TestAppOptions> = {},
): Promise<{ app: TestApp; operator: TestUser; dataDir: string }> {
  const dataDir = mkdtempSync(join(tmpdir(), 'storedex-imports-'))
  atEnd(() => removeFolder(dataDir))
  const app = await startTestApp({ now, ...options, environment: { DATA_DIR: dataDir, ...options.environment } })
  return { app, operator: await app.person({ operator: true, account: null }), dataDir }
}

export const partType = 'application/offset+octet-stream'

/** Sends a part of a file. */
export async function sendPart(
  url: string,
  person: { cookie: string },
  id: number,
  offset: number,
  part: Uint8Array | string,
  headers: Record<string, string> = {},
): Promise<TestReply> {
  const response = await fetch(`${url}/console/api/operator/imports/${id}/file`, {
    method: 'PATCH',
    headers: { cookie: person.cookie, 'content-type': partType, 'upload-offset': String(offset), ...headers },
    body: part as string,
  })
  return { status: response.status, headers: response.headers, body: await response.json() }
}

/** Begins an import of a file with this content, and uploads it. Returns its number. */
export async function upload(
  url: string,
  operator: TestUser,
  { kind = 'stores', name = 'stores.csv', text }: { kind?: string; name?: string; text: string | Buffer },
): Promise<number> {
  const content = Buffer.from(text as string)
  const created = await operator.post('/operator/imports', { kind, file_name: name, bytes: content.length })
  expect(created.body.error).toBeUndefined()
  const { id } = created.body.import
  const { body } = await sendPart(url, operator, id, 0, content)
  expect(body.import).toMatchObject({ state: 'ready', received: content.length })
  return id
}

export async function readImport(operator: ConsoleClient, id: number): Promise<Json> {
  return (await operator.get(`/operator/imports/${id}`)).body.import
}

/** Waits until an import is in one of these states. */
export async function waitForState(operator: ConsoleClient, id: number, ...states: string[]): Promise<Json> {
  let last: Json
  await expect
    .poll(
      async () => {
        last = await readImport(operator, id)
        return states.includes(last.state) || last.state
      },
      { timeout: 30_000 },
    )
    .toBe(true)
  return last
}

/** Checks or imports an uploaded file, and waits for the end. */
export async function run(
  operator: ConsoleClient,
  id: number,
  what: 'check' | 'import',
  options: object = {},
): Promise<Json> {
  const reply = await operator.post(`/operator/imports/${id}/${what}`, { options })
  expect(reply.body.error).toBeUndefined()
  return waitForState(operator, id, 'ready', 'done', 'stopped', 'failed', 'interrupted')
}

/** Stores as CSV. */
export function storesCsv(count: number, from = 0): string {
  const rows = Array.from({ length: count }, (_, index) => `shop-${from + index}.example,Shop ${from + index},DE,50`)
  return `domain,name,country,lead_fit_score\n${rows.join('\n')}\n`
}

export async function countStores(app: TestApp): Promise<number> {
  const { rows } = await app.db.query("select count(*) as count from stores where mode = 'live'")
  return rows[0].count
}

/** Keeps every import from writing until the returned function is called. */
export async function holdCatalogue(app: Pick<TestApp, 'db'>): Promise<() => Promise<void>> {
  const client = await app.db.connect()
  await client.query('begin')
  await client.query('select from catalogue_state for update')
  return async () => {
    await client.query('rollback')
    client.release()
  }
}

/** Resolves once an import waits for the catalogue. */
export async function waitForBlockedImport(app: Pick<TestApp, 'db'>): Promise<void> {
  await expect.poll(() => countLockWaits(app.db), { timeout: 30_000 }).toBeGreaterThan(0)
}
