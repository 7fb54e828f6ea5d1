/**
 * Public ids: `st_live_`, `ct_test_`, `acct_`, `key_`, `per_` and 16 letters. The letters are an integer below 2^53, encrypted
 * with the installation's secret. There are 52^16 (about 2^91) combinations and only 2^53 integers, so one in 2^38
 * invented ids opens: the others are rejected without a query. Ids of adjacent rows look unrelated.
 *
 * The cipher is a balanced Feistel network over two halves of 8 letters. Each round adds to one half, modulo 52^8, a
 * keyed function of the other: AES over the half, the round and the prefix. So an id with a changed prefix does not
 * open. Sealing many ids costs one AES call per round, whatever their number.
 */
import { type Cipher, createCipheriv, hkdfSync } from 'node:crypto'
import { contactsPerStore } from '@storedex/search-index'

export const modes = ['live', 'test'] as const
export type Mode = (typeof modes)[number]

/** Kinds that exist per mode; their ids contain the mode. */
type ModalKind = 'store' | 'contact' | 'list' | 'export'
type GlobalKind = 'account' | 'key' | 'person' | 'session' | 'invitation' | 'passkey' | 'entry'

type IdOwner = { kind: ModalKind; mode: Mode } | { kind: GlobalKind; mode: null }
type OpenedId = IdOwner & { value: number }

export interface IdSealer {
  seal(kind: ModalKind, value: number, mode: Mode): string
  seal(kind: GlobalKind, value: number): string
  /** Seals each value, several times faster than `seal` for a page or more. */
  sealMany(kind: ModalKind, values: readonly number[], mode: Mode): string[]
  sealMany(kind: GlobalKind, values: readonly number[]): string[]
  /** The kind, mode and value of an id; null for text that was not sealed here. */
  open(text: string): OpenedId | null
  /** The value of each id, as fast as `sealMany`; null for text that is no id of this kind and mode. */
  openMany(kind: ModalKind, texts: readonly string[], mode: Mode): (number | null)[]
}

/**
 * A contact's internal key: its store's id combined with its number within the store, so that both can be computed from
 * it.
 */
export function contactKey(storeId: number, number: number): number {
  const key = storeId * contactsPerStore + number
  const isNumber = Number.isInteger(number) && number >= 0 && number < contactsPerStore
  const isStore = Number.isInteger(storeId) && storeId >= 0 && Number.isSafeInteger(key)
  if (!isNumber || !isStore) throw new RangeError(`no contact key for ${storeId} and ${number}`)
  return key
}

export function splitContactKey(key: number): { storeId: number; number: number } {
  return { storeId: storeOfContact(key), number: key % contactsPerStore }
}

/** The store of a contact, both by key. */
export function storeOfContact(key: number): number {
  return Math.floor(key / contactsPerStore)
}

type Kind = IdOwner['kind']

// The index in this list is part of the cipher's input: never reorder it, or issued ids stop working.
const spaces: readonly { prefix: string; owner: IdOwner }[] = [
  { prefix: 'st_live_', owner: { kind: 'store', mode: 'live' } },
  { prefix: 'st_test_', owner: { kind: 'store', mode: 'test' } },
  { prefix: 'ct_live_', owner: { kind: 'contact', mode: 'live' } },
  { prefix: 'ct_test_', owner: { kind: 'contact', mode: 'test' } },
  { prefix: 'acct_', owner: { kind: 'account', mode: null } },
  { prefix: 'key_', owner: { kind: 'key', mode: null } },
  { prefix: 'per_', owner: { kind: 'person', mode: null } },
  { prefix: 'ses_', owner: { kind: 'session', mode: null } },
  { prefix: 'inv_', owner: { kind: 'invitation', mode: null } },
  { prefix: 'psk_', owner: { kind: 'passkey', mode: null } },
  { prefix: 'le_', owner: { kind: 'entry', mode: null } },
  { prefix: 'lst_live_', owner: { kind: 'list', mode: 'live' } },
  { prefix: 'lst_test_', owner: { kind: 'list', mode: 'test' } },
  { prefix: 'exp_live_', owner: { kind: 'export', mode: 'live' } },
  { prefix: 'exp_test_', owner: { kind: 'export', mode: 'test' } },
]

const rounds = 8
const blockLength = 16
const letterCount = 16
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

// Four letters form one digit and four digits one id: small enough for exact arithmetic.
const digitBase = 52 ** 4
const digitsPerId = 4
const letterPairs = Array.from({ length: 52 ** 2 }, (_, i) => alphabet[Math.floor(i / 52)]! + alphabet[i % 52]!)
const noLetter = 255
/** The value of each letter, by character code. */
const letterValues = new Uint8Array(128).fill(noLetter)
for (const [value, letter] of [...alphabet].entries()) letterValues[letter.charCodeAt(0)] = value

