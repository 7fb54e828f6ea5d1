import type { Phone } from '../../../server/src/foundation/encryption/contact-facts.ts'
import type { ContactRecord, StoreRecord } from '../records.ts'
import type { SandboxPerson } from './names.ts'
import { sandboxTeams } from './people.ts'

/** No other sandbox store has this app, except the one with all apps, which has no contacts. */
const sharedApp = 'zendesk'
const firstScore = 75

/** The shops of the sandbox that people work at, in the order of their scores. */
export const contactStores: StoreRecord[] = sandboxTeams.map(({ edge }, index) => ({
  domain: hostOf(edge),
  name: `Sandbox Contacts ${edge.replaceAll('-', ' ')}`,
  lead_fit_score: firstScore - index,
  technologies: { apps: [sharedApp], pixels: [], theme: { name: null, type: null } },
}))

/** The contacts of mode `test`. */
export function sandboxContacts(): ContactRecord[] {
  const people = sandboxTeams.flatMap(({ edge, people }) => people.map((person) => ({ person, host: hostOf(edge) })))
  let phones = 0
  return people.map(({ person, host }, index) => ({
    store_domain: host,
    external_id: person.id,
    ...(person.names ?? nameOf(index)),
    ...(person.title === null ? {} : { title: person.title ?? titleOf(person.id) }),
    ...(person.role ? { role: person.role } : {}),
    seniority: person.seniority ?? 'other',
    ...(person.hasProfile ? { profile_url: `https://people.example/sandbox/${person.id}` } : {}),
    ...(person.emails ? { emails: emailsOf(person, host) } : {}),
    ...(person.phones ? { phones: person.phones.map((plan) => phoneOf(plan, phones++)) } : {}),
  }))
}

function hostOf(edge: string): string {
  return `sandbox-contacts-${edge}.example`
}

const firstNames = ['Alma', 'Bela', 'Cato', 'Dora', 'Emil', 'Fern', 'Gitte', 'Hugo', 'Ilse', 'Jona', 'Kaya', 'Levi']
const lastNames = ['Ahlgren', 'Bruun', 'Castell', 'Dahlia', 'Eskola', 'Falk', 'Granger', 'Holloway', 'Ivarsson', 'Jung']

/** For contacts whose names do not matter. */
function nameOf(index: number): Pick<ContactRecord, 'first_name' | 'last_name'> {
  return { first_name: firstNames[index % firstNames.length]!, last_name: lastNames[index % lastNames.length]! }
}

function titleOf(id: string): string {
  const words = id.replaceAll('-', ' ')
  return words[0]!.toUpperCase() + words.slice(1)
}

/** Addresses that say whose they are: `ten-emails@…`, `ten-emails-2@…`. */
function emailsOf({ id, emails = [] }: SandboxPerson, host: string): NonNullable<ContactRecord['emails']> {
  return emails.map((plan, index) => ({
    email: `${id}${index === 0 ? '' : `-${index + 1}`}@${host}`,
    type: 'work',
    ...plan,
  }))
}

/** From 555-0100 on: numbers that no telephone has. */
function phoneOf(plan: Partial<Phone>, index: number): Partial<Phone> & Pick<Phone, 'phone'> {
  return { phone: `+1 202 555 ${String(100 + index).padStart(4, '0')}`, ...plan }
}
