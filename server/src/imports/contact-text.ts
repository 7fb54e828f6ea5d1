import { readText } from './fields.ts'
import { RecordProblem } from './problem.ts'

/** Text of one line. */
export function readPlainText(path: string, text: string): string {
  if (/\p{Cc}/u.test(text)) throw new RecordProblem(`${path}: holds control characters`)
  return readText(path, text)
}

/** Text that a preview shows to whoever has not paid for the person, so it must not hold a way to reach them. */
export function readShownText(path: string, text: string): string {
  return refuseChannels(path, readPlainText(path, text))
}

export function refuseChannels(path: string, text: string): string {
  if (plain.test(text)) return text
  // Compatibility forms fold into the characters that people would read them as, and invisible ones hide nothing.
  const folded = text.replace(/\p{Default_Ignorable_Code_Point}/gu, '').normalize('NFKC')
  for (const [pattern, name] of channels)
    if (pattern.test(folded)) throw new RecordProblem(`${path}: holds ${name}, which a preview must not show`)
  return text
}

/** Nearly all names and titles, and no room for a channel. */
const plain = /^[\p{L}\p{M} ,&'’()-]*$/u

const channels: [RegExp, string][] = [
  [/[^\s@]@[^\s@]/u, 'an email address'],
  // A bare host is no address of a person (Amazon.de); one with a path is.
  [/\b[a-z][a-z0-9+.-]*:\/\/|\bwww\.|\b(?:mailto|tel):|[\p{L}\p{N}]\.\p{L}{2,}\/[^\s/]/iu, 'a URL'],
  [/\p{Nd}(?:[^\p{L}\p{N}]{0,3}\p{Nd}){6}/u, 'what looks like a phone number'],
]
