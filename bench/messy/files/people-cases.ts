/** Contacts: their phones, their addresses, and who they are. */
import type { Values } from '../truth.ts'
import { type FileCase, fileCase, joinRows, type Outcome, refused, taken } from './file-case.ts'

function contacts(
  number: number,
  name: string,
  rows: string[][],
  must: Outcome | Outcome[],
  flags: string[] = [],
): FileCase {
  return fileCase(number, name, joinRows(rows.map((cells) => cells.map((cell) => `"${cell}"`))), must, {
    kind: 'contacts',
    flags,
  })
}

const dropped = ['--on-bad-value', 'drop']
const phone = (store: string, cell: string) => [
  ['store_domain', 'full_name', 'phone'],
  [store, 'Mara Lind', cell],
]
const readAs = (number: string) => taken([{ full_name: 'Mara Lind', 'phones.0.phone': number }])
const withoutPhone = refused(/phone/)

const phones: readonly FileCase[] = [
  contacts(2, 'a fraction of a data frame', phone('shop.example', '01713920012.0'), readAs('+491713920012')),
  contacts(2, 'the same without the zero in front', phone('shop.example', '1713920012.0'), readAs('+491713920012')),
  contacts(2, 'the same with a plus', phone('shop.example', '+493023125123.0'), readAs('+493023125123')),
  contacts(2, 'a fraction, and no number is left', phone('shop.example', '12.0'), withoutPhone),
  contacts(
    2,
    'an extension after a slash',
    phone('shop.example', '030 23125-0 / 23125-11'),
    refused(/more than one number|column each/),
  ),
  contacts(
    2,
    'two numbers with a comma',
    phone('shop.example', '030 23125123, 0171 3920012'),
    refused(/more than one number|column each/),
  ),
  contacts(
    2,
    'two numbers that both have a plus',
    phone('shop.example', '+493023125123 +491713920012'),
    refused(/more than one number|column each/),
  ),
  contacts(
    2,
    'a calling code without plus that is read two ways',
    phone('shop.example', '491713920012'),
    refused(/\+/),
  ),
  contacts(
    2,
    'a calling code without plus that is read one way',
    phone('shop.example', '49 30 23125 123'),
    readAs('+493023125123'),
  ),
  contacts(2, 'the same in Italy', phone('oak.example', '39 06 5550 1234'), readAs('+390655501234')),
  contacts(
    2,
    'an Italian mobile that begins like its calling code',
    phone('oak.example', '392 555 1234'),
    readAs('+393925551234'),
  ),
  contacts(2, 'marks of direction around', phone('shop.example', '\u202a+493023125123\u202c'), readAs('+493023125123')),
  contacts(
    15,
    'an apostrophe before a phone with an extension',
    phone('shop.example', "'+49 30 23125123 x12"),
    readAs('+493023125123 x12'),
  ),
]

const email = (cell: string, status = 'verified') => [
  ['store_domain', 'full_name', 'email', 'email status'],
  ['shop.example', 'Mara Lind', cell, status],
]
const address = (value: string) => taken([{ 'emails.0.email': value, 'emails.0.status': 'verified' }])
const noAddress: Values = { full_name: 'Mara Lind', 'emails.0.email': undefined, 'emails.0.status': undefined }

const emails: readonly FileCase[] = [
  ...[
    'kate@shop.example/contact',
    'kate@shop.example?x=1',
    'kate@shop.example:25',
    'kate@https://shop.example',
    'ka te@shop.example',
    'kate@shop\u00a0x.example',
    'kate\u200b@shop.example',
    'kate@sh\u202eop.example',
    'kate@shop.example#a',
    'kate@shop_1.example!',
  ].map((cell) => contacts(3, `no address: ${JSON.stringify(cell)}`, email(cell), refused(/email/))),
  contacts(3, 'a final dot', email('kate@shop.example.'), address('kate@shop.example')),
  contacts(3, 'a full-width @', email('kate＠shop.example'), address('kate@shop.example')),
  contacts(3, 'capitals', email('Kate@Shop.EXAMPLE'), address('Kate@shop.example')),
  contacts(3, 'a host with an umlaut', email('kate@müller.example'), address('kate@xn--mller-kva.example')),
  ...['ok', 'User Managed', 'Extrapolated?', 'sent'].map((status) =>
    contacts(
      4,
      `the unknown status ${status}`,
      email('kate@shop.example', status),
      taken([noAddress], /status/),
      dropped,
    ),
  ),
  contacts(
    4,
    'a word of an exporter: Extrapolated',
    email('kate@shop.example', 'Extrapolated'),
    taken([{ 'emails.0.status': 'guessed' }]),
  ),
  contacts(
    4,
    'a word of an exporter: do_not_mail',
    email('kate@shop.example', 'do_not_mail'),
    taken([{ 'emails.0.status': 'suppressed' }]),
  ),
  contacts(4, 'a status without an address', email('', 'Unavailable'), taken([noAddress])),
  contacts(4, 'an unknown status without an address', email('', 'User Managed'), taken([noAddress])),
  ...['email_not_unlocked@domain.com', 'noemail@shop.example', 'test@test.com'].map((cell) =>
    contacts(6, `the placeholder ${cell}`, email(cell), taken([noAddress])),
  ),
]

const people = (...rows: string[][]) => [
  ['store_domain', 'first_name', 'last_name', 'email'],
  ...rows.map((row) => ['shop.example', ...row]),
]
const person = (first: string, last: string): Values => ({ first_name: first, last_name: last })

const identities: readonly FileCase[] = [
  contacts(
    6,
    'three people with the address of the shop',
    people(
      ['Mara', 'Lind', 'info@shop.example'],
      ['Kate', 'Moss', 'info@shop.example'],
      ['Ben', 'Weiss', 'info@shop.example'],
    ),
    taken([person('Mara', 'Lind'), person('Kate', 'Moss'), person('Ben', 'Weiss')], /3 inserted/),
  ),
  contacts(
    6,
    "two names with one person's address",
    people(['Mara', 'Lind', 'mara@shop.example'], ['Kate', 'Moss', 'mara@shop.example']),
    taken([person('Mara', 'Lind'), person('Kate', 'Moss')]),
  ),
  contacts(
    6,
    'one person, the name in another order and without accents',
    people(['Zoé', 'Lind', 'zoe@shop.example'], ['LIND', 'ZOE', 'zoe@shop.example']),
    taken([{}]),
  ),
  contacts(
    6,
    'one person, once with an initial',
    people(['Mara', 'Lind', 'mara@shop.example'], ['M.', 'Lind', 'mara@shop.example']),
    taken([{}]),
  ),
  contacts(
    6,
    'one person, once without a name',
    people(['Mara', 'Lind', 'mara@shop.example'], ['', '', 'mara@shop.example']),
    taken([person('Mara', 'Lind')]),
  ),
  contacts(
    10,
    'words for seniority and department',
    [
      ['store_domain', 'full_name', 'seniority', 'department'],
      ['shop.example', 'Mara Lind', 'C suite', 'Engineering'],
      ['shop.example', 'Kate Moss', 'VP', 'Human Resources'],
      ['shop.example', 'Ben Weiss', 'Intern', 'Accounting'],
    ],
    taken([
      { seniority: 'executive', role: 'technology' },
      { seniority: 'decision_maker', role: 'other' },
      { seniority: 'other', role: 'finance' },
    ]),
  ),
]

export const peopleCases: readonly FileCase[] = [...phones, ...emails, ...identities]
