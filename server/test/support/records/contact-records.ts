import { Random } from '../../../../catalogue/build/random.ts'
import type { StoreRecord } from '../../../../catalogue/build/records.ts'
import { readFacet } from '../../../../catalogue/build/taxonomy/files.ts'
import type { ContactRecord } from '../../../src/catalogue/imports/contacts/contact-record.ts'
import type { Email, Phone } from '../../../src/foundation/encryption/contact-facts.ts'

export type BenchStore = Pick<StoreRecord, 'domain'>
export type BenchContact = ContactRecord & Required<Pick<ContactRecord, 'role' | 'seniority'>>

export const defaultContactsPerStore = 3

/**
 * Contact records for measurements, the same on every run and machine: `perStore` on average, none at some stores and
 * several times as many at others. No address exists: emails use the stores' hosts, profiles people.example, and phone
 * numbers are reserved for fiction.
 */
export function* generateContacts(
  stores: Iterable<BenchStore>,
  perStore = defaultContactsPerStore,
  seed = 3,
): Generator<BenchContact> {
  const random = new Random(seed)
  for (const store of stores) {
    // The square of a fraction is a third on average.
    const count = Math.floor(random.fraction() ** 2 * (3 * perStore + 1.5))
    for (let number = 1; number <= count; number++) yield generateContact(random, store, number)
  }
}

const firstNames = readNames(
  'Ada Ben Chloé Dmitri Emre Fatima Goran Hana Ines Jonas Kaito Lena Mara Noor Olu Petra Quinn Rosa Sven Tariq',
)
const lastNames = readNames(
  'Abara Bergström Castillo Dubois Eriksen Ferreira Grünwald Haddad Ivanova Jansen Kowalski Lindqvist Moreau Nakamura Okafor Petrov Quiroga Rossi Svoboda Tanaka Ueda Vasquez Weiss Yılmaz Zhang',
)
const roles = readFacet('roles').map(({ value, label }) => ({ value, label }))
const executives = new Set(['ceo', 'founder'])

function generateContact(random: Random, { domain }: BenchStore, number: number): BenchContact {
  const first = random.pick(firstNames)
  const last = random.pick(lastNames)
  const role = random.chance(0.06) ? null : random.pick(roles)
  const isExecutive = role !== null && executives.has(role.value)
  const leads = random.chance(0.4)
  const handle = `${first.inAddress}.${last.inAddress}`
  return {
    store_domain: domain,
    external_id: `c-${number}`,
    first_name: first.name,
    last_name: last.name,
    title: role && (isExecutive ? role.label : leads ? `Head of ${role.label}` : `${role.label} Specialist`),
    role: role?.value ?? null,
    seniority: isExecutive ? 'executive' : leads ? 'decision_maker' : 'other',
    profile_url: random.chance(0.55) ? `https://people.example/${handle}-${Math.floor(random.fraction() * 1e9)}` : null,
    emails: generateEmails(random, handle, domain),
    phones: generatePhones(random),
  }
}

function generateEmails(random: Random, handle: string, domain: string): Email[] {
  const count = random.weighted([
    { value: 0, weight: 12 },
    { value: 1, weight: 70 },
    { value: 2, weight: 18 },
  ])
  return Array.from({ length: count }, (_, index) => ({
    email: index === 0 ? `${handle}@${domain}` : `${handle}@mail.${domain}`,
    status: random.weighted<Email['status']>([
      { value: 'verified', weight: 55 },
      { value: 'accept_all', weight: 15 },
      { value: 'unverified', weight: 10 },
      { value: 'unknown', weight: 8 },
      { value: 'guessed', weight: 5 },
      { value: 'bounced', weight: 5 },
      { value: 'invalid', weight: 2 },
    ]),
    type: index === 0 ? 'work' : 'personal',
    is_primary: index === 0,
  }))
}

function generatePhones(random: Random): Phone[] {
  if (!random.chance(0.35)) return []
  const digits = (from: number, count: number) => String(from + random.below(count))
  const phone = `+1${digits(201, 780)}55501${digits(100, 100).slice(1)}`
  return [{ phone, type: random.pick(['mobile', 'direct', 'office'] as const), is_primary: true }]
}

/** Names with their ASCII spelling for an email address. */
function readNames(text: string): { name: string; inAddress: string }[] {
  const spell = (name: string) =>
    name
      .toLowerCase()
      .replaceAll('ı', 'i')
      .normalize('NFD')
      .replace(/[^a-z]/g, '')
  return text.split(' ').map((name) => ({ name, inAddress: spell(name) }))
}
