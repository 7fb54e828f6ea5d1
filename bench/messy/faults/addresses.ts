/** Faults of email addresses, and of what is known of them. */
import { fitsEncoding } from '../dialect.ts'
import { type CellFault, fault, replacedBy } from './fault.ts'
import { breakAtTheEnd, ifWritable, otherWords, spacesAround, type Words, wordsForNothing } from './text.ts'

const split = (address: string) => address.split('@') as [string, string]

/** Spellings of which one address can be meant. */
const mended: readonly CellFault[] = [
  fault('host in capitals', 0.03, 'clean', (cell, { random }) => {
    const [local, host] = split(cell)
    return random.pick([`${local}@${host.toUpperCase()}`, `${local}@${host[0]!.toUpperCase()}${host.slice(1)}`])
  }),
  fault('capitals before the @', 0.02, 'clean', (cell) => {
    const [local, host] = split(cell)
    const written = `${local[0]!.toUpperCase()}${local.slice(1)}@${host}`
    return { cell: written, value: written }
  }),
  fault('a final dot', 0.008, 'clean', (cell) => `${cell}.`),
  fault('a full-width @', 0.006, 'clean', (cell, { dialect }) => ifWritable(cell.replace('@', '＠'), dialect)),
  fault('a host with other letters than ASCII', 0.006, 'clean', (cell) => {
    const [local, host] = split(cell)
    return { cell: `${local}@bücher.${host}`, value: `${local}@xn--bcher-kva.${host}` }
  }),
  fault('invisible marks around', 0.008, 'clean', (cell, { random, dialect }) => {
    const marks = ['\u200b', '\ufeff', '\u00a0', '\u2060']
    const mark = random.pick(marks.filter((each) => fitsEncoding(each, dialect)))
    return random.pick([`${cell}${mark}`, `${mark}${cell}`])
  }),
]

/** Texts that hold an address and are none. */
const broken: readonly CellFault[] = [
  fault('more than an address', 0.015, 'drop', (cell, { random }) => {
    const [local, host] = split(cell)
    return random.pick([
      `${cell}/contact`,
      `${cell}/`,
      `${cell}?x=1`,
      `${cell}?subject=Hello`,
      `${cell}#team`,
      `${cell}:25`,
      `${local}@https://${host}`,
      `${local}@http://www.${host}/`,
      `https://${host}/${local}@`,
      `${local}:secret@${host}`.replace(':secret', ' secret'),
    ])
  }),
  fault('blanks or invisible marks inside', 0.015, 'drop', (cell, { random, dialect }) => {
    const marks = ['\u00a0', ' ', '\u200b', '\u200d', '\u202e', '\u2066', '\u00ad', '\u3000', '\x07']
    const mark = random.pick(marks.filter((each) => fitsEncoding(each, dialect)))
    const at = random.pick([cell.indexOf('@'), cell.indexOf('@') + 1, 2, cell.length - 3])
    return `${cell.slice(0, at)}${mark}${cell.slice(at)}`
  }),
  fault('letters of another encoding', 0.004, 'drop', (cell, { dialect }) =>
    dialect.encoding === 'windows-1252' ? cell.replace('@', '\x81@') : cell.replace('@', '\ufffd@'),
  ),
]

/** What programs write where they have no address, or do not show it. */
const placeholders = [
  'email_not_unlocked@domain.com',
  'email_not_unlocked@shop.example',
  'noemail@shop.example',
  'no-email@shop.example',
  'NoEmail@Shop.example',
  'test@test.com',
]

export const emailFaults: readonly CellFault[] = [
  ...mended,
  ...broken,
  replacedBy('placeholder', 0.015, 'missing', placeholders),
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
      cell.replace('.example', '..example'),
    ]),
  ),
  fault('two addresses', 0.005, 'drop', (cell, { random }) =>
    random.pick([`${cell} / second.${cell}`, `${cell}; second.${cell}`, `${cell}, second.${cell}`]),
  ),
  replacedBy('no address', 0.008, 'drop', ['on request', 'unknown', 'contact form', 'ask Petra']),
]

/** What well-known programs that check addresses call a status. */
const statusWords: Words = {
  verified: ['Valid', 'Deliverable', 'Safe to send'],
  accept_all: ['Catch-all', 'Catch all', 'catchall', 'Accept-All', 'accept all'],
  guessed: ['Extrapolated', 'Guess', 'Predicted', 'Pattern'],
  invalid: ['Undeliverable', 'Unavailable', 'Spamtrap', 'Disposable', 'Not found'],
  bounced: ['Bounce', 'Hard bounce'],
  unverified: ['Risky', 'Not verified', 'Pending'],
}

/** Of a given status that nobody knows, the worst must be feared: the address goes with it. */
export const statusFaults: readonly CellFault[] = [
  ...otherWords(statusWords, 0.15),
  fault('word for addresses that must not be used', 0.01, 'clean', (_cell, { random }) => ({
    cell: random.pick(['do_not_mail', 'Do not mail', 'Abuse', 'Unsubscribed', 'Opted out']),
    value: 'suppressed',
  })),
  spacesAround(0.03),
  replacedBy('word for nothing', 0.03, 'missing', ['NULL', 'n/a', 'N/A', '-', '#N/A', 'None', 'none', ' - ']),
  replacedBy('null', 0.003, 'clear', ['null']),
  fault('in capitals', 0.02, 'clean', (cell) => cell.toUpperCase()),
  replacedBy('unknown word', 0.012, 'drop the channel', [
    'ok',
    'User Managed',
    'deliverable?',
    '99 %',
    'valid-ish',
    'last seen 2019',
    '#REF!',
  ]),
]

/** What can stand beside an address that is not there: it says nothing. */
export const statusOrphans = ['unknown', 'bounced', 'Unavailable', 'Extrapolated', 'ok', 'User Managed']
export const typeOrphans = ['work', 'role', 'business', 'main?']
