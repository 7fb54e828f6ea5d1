/** The columns of a file of contacts, and everything that goes wrong in them. */
import { emailFaults, statusFaults, statusOrphans, typeOrphans } from './addresses.ts'
import { type CellFault, type Column, fault, replacedBy } from './fault.ts'
import { phoneFaults } from './phone-numbers.ts'
import {
  breakAtTheEnd,
  facetFaults,
  nameFaults,
  spacesAround,
  type Words,
  wordFaults,
  wordsForNothing,
} from './text.ts'

const text = String

const storeFaults: readonly CellFault[] = [
  fault('URL', 0.1, 'clean', (cell, { random }) =>
    random.pick([
      `https://${cell}/`,
      `http://www.${cell}/about?ref=list`,
      `//${cell}`,
      `https://${cell.toUpperCase()}`,
    ]),
  ),
  fault('www or capitals', 0.05, 'clean', (cell, { random }) =>
    random.pick([`www.${cell}`, cell.toUpperCase(), `${cell}.`]),
  ),
  fault('alias of the store', 0.04, 'clean', (_cell, { aliases = [], random }) => {
    if (aliases.length === 0) return null
    const alias = random.pick(aliases)
    return random.pick([alias, `https://${alias}/`])
  }),
  spacesAround(0.04),
  breakAtTheEnd(0.002),
  replacedBy('no domain', 0.001, 'reject', ['unknown', 'n/a', '', '-', 'the shop', 'NULL']),
  replacedBy('a shared host', 0.001, 'reject', ['etsy.com/shop/oak', 'gmail.com', 'https://www.instagram.com/oak']),
  fault('a store that is not there', 0.003, 'reject', (cell) => `nobody-${cell}`),
]

/** Previews show a first name and a title, so an address or a number in them is at fault. */
const channelsInside: readonly CellFault[] = [
  fault('an address inside', 0.004, 'drop', (cell) => `${cell} <someone@mail.example>`),
  fault('a number inside', 0.003, 'drop', (cell) => `${cell} 030 2312 5123`),
  fault('a link inside', 0.002, 'drop', (cell) => `${cell} https://people.example/me`),
]

const profileFaults: readonly CellFault[] = [
  fault('without https://', 0.02, 'clean or drop', (cell) => cell.replace('https://', '')),
  spacesAround(0.04),
  ...wordsForNothing(0.05),
  replacedBy('no link', 0.01, 'drop', [
    'see website',
    'javascript:alert(1)',
    'ftp://people.example/a',
    'private',
    '@mara',
  ]),
]

const roleWords: Words = {
  technology: ['Engineering', 'Information Technology', 'IT'],
  customer_support: ['Support', 'Customer Service'],
  finance: ['Accounting'],
  sales: ['Business Development'],
  other: ['Human Resources', 'HR', 'Legal'],
}

const seniorityWords: Words = {
  executive: ['Founder', 'Co-Founder', 'Owner', 'C suite', 'C-suite', 'C level', 'C-Level', 'CXO', 'Partner'],
  decision_maker: ['VP', 'Vice President', 'Head', 'Director'],
  other: ['Entry', 'Intern'],
}

const emailTypeFaults = wordFaults(['business', 'main', 'general'])
const phoneTypeFaults = wordFaults(['desk', 'landline', 'fax?'])

export const contactColumns: readonly Column[] = [
  { field: 'store_domain', header: 'Account', write: text, faults: storeFaults },
  { field: 'external_id', header: 'External ID', write: text, faults: [spacesAround(0.03), breakAtTheEnd(0.001)] },
  { field: 'first_name', header: 'First Name', write: text, faults: [...nameFaults, ...channelsInside] },
  { field: 'last_name', header: 'Last_Name', write: text, faults: nameFaults },
  { field: 'full_name', header: 'FULL NAME', write: text, faults: nameFaults },
  { field: 'title', header: 'Title', write: text, faults: [...nameFaults, ...channelsInside] },
  {
    field: 'role',
    header: 'Role',
    write: text,
    faults: facetFaults('roles', ['Wizard', 'n.n.', 'boss', 'Chief of Stuff'], roleWords),
  },
  {
    field: 'seniority',
    header: 'Seniority',
    write: text,
    faults: facetFaults('seniorities', ['level 3', 'n.n.', 'very', 'grade B'], seniorityWords),
  },
  { field: 'profile_url', header: 'Profile URL', write: text, faults: profileFaults },
  { field: 'emails.0.email', header: 'E-mail', write: text, faults: emailFaults },
  { field: 'emails.0.status', header: 'Emails.0.Status', write: text, faults: statusFaults, orphans: statusOrphans },
  { field: 'emails.0.type', header: 'emails.0.type', write: text, faults: emailTypeFaults, orphans: typeOrphans },
  { field: 'emails.1.email', header: 'Emails.1.Email', write: text, faults: emailFaults },
  { field: 'emails.1.status', header: 'emails.1.status', write: text, faults: statusFaults, orphans: statusOrphans },
  { field: 'emails.1.type', header: 'emails.1.type', write: text, faults: emailTypeFaults, orphans: typeOrphans },
  { field: 'phones.0.phone', header: 'Phone', write: text, faults: phoneFaults },
  {
    field: 'phones.0.type',
    header: 'Phones.0.Type',
    write: text,
    faults: phoneTypeFaults,
    orphans: ['office', 'landline', 'desk?'],
  },
]

/** A column that is no field, and what its cells hold. */
export const ignoredContactColumn = { header: 'Owner', cells: ['', 'Petra', 'Jonas, sales', '?', '=B2'] }

export const contactFlags = ['--map', 'Account=store_domain', '--map', 'Owner=']
