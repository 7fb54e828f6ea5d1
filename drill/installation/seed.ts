import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Cleanup, mapConcurrently } from '@storedex/testkit'
import { generateContacts } from '../../server/test/support/records/contact-records.ts'
import { generateStores } from '../../server/test/support/records/store-records.ts'
import { HttpConnection, jsonOf, type RequestParts, requestText } from '../client/http-connection.ts'
import { CommandLine } from './command.ts'
import { endPostgres } from './processes.ts'
import { Service } from './service.ts'

/** The data of an installation. */
export interface InstallationContents {
  /** Public ids of contacts that can be revealed. */
  contactIds: string[]
  domains: string[]
  accounts: Record<AccountName, Account>
}

interface Account {
  id: string
  key: string
}

/** Both accounts have unlimited meters. */
const accountNames = ['greedy', 'modest'] as const
type AccountName = (typeof accountNames)[number]

/** A stopped installation to copy. */
export interface Seed {
  dataDir: string
  contents: InstallationContents
}

const stores = 1_500
const wantedContacts = 2_000
const unlimited = 2_000_000_000
const meters = [
  'requests_per_minute',
  'requests_per_day',
  'search_rows',
  'store_exports',
  'contact_credits',
  'billing_links_per_hour',
  'ready_exports',
  'ready_export_bytes',
]

export async function makeSeed(folder: string, cleanup: Cleanup): Promise<Seed> {
  const dataDir = join(folder, 'seed')
  const environment = { DATA_DIR: dataDir }
  cleanup.add(() => endPostgres(dataDir))
  const service = await Service.start({ folder, environment, cleanup })
  const contents = await fillInstallation(service, new CommandLine(environment, cleanup), folder)
  await service.stop()
  return { dataDir, contents }
}

/** Imports stores and contacts and creates the accounts, by commands beside the running service. */
export async function fillInstallation(
  { origin }: Service,
  commands: CommandLine,
  folder: string,
): Promise<InstallationContents> {
  const records = [...generateStores(stores)]
  await importRecords(commands, 'stores', join(folder, 'seed-stores.ndjson'), records)
  await importRecords(commands, 'contacts', join(folder, 'seed-contacts.ndjson'), [...generateContacts(records)])
  const made = await mapConcurrently([...accountNames], (name) => makeAccount(commands, name, true), 2)
  const accounts = Object.fromEntries(
    made.map((account, i) => [accountNames[i]!, account]),
  ) as InstallationContents['accounts']
  const contactIds = await findContacts(origin, accounts.greedy.key, wantedContacts)
  return { contactIds, domains: records.map(({ domain }) => domain), accounts }
}

export function writeRecords(file: string, records: readonly object[]): void {
  writeFileSync(file, records.map((record) => `${JSON.stringify(record)}\n`).join(''))
}

export async function importRecords(
  commands: CommandLine,
  kind: 'stores' | 'contacts',
  file: string,
  records: readonly object[],
): Promise<void> {
  writeRecords(file, records)
  const { rejected } = await commands.run<{ rejected: number }>('import', kind, file)
  if (rejected > 0) throw new Error(`${rejected} ${kind} of the drill were rejected`)
}

/** Creates an account with the limits of its plan, or with unlimited meters. */
export async function makeAccount(commands: CommandLine, name: string, isUnlimited: boolean): Promise<Account> {
  const { id } = await commands.run<{ id: string }>(
    'accounts',
    'create',
    '--name',
    name,
    '--plan',
    'pro',
    '--status',
    'active',
  )
  const limits = meters.flatMap((meter) => ['--limit', `${meter}=${unlimited}`])
  if (isUnlimited) await commands.run('accounts', 'set', id, ...limits)
  return { id, key: await makeKey(commands, id) }
}

/** Creates a key with all scopes. */
export async function makeKey(commands: CommandLine, accountId: string): Promise<string> {
  return (await commands.run<{ key: string }>('keys', 'create', accountId, '--name', 'drill', '--all-scopes')).key
}

/** Public ids of contacts that can be revealed, about as many as are wanted. */
export async function findContacts(origin: string, key: string, wanted: number): Promise<string[]> {
  interface Page {
    data: { id: string }[]
    next_cursor: string | null
  }
  const connection = new HttpConnection(origin)
  const ids: string[] = []
  let cursor: string | null = null
  do {
    const filters = { person: { has_verified_email: true }, max_contacts_per_store: 10, limit: 100 }
    const page: Page = await requestJson(connection, 'POST', '/api/v1/contacts/search', {
      key,
      body: { ...filters, ...(cursor !== null && { cursor }) },
    })
    ids.push(...page.data.map(({ id }) => id))
    cursor = page.next_cursor
  } while (cursor !== null && ids.length < wanted)
  connection.close()
  return ids
}

/** Sends a request that must succeed, and returns the reply's JSON. */
export async function requestJson<T>(
  connection: HttpConnection,
  method: string,
  path: string,
  parts: RequestParts,
): Promise<T> {
  const answer = await connection.request(requestText(method, path, parts))
  if (answer.status === 200) return jsonOf<T>(answer)
  throw new Error(`${method} ${path}: ${answer.status === null ? answer.loss : answer.body}`)
}
