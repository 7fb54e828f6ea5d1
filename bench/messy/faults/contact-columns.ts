/** The columns of a file of contacts, and everything that goes wrong in them. */
import type { Random } from '../../../catalogue/build/random.ts'
import { internationalSpellings, nationalSpellings, phoneOf } from '../records/phones.ts'
import { type CellFault, type Column, type FaultyCell, fault, replacedBy } from './fault.ts'
import { breakAtTheEnd, facetFaults, nameFaults, spacesAround, wordFaults, wordsForNothing } from './text.ts'

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

const emailFaults: readonly CellFault[] = [
  spacesAround(0.06),
  breakAtTheEnd(0.004),
  fault('mailto:', 0.02, 'clean or drop', (cell) => `mailto:${cell}`),
  fault('name and address', 0.01, 'clean or drop', (cell) => `Someone <${cell}>`),
  ...wordsForNothing(0.04, 'missing or drop'),
  fault('misspelt address', 0.015, 'drop', (cell, { random }) =>
    random.pick([
      cell.replace('@', ''),
      cell.replace('@', '@@'),
      cell.replace('@', ' at '),
      cell.replace(/\.example$/, ''),
      cell.replace(/@.*/, '@'),
      cell.replace('.example', ',example'),
    ]),
  ),
  fault('two addresses', 0.005, 'drop', (cell) => `${cell} / second.${cell}`),
  replacedBy('no address', 0.008, 'drop', ['on request', 'unknown', 'contact form', 'ask Petra']),
]

/** National spellings are read by the store's country; without one they are at fault. */
const phoneFaults: readonly CellFault[] = [
  fault('international, spaced', 0.25, 'clean', (cell, { random }) =>
    random.pick(internationalSpellings(phoneOf(cell))),
  ),
  fault('with 00', 0.05, 'clean', (cell, { country }) => {
    const { country: own, callingCode, blocks } = phoneOf(cell)
    // Elsewhere 00 does not lead abroad.
    return country === own && ['DE', 'FR', 'GB'].includes(own) ? `00${callingCode} ${blocks.join(' ')}` : null
  }),
  fault('national', 0.4, 'clean', (cell, { random, country }) => nationalCell(cell, country, random)),
  fault('with an extension', 0.06, 'clean', (cell, { random, country }) => {
    const written: FaultyCell = nationalCell(cell, country, random) ?? {
      cell: random.pick(internationalSpellings(phoneOf(cell))),
    }
    if (written.must === 'drop') return null
    const extension = String(10 + random.below(990))
    const sign = random.pick([' x', ' ext. ', ' ext ', 'x', ' extension '])
    return { cell: `${written.cell}${sign}${extension}`, value: `${cell} x${extension}` }
  }),
  fault('tel: or an apostrophe', 0.01, 'clean or drop', (cell, { random }) => random.pick([`tel:${cell}`, `'${cell}`])),
  spacesAround(0.04),
  breakAtTheEnd(0.003),
  ...wordsForNothing(0.05, 'missing or drop'),
  fault('as a spreadsheet shows long numbers', 0.01, 'drop', (cell, { dialect }) => {
    const [, first, next] = /^\+(\d)(\d{5})/.exec(cell)!
    return `${first}${dialect.decimal}${next}E+${cell.length - 2}`
  }),
  replacedBy('junk', 0.02, 'drop', [
    'call me',
    'tbd',
    '12',
    '000',
    '+',
    'unknown',
    '1234567890123456789012',
    'see website',
    '0',
    '#',
    'x12',
  ]),
]

/** Null where nobody could say what the national spelling of this number would be read as. */
function nationalCell(cell: string, country: string | null | undefined, random: Random): FaultyCell | null {
  const phone = phoneOf(cell)
  if (country === null)
    return {
      cell: random.pick(nationalSpellings(phone).filter((spelling) => !spelling.startsWith('1'))),
      must: 'drop' as const,
    }
  return phone.country === country ? { cell: random.pick(nationalSpellings(phone)), must: 'clean' as const } : null
}

const statusFaults = wordFaults(['ok', 'deliverable?', '99 %', 'valid-ish'])
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
    faults: facetFaults('roles', ['Wizard', 'n.n.', 'boss', 'Chief of Stuff']),
  },
  {
    field: 'seniority',
    header: 'Seniority',
    write: text,
    faults: facetFaults('seniorities', ['C-Level', 'senior', 'level 3', 'Junior']),
  },
  { field: 'profile_url', header: 'Profile URL', write: text, faults: profileFaults },
  { field: 'emails.0.email', header: 'E-mail', write: text, faults: emailFaults },
  {
    field: 'emails.0.status',
    header: 'Emails.0.Status',
    write: text,
    faults: statusFaults,
    orphans: ['unknown', 'bounced'],
  },
  { field: 'emails.0.type', header: 'emails.0.type', write: text, faults: emailTypeFaults },
  { field: 'emails.1.email', header: 'Emails.1.Email', write: text, faults: emailFaults },
  { field: 'emails.1.status', header: 'emails.1.status', write: text, faults: statusFaults },
  { field: 'emails.1.type', header: 'emails.1.type', write: text, faults: emailTypeFaults },
  { field: 'phones.0.phone', header: 'Phone', write: text, faults: phoneFaults },
  { field: 'phones.0.type', header: 'Phones.0.Type', write: text, faults: phoneTypeFaults, orphans: ['office'] },
]

/** A column that is no field, and what its cells hold. */
export const ignoredContactColumn = { header: 'Owner', cells: ['', 'Petra', 'Jonas, sales', '?', '=B2'] }

export const contactFlags = ['--map', 'Account=store_domain', '--map', 'Owner=']
