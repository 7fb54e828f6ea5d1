import { contactKey } from '../../src/kernel/ids.ts'
import type { TestApp, TestKey } from '../support/app.ts'
import type { Json, TestReply } from '../support/client.ts'

/** Room to spare in everything that a test of reveals does not look at. */
export const generous = { requests_per_minute: 100_000, requests_per_day: 100_000 }

/** Invented people by first name: somebody for each outcome of a reveal. */
export const people: Record<string, object> = {
  Mara: {
    last_name: 'Lindqvist',
    title: 'Head of Marketing',
    role: 'marketing',
    seniority: 'decision_maker',
    profile_url: 'https://people.example/mara-lindqvist',
    emails: [
      { email: 'mara@first-shop.example', status: 'verified', type: 'work', is_primary: true },
      { email: 'mara.l@post.example', status: 'unverified', type: 'personal' },
      { email: 'mara.old@first-shop.example', status: 'bounced', type: 'work' },
    ],
    phones: [
      { phone: '+1 202-555-0143', type: 'office', is_primary: true },
      { phone: '+1 202-555-0144', type: 'mobile' },
    ],
  },
  Ines: {
    full_name: 'Dr. Ines Ferreira',
    seniority: 'executive',
    emails: [
      { email: 'ines.guess@first-shop.example', status: 'guessed', is_primary: true },
      { email: 'ines@first-shop.example', status: 'accept_all' },
      { email: 'ines@post.example', status: 'unknown' },
    ],
  },
  Tomas: { phones: [{ phone: '+1 202-555-0145' }] },
  Yuki: { last_name: '山田', profile_url: 'https://people.example/yuki' },
  Bruno: { emails: [{ email: 'bruno@first-shop.example', status: 'bounced' }] },
  Nobody: { last_name: 'Without' },
}

/** The address of a person of `addCrowd`, and nobody else's. */
export const crowdEmail = (index: number) => `person-${index}@crowd.example`

/** Puts `people` on file at first-shop.example. */
export async function addPeople(app: TestApp): Promise<void> {
  await app.importStores([{ domain: 'first-shop.example', name: 'First Shop', country: 'DE' }])
  await app.importContacts(
    Object.entries(people).map(([name, person]) => ({
      store_domain: 'first-shop.example',
      external_id: name,
      first_name: name,
      ...person,
    })),
  )
}

/** Puts `count` people on file, ten to a store. Their ids, in order of their numbers. */
export async function addCrowd(app: TestApp, count: number): Promise<string[]> {
  const storeOf = (index: number) => `crowd-${Math.floor(index / 10)}.example`
  const indexes = Array.from({ length: count }, (_, index) => index)
  await app.importStores([...new Set(indexes.map(storeOf))].map((domain) => ({ domain, name: domain })))
  await app.importContacts(
    indexes.map((index) => ({
      store_domain: storeOf(index),
      external_id: `person-${index}`,
      first_name: `Person ${index}`,
      emails: [{ email: crowdEmail(index), status: 'verified' }],
    })),
  )
  const key = await app.key({ limits: generous })
  const ids = await idsByFirstName(key)
  return indexes.map((index) => ids[`Person ${index}`]!)
}

/** Ids as previews tell them, of everybody on file. */
export async function idsByFirstName(key: TestKey): Promise<Record<string, string>> {
  const ids: Record<string, string> = {}
  let cursor: string | null = null
  do {
    const { body }: TestReply = await key.post('/contacts/search', { max_contacts_per_store: 10, limit: 100, cursor })
    for (const preview of body.data) ids[preview.first_name] = preview.id
    cursor = body.next_cursor
  } while (cursor !== null)
  return ids
}

export function reveal(key: TestKey, ids: readonly unknown[], idempotencyKey?: string): Promise<TestReply> {
  const headers: Record<string, string> = idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }
  return key.post('/contacts/reveal', { contact_ids: ids }, headers)
}

/** Who was revealed, by first name. */
export const namesIn = ({ body }: TestReply): string[] => body.data.map((contact: Json) => contact.first_name)

export const usageOf = async (key: TestKey): Promise<Json> => (await key.get('/usage')).body

/** A well-formed id of nobody. */
export const unknownId = (app: TestApp) => app.deps.ids.seal('contact', contactKey(987_654, 3), 'live')

/** What is written down of an account: all four have to agree at any time. */
export async function booksOf(app: TestApp, key: TestKey, mode = 'live') {
  const account = app.accountNumber(key.account)
  const { rows } = await app.db.query(
    `select (select count(*) from reveals where account_id = $1 and mode = $2) as reveals,
            (select count(*) from store_exports where account_id = $1 and mode = $2) as exports,
            (select coalesce(sum(used), 0) from usage_counters
             where account_id = $1 and mode = $2 and meter = 'contact_credits') as credits,
            (select coalesce(sum(amount), 0) from ledger
             where account_id = $1 and mode = $2 and meter = 'contact_credits') as ledger`,
    [account, mode],
  )
  return rows[0] as { reveals: number; exports: number; credits: number; ledger: number }
}
