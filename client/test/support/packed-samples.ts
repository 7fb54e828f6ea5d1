/** Programs of a user of the package, which are compiled and run outside of the repository. */

/** Runs on Node, and prints one JSON document. */
export const sample = `
import { createHash } from 'node:crypto'
import { createWriteStream, readFileSync } from 'node:fs'
import { type Contact, Storedex, StoredexError } from '@storedex/client'

const { STOREDEX_URL: baseUrl = '', STOREDEX_API_KEY: apiKey = '', UNAVAILABLE_URL = '' } = process.env
const storedex = new Storedex({ apiKey, baseUrl, timeoutMs: 30_000, maxRetries: 3 })

const ids: string[] = []
for await (const preview of storedex.contacts.search({ max_contacts_per_store: 10 }, { maxRows: 12 })) ids.push(preview.id)
const refused = await storedex.contacts.reveal({ contact_ids: ids }, { maxCredits: 11 }).catch((error: unknown) => error)
const { data: reply, remaining } = await storedex.contacts.reveal({ contact_ids: ids }, { maxCredits: 12 }).withResponse()
const people: readonly Contact[] = reply.data
const stores = await storedex.stores.search({ filters: {} }).toArray({ maxRows: 50 })

const unknown = await storedex.stores.get('nobody.example').catch((error: unknown) => error)
const controller = new AbortController()
const waiting = new Storedex({ apiKey, baseUrl: UNAVAILABLE_URL })
setTimeout(() => controller.abort(), 300)
const aborted = await waiting.usage.get({ signal: controller.signal }).catch((error: unknown) => error)

const { id } = await storedex.exports.create({ kind: 'stores', filters: {}, max_rows: 100 })
await storedex.exports.wait(id)
const { bytes, sha256 } = await storedex.exports.download(id, createWriteStream('stores.csv'))
const isWhole = createHash('sha256').update(readFileSync('stores.csv')).digest('hex') === sha256

const nameOf = (error: unknown) => (error instanceof StoredexError ? error.name : String(error))
console.log(
  JSON.stringify({
    people: people.length,
    spent: reply.credits.spent,
    remaining: remaining.contact_credits,
    stores: stores.length,
    refused: nameOf(refused),
    unknown: unknown instanceof StoredexError ? [unknown.name, unknown.code, unknown.status] : [],
    aborted: nameOf(aborted),
    bytes,
    isWhole,
  }),
)
`

/** Uses neither Node nor a browser. */
export const readingSample = `
import { type ContactPreview, RateLimitError, type Store, Storedex, type StoredexOptions } from '@storedex/client'

export async function read(options: StoredexOptions): Promise<{ stores: Store[]; people: ContactPreview[] }> {
  const storedex = new Storedex(options)
  const stores: Store[] = []
  for await (const page of storedex.stores.search({ filters: { countries: ['DE'] } }, { maxRows: 500 }).pages())
    stores.push(...page.data)
  const people = await storedex.contacts.search({ store: { domains: stores.map(({ domain }) => domain) } }).toArray({ maxRows: 20 })
  return { stores, people }
}

// @ts-expect-error A country is a list of codes.
export const wrong = (storedex: Storedex) => storedex.stores.search({ filters: { countries: 'DE' } })
// @ts-expect-error There is no such filter.
export const misspelt = (storedex: Storedex) => storedex.stores.search({ filters: { country: ['DE'] } })

export const waitOf = (error: unknown): number | undefined =>
  error instanceof RateLimitError ? error.retryAfterMs : undefined
`
