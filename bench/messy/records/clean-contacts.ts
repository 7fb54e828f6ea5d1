import { Random } from '../../../catalogue/build/random.ts'
import { generateContacts } from '../../../server/test/support/records/contact-records.ts'
import { type Dialect, fitsEncoding } from '../dialect.ts'
import { flatten } from '../flatten.ts'
import type { Values } from '../truth.ts'
import { shareAddresses } from './people.ts'
import { drawPhone, toE164 } from './phones.ts'

/** What the contacts of a store depend on. */
export interface ContactsStore {
  domain: string
  /** The country in the catalogue; undefined where it is left open. */
  country: string | null | undefined
  aliases: readonly string[]
  rejected: boolean
}

export interface CleanContact {
  values: Values
  store: ContactsStore
  /** Whether its first address may be somebody else's too: then only the name tells who it is. */
  sharesAddress: boolean
}

/** The clean records of `generateContacts`, with phones of the store's country; some have no id of their own. */
export function* cleanContacts(
  stores: Iterable<ContactsStore>,
  perStore: number,
  seed: number,
  dialect: Dialect,
): Generator<CleanContact> {
  const random = new Random(seed + 29)
  let store!: ContactsStore
  let colleagues: Values[] = []
  let their: ContactsStore | null = null
  function* settle(): Generator<CleanContact> {
    const shared = shareAddresses(random, colleagues)
    for (const values of colleagues) yield { values, store: their!, sharesAddress: shared.has(values) }
    colleagues = []
  }
  function* noteStores(): Generator<ContactsStore> {
    for (const each of stores) {
      store = each
      yield each
    }
  }
  for (const contact of generateContacts(noteStores(), perStore, seed)) {
    if (their !== store) yield* settle()
    their = store
    const { country } = store
    const phones = contact.phones?.map((phone) => ({ ...phone, phone: toE164(drawPhone(random, country ?? null)) }))
    const name = `${contact.first_name} ${contact.last_name}`
    const values = flatten({ ...contact, phones, full_name: random.chance(0.3) ? name : null })
    if (random.chance(0.08)) delete values.external_id
    // The first of a list is primary anyway.
    for (const field of Object.keys(values)) if (field.endsWith('.is_primary')) delete values[field]
    colleagues.push(mapTexts(values, dialect))
  }
  yield* settle()
}

/** A person named Yılmaz is Yilmaz in a file of Windows-1252. */
function mapTexts(values: Values, dialect: Dialect): Values {
  return Object.fromEntries(
    Object.entries(values).map(([field, value]) => [
      field,
      typeof value === 'string' && !fitsEncoding(value, dialect) ? value.replaceAll('ı', 'i') : value,
    ]),
  )
}
