/**
 * Files that a customer relationship system imports without mapping columns by hand. Columns have the names by which its
 * import finds its own fields, and values are ones that it takes: one line, within its lengths, without the guard of formulas.
 * docs/exports.md has them column by column.
 */
import type { Contact } from '../../contacts/schema.ts'
import type { Column } from './columns.ts'

type ContactColumn = Column<Contact>

/** HubSpot finds properties of contacts by their labels. */
export const hubspotColumns: readonly ContactColumn[] = [
  { name: 'Email', read: emailOf },
  { name: 'First Name', read: (contact) => nameOf(contact).first },
  { name: 'Last Name', read: (contact) => nameOf(contact).last },
  { name: 'Job Title', read: ({ title }) => filled(title) },
  { name: 'Phone Number', read: landlineOf },
  { name: 'Mobile Phone Number', read: mobileOf },
  { name: 'Company Name', read: companyOf },
  { name: 'Website URL', read: websiteOf },
]

/** Salesforce finds fields of leads by their names in its API, and refuses values that are too long for them. */
export const salesforceColumns: readonly ContactColumn[] = [
  { name: 'LastName', read: (contact) => cut(nameOf(contact).last ?? nameOf(contact).first, 80) ?? notProvided },
  { name: 'FirstName', read: (contact) => (nameOf(contact).last === null ? null : cut(nameOf(contact).first, 40)) },
  { name: 'Company', read: (contact) => cut(companyOf(contact), 255) ?? notProvided },
  { name: 'Title', read: ({ title }) => cut(filled(title), 128) },
  { name: 'Email', read: (contact) => leadEmailOf(contact) },
  { name: 'Phone', read: (contact) => fitting(landlineOf(contact), 40) },
  { name: 'MobilePhone', read: (contact) => fitting(mobileOf(contact), 40) },
  { name: 'Website', read: (contact) => fitting(websiteOf(contact), 255) },
  { name: 'Description', read: (contact) => cut(describe(contact), 32_000) },
]

/** What Salesforce itself writes into a required field that it has no value for. */
const notProvided = '[not provided]'

interface PersonName {
  first: string | null
  last: string | null
}

/** Blank names count as missing. Without both, a full name is split before its last word. */
function nameOf({ first_name, last_name, full_name }: Contact): PersonName {
  const [first, last] = [filled(first_name), filled(last_name)]
  if (first !== null || last !== null) return { first, last }
  const words = filled(full_name)?.split(/\s+/) ?? []
  const lastWord = words.pop() ?? null
  return { first: filled(words.join(' ')), last: lastWord }
}

function emailOf({ emails }: Contact): string | null {
  return emails.find(({ is_primary }) => is_primary)?.email ?? null
}

/** Salesforce refuses a lead with an address beyond ASCII. */
function leadEmailOf(contact: Contact): string | null {
  const email = fitting(emailOf(contact), 80)
  return email !== null && /^[!-~]+$/.test(email) ? email : null
}

/** The primary phone unless it is a mobile one, otherwise the first that is none. */
function landlineOf({ phones }: Contact): string | null {
  return pickPhone(phones.filter(({ type }) => type !== 'mobile'))
}

function mobileOf({ phones }: Contact): string | null {
  return pickPhone(phones.filter(({ type }) => type === 'mobile'))
}

function pickPhone(phones: Contact['phones']): string | null {
  return (phones.find(({ is_primary }) => is_primary) ?? phones[0])?.phone ?? null
}

function companyOf({ store }: Contact): string | null {
  return filled(store.name) ?? filled(store.domain)
}

function websiteOf({ store }: Contact): string {
  return `https://${store.domain}`
}

/** What no field of a lead takes. */
function describe(contact: Contact): string | null {
  const { profile_url, emails, phones } = contact
  const used = [leadEmailOf(contact), fitting(landlineOf(contact), 40), fitting(mobileOf(contact), 40)]
  const others = [...emails.map(({ email }) => email), ...phones.map(({ phone }) => phone)].filter(
    (channel) => !used.includes(channel),
  )
  const parts = [
    ...(profile_url === null ? [] : [`Profile: ${profile_url}`]),
    ...(others.length === 0 ? [] : [`Also: ${others.join(', ')}`]),
  ]
  return parts.length === 0 ? null : parts.join('; ')
}

/** On one line: names that were stored by earlier versions can have line breaks. Null for a blank one. */
function filled(text: string | null): string | null {
  const line = text?.replace(/[\p{Cc}\s]+/gu, ' ').trim() ?? ''
  return line === '' ? null : line
}

/** Names and sentences are cut, between characters. */
function cut(text: string | null, length: number): string | null {
  if (text === null || text.length <= length) return text
  return text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '')
}

/** Half an address is none. */
function fitting(text: string | null, length: number): string | null {
  return text !== null && text.length <= length ? text : null
}
