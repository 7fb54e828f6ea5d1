import { type Fault, fault } from '../fields/faults.ts'
import { readText } from '../fields/fields.ts'

/** Reads text that a free preview shows, so it must not contain an email, phone number or URL. */
export function readPreviewText(faults: Fault[], path: string, text: string): string | undefined {
  const line = readText(faults, path, text)
  return line === undefined ? undefined : requireNoChannels(faults, path, line)
}

export function requireNoChannels(faults: Fault[], path: string, text: string): string | undefined {
  if (plain.test(text) && !spelledDot.test(text)) return text
  // Normalised first, so that compatibility forms and invisible characters cannot hide a channel.
  const folded = text.replace(/\p{Default_Ignorable_Code_Point}/gu, '').normalize('NFKC')
  const name =
    channels.find(([pattern]) => pattern.test(folded))?.[1] ?? (holdsNumber(folded) && 'what looks like a phone number')
  if (!name) return text
  faults.push(fault(path, `contains ${name}, which a preview must not show`))
  return undefined
}

function holdsNumber(text: string): boolean {
  // Compiling the long pattern takes most of a second, and hardly any text has as many digits.
  if ((text.match(digit)?.length ?? 0) < 7) return false
  return (text.match(longNumber) ?? []).some((digits) => !dates.test(digits))
}

const spelledDot = /\bdot\b/i

/** Matches nearly all names and titles, and no channel. */
const plain = /^[\p{L}\p{M} ,&'’()-]*$/u

const channels: [RegExp, string][] = [
  [/[^\s@]@[^\s@]/u, 'an email address'],
  // Obfuscated, as in "mara [at] shop (dot) example" or "mara at shop dot example".
  [
    /[\p{L}\p{N}]\s*[[({<]\s*(?:at|@)\s*[\])}>]\s*[\p{L}\p{N}-]+\s*[.[({<]|\s(?:at|@)\s+\S+\s+dot\s+\p{L}/iu,
    'an email address',
  ],
  // A bare host (Amazon.de) does not lead to a person; a host with a path may.
  [/[a-z0-9+.-]:\/\/|\bwww\.|\b(?:mailto|tel):|[\p{L}\p{N}]\.\p{L}{2,}\/[^\s/]/iu, 'a URL'],
]

const digit = /\p{Nd}/gu
/** At least seven digits with at most three other characters between them. */
const longNumber = /\p{Nd}(?:[^\p{L}\p{N}]{0,3}\p{Nd}){6,}/gu
/** Years and dates in titles, such as 2019-2024 or 12.05.2019. */
const dates =
  /^(?:(?:\d{1,2}[./-]){0,2}(?:19|20)\d{2}|(?:19|20)\d{2}(?:[./-]\d{1,2}){1,2})(?:[^\p{L}\p{N}]{1,3}(?:(?:\d{1,2}[./-]){0,2}(?:19|20)\d{2}))*$/u
