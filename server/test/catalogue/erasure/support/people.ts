import { readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { importContacts } from '../../../../src/catalogue/imports/contacts/import-contacts.ts'
import type { ImportResult } from '../../../../src/catalogue/imports/records/import-file.ts'
import {
  importSuppressions,
  type SuppressionsResult,
} from '../../../../src/catalogue/imports/suppressions/import-suppressions.ts'
import type { ContactFacts } from '../../../../src/foundation/encryption/contact-facts.ts'
import { openContact } from '../../../../src/foundation/encryption/keyring.ts'
import { contactKey, type Mode } from '../../../../src/foundation/kernel/ids.ts'
import type { TestApp } from '../../../support/app.ts'

export interface PersonAtStore {
  id: string
  key: number
  facts: ContactFacts
}

/** Returns the opened contacts of a store. */
export async function peopleAt(app: TestApp, domain: string, mode: Mode = 'live'): Promise<PersonAtStore[]> {
  const { rows } = await app.db.query<{ store_id: number; number: number; sealed: Buffer }>(
    `select store_id, number, sealed from contacts
     where store_id = (select store_id from store_domains where host = $1 and mode = $2) order by number`,
    [domain, mode],
  )
  return rows.map(({ store_id: storeId, number, sealed }) => {
    const key = contactKey(storeId, number)
    const facts = openContact(app.deps.seals.sealer, storeId, number, sealed)
    return { key, id: app.deps.ids.seal('contact', key, mode), facts }
  })
}

/** Returns the external ids of the contacts of stores. */
export async function externalIdsAt(app: TestApp, ...domains: string[]): Promise<(string | null)[]> {
  const people = await Promise.all(domains.map((domain) => peopleAt(app, domain)))
  return people.flat().map(({ facts }) => facts.external_id)
}

export async function contactIdOf(app: TestApp, domain: string, name: string): Promise<string> {
  return (await peopleAt(app, domain)).find(({ facts }) => facts.external_id === name)!.id
}

export type Reject = { line: number; reason: string; record: unknown }

/** Imports contacts and returns the rejects with the result. */
export async function tryImportContacts(
  app: TestApp,
  records: object[],
  mode: Mode = 'live',
): Promise<ImportResult & { rejects: Reject[] }> {
  return withFile(records.map((record) => JSON.stringify(record)).join('\n'), '.ndjson', (file) =>
    importContacts(app.operator, { file, mode, extendTaxonomy: false }),
  )
}

/** Imports a suppression list from a file. */
export async function importSuppressionLines(
  app: TestApp,
  ...lines: string[]
): Promise<SuppressionsResult & { rejects: Reject[] }> {
  return withFile(lines.join('\n'), '.txt', (file) => importSuppressions(app.operator, { file }))
}

export function importSuppressionsFromStdin(app: TestApp, text: string): Promise<SuppressionsResult> {
  return importSuppressions(app.operator, { file: '-', stdin: Readable.from([Buffer.from(text)]) })
}

async function withFile<Result extends { rejects_file: string | null }>(
  content: string,
  ending: string,
  work: (file: string) => Promise<Result>,
): Promise<Result & { rejects: Reject[] }> {
  const file = join(tmpdir(), `storedex-test-${crypto.randomUUID()}${ending}`)
  await writeFile(file, content)
  try {
    const result = await work(file)
    const text = result.rejects_file === null ? '' : await readFile(result.rejects_file, 'utf8')
    if (result.rejects_file !== null) await rm(result.rejects_file)
    const rejects = text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line))
    return { ...result, rejects }
  } finally {
    await rm(file)
  }
}

/** Returns the number of suppressions of each kind. */
export async function countSuppressionsByKind(app: TestApp): Promise<Record<string, number>> {
  const { rows } = await app.db.query<{ kind: string; count: number }>(
    'select kind, count(*) as count from suppressions group by kind order by kind',
  )
  return Object.fromEntries(rows.map(({ kind, count }) => [kind, count]))
}