/** `secret` is the installation's secret. It must never change, or issued ids stop working. */
export function createIdSealer(secret: Buffer): IdSealer {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'storedex public id 1', 16))
  // ECB keeps no state between blocks, so one cipher serves all calls.
  const cipher = createCipheriv('aes-128-ecb', key, null).setAutoPadding(false)

  const spaceOf = (kind: Kind, mode: Mode | null) =>
    spaces.findIndex(({ owner }) => owner.kind === kind && owner.mode === mode)

  function sealMany(kind: Kind, values: readonly number[], mode: Mode | null = null): string[] {
    const space = spaceOf(kind, mode)
    const digits = new Uint32Array(values.length * digitsPerId)
    for (const [index, value] of values.entries()) writeValue(digits, index * digitsPerId, value)
    for (let round = 0; round < rounds; round++) applyRound(cipher, digits, space, round, 1)
    return values.map((_, index) => spaces[space]!.prefix + lettersOf(digits, index * digitsPerId))
  }

  function openIn(space: number, texts: readonly string[]): (number | null)[] {
    const { prefix } = spaces[space]!
    const digits = new Uint32Array(texts.length * digitsPerId)
    const isRead = texts.map(
      (text, index) => text.startsWith(prefix) && readLetters(digits, index * digitsPerId, text, prefix.length),
    )
    for (let round = rounds - 1; round >= 0; round--) applyRound(cipher, digits, space, round, -1)
    return isRead.map((ok, index) => (ok ? readValue(digits, index * digitsPerId) : null))
  }

  function open(text: string): OpenedId | null {
    const space = spaces.findIndex(({ prefix }) => text.startsWith(prefix))
    const [value = null] = space < 0 ? [] : openIn(space, [text])
    return value === null ? null : { ...spaces[space]!.owner, value }
  }

  return {
    sealMany,
    open,
    openMany: (kind, texts, mode) => openIn(spaceOf(kind, mode), texts),
    seal: (kind: Kind, value: number, mode?: Mode) => sealMany(kind, [value], mode)[0]!,
  }
}

/** Blocks of the rounds; more ids than a page has get memory of their own. */
const workspace = Buffer.allocUnsafeSlow(128 * blockLength)

/**
 * One Feistel round over all ids at once: the digits of one half add (or subtract) a keyed function of the other half.
 */
function applyRound(cipher: Cipher, digits: Uint32Array, space: number, round: number, sign: 1 | -1): void {
  const source = round % 2 === 0 ? 2 : 0
  const target = 2 - source
  const size = digits.length * (blockLength / digitsPerId)
  const input = size <= workspace.length ? workspace.subarray(0, size) : Buffer.allocUnsafe(size)
  for (let id = 0, block = 0; id < digits.length; id += digitsPerId, block += blockLength) {
    input.writeUInt32BE(space, block)
    input.writeUInt32BE(round, block + 4)
    input.writeUInt32BE(digits[id + source]!, block + 8)
    input.writeUInt32BE(digits[id + source + 1]!, block + 12)
  }
  const output = cipher.update(input)
  for (let id = 0, block = 0; id < digits.length; id += digitsPerId, block += blockLength) {
    for (let half = 0; half < 2; half++) {
      const noise = output.readUIntBE(block + half * 8, 6)
      const index = id + target + half
      // The quotient is below 2^26, so that rounding cannot reach the next integer: quicker than `%` of large numbers.
      const rest = noise - Math.floor(noise / digitBase) * digitBase
      digits[index] = (digits[index]! + sign * rest + digitBase) % digitBase
    }
  }
}

function writeValue(digits: Uint32Array, offset: number, value: number): void {
  if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`no id for ${value}`)
  for (let i = digitsPerId - 1, rest = value; i >= 0; i--, rest = Math.floor(rest / digitBase)) {
    digits[offset + i] = rest % digitBase
  }
}

/** The integer in decrypted digits; null when it is above 2^53, which no sealed id is. */
function readValue(digits: Uint32Array, offset: number): number | null {
  // Above 2^53 the sum may be rounded, but never below it.
  let value = 0
  for (let i = offset; i < offset + digitsPerId; i++) value = value * digitBase + digits[i]!
  return Number.isSafeInteger(value) ? value : null
}

function lettersOf(digits: Uint32Array, offset: number): string {
  let letters = ''
  for (let i = offset; i < offset + digitsPerId; i++) {
    const digit = digits[i]!
    letters += letterPairs[Math.floor(digit / letterPairs.length)]! + letterPairs[digit % letterPairs.length]!
  }
  return letters
}

/** Reads the letters that end a text. Returns false, with undefined digits, if they are not those of an id. */
function readLetters(digits: Uint32Array, offset: number, text: string, start: number): boolean {
  if (text.length !== start + letterCount) return false
  for (let i = 0; i < letterCount; i++) {
    // Undefined for characters beyond the table.
    const value = letterValues[text.charCodeAt(start + i)] ?? noLetter
    if (value === noLetter) return false
    const index = offset + Math.floor(i / (letterCount / digitsPerId))
    digits[index] = digits[index]! * 52 + value
  }
  return true
}
