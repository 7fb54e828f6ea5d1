import { RecordError, readText } from '../fields.ts'

/** Text of one line. */
export function readSingleLineText(path: string, text: string): string {
  if (/\p{Cc}/u.test(text)) throw new RecordError(`${path}: holds control characters`)
  return readText(path, text)
}

/** Text that a preview shows to whoever has not paid for the person, so it must not hold a way to reach them. */
export function readPreviewText(path: string, text: string): string {
  return requireNoChannels(path, readSingleLineText(path, text))
}

export function requireNoChannels(path: string, text: string): string {
  if (plain.test(text) && !spelledDot.test(text)) return text
  // Compatibility forms fold into the characters that people would read them as, and invisible ones hide nothing.
  const folded = text.replace(/\p{Default_Ignorable_Code_Point}/gu, '').normalize('NFKC')
  const name =
    channels.find(([pattern]) => pattern.test(folded))?.[1] ?? (holdsNumber(folded) && 'what looks like a phone number')
  if (name) throw new RecordError(`${path}: holds ${name}, which a preview must not show`)
  return text
}

function holdsNumber(text: string): boolean {
  return (text.match(longNumber) ?? []).some((digits) => !dates.test(digits))
}

const spelledDot = /\bdot\b/i

/** Nearly all names and titles, and no room for a channel. */
const plain = /^[\p{L}\p{M} ,&'’()-]*$/u

const channels: [RegExp, string][] = [
  [/[^\s@]@[^\s@]/u, 'an email address'],
  // Written around, as in "mara [at] shop (dot) example" or "mara at shop dot example".
  [
    /[\p{L}\p{N}]\s*[[({<]\s*(?:at|@)\s*[\])}>]\s*[\p{L}\p{N}-]+\s*[.[({<]|\s(?:at|@)\s+\S+\s+dot\s+\p{L}/iu,
    'an email address',
  ],
  // A bare host is no address of a person (Amazon.de); one with a path is.
  [/\b[a-z][a-z0-9+.-]*:\/\/|\bwww\.|\b(?:mailto|tel):|[\p{L}\p{N}]\.\p{L}{2,}\/[^\s/]/iu, 'a URL'],
]

/** Seven digits or more with little between them. */
const longNumber = /\p{Nd}(?:[^\p{L}\p{N}]{0,3}\p{Nd}){6,}/gu
/** Years and dates, such as 2019-2024 or 12.05.2019, which titles hold. */
const dates =
  /^(?:(?:\d{1,2}[./-]){0,2}(?:19|20)\d{2}|(?:19|20)\d{2}(?:[./-]\d{1,2}){1,2})(?:[^\p{L}\p{N}]{1,3}(?:(?:\d{1,2}[./-]){0,2}(?:19|20)\d{2}))*$/u
