/** Contacts that share an address: the one of the shop, or one that somebody wrote beside two names. */
import type { Random } from '../../../catalogue/build/random.ts'
import type { Values } from '../truth.ts'

const roles = ['info', 'sales', 'hello', 'contact', 'office', 'support']

/** What tells people with one address apart. */
export const nameFields = ['first_name', 'last_name', 'full_name']

/** Gives some contacts of one store the same address. Returns those whose address alone does not tell who they are. */
export function shareAddresses(random: Random, contacts: readonly Values[]): ReadonlySet<Values> {
  const domain = contacts[0]?.store_domain
  const roleAddress = `${random.pick(roles)}@${domain}`
  for (const [index, contact] of contacts.entries()) {
    const before = contacts[index - 1]
    if (random.chance(0.06)) setAddress(contact, roleAddress, 'role')
    else if (before && 'emails.0.email' in before && random.chance(0.01))
      setAddress(contact, before['emails.0.email'] as string, 'personal')
  }
  const addressOf = (contact: Values) => contact['emails.0.email']
  const owners = contacts.filter(
    (contact) =>
      addressOf(contact) !== undefined &&
      contacts.filter((other) => addressOf(other) === addressOf(contact)).length > 1,
  )
  // Their ids would tell them apart: most lists of people have none.
  if (random.chance(0.7)) for (const owner of owners) delete owner.external_id
  return new Set([...owners, ...contacts.filter((contact) => addressOf(contact) === roleAddress)])
}

function setAddress(contact: Values, address: string, type: string): void {
  for (const field of Object.keys(contact)) if (field.startsWith('emails.')) delete contact[field]
  Object.assign(contact, { 'emails.0.email': address, 'emails.0.status': 'verified', 'emails.0.type': type })
}

/** The words of a name, without accents, case and punctuation. */
function wordsOf(values: Values): string[] {
  const { first_name, last_name, full_name } = values
  const name = full_name ?? [first_name, last_name].filter((part) => typeof part === 'string').join(' ')
  return String(name ?? '')
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
}

/** Whether two records with one address can be one person: one name has no word that the other lacks. */
export function canBeSamePerson(a: Values, b: Values): boolean {
  const [fewer, more] = [wordsOf(a), wordsOf(b)].sort((one, other) => one.length - other.length) as [string[], string[]]
  return fewer.every((word) => more.includes(word) || (word.length === 1 && more.some((each) => each.startsWith(word))))
}
