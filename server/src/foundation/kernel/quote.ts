import { createHash, hkdfSync } from 'node:crypto'
import { Refusal } from './errors.ts'
import type { Mode } from './ids.ts'
import { createSealer, SealError } from './seal.ts'
import { formatNumber } from './time.ts'

/** The promise of a quote: the most that this body costs this account until it expires. */
export interface QuotePayload {
  accountId: number
  mode: Mode
  /** From `hashQuotedBody`: 32 hexadecimal digits. */
  bodyHash: string
  credits: number
  storeExports: number
  expiresAtMs: number
  /** The contacts of a reveal, so that it can be started with the quote alone; none for an export or for too many. */
  contactIds: readonly number[]
}

/** Converts quotes to opaque text and back. Opening rejects text that was not sealed here; it knows no clock. */
export interface QuoteSealer {
  seal(payload: QuotePayload): string
  /** Null for text this sealer did not create: forged, altered, or of an earlier format. */
  open(text: string): QuotePayload | null
}

const prefix = 'quo_'
/** Bound into every token; another layout needs another name. */
const layout = 'quote 1'
const hashLength = 16
/** The length without contacts. A token of before contacts were kept has none, and opens as such. */
const plainLength = 1 + hashLength + 4 * 8
/** Enough for 2^36 stores. */
const contactLength = 6
/** More would make a token too long to be handed on. */
export const maxQuotedContactIds = 100

/** `secret` is the installation's secret and must not change within a quote's lifetime. */
export function createQuoteSealer(secret: Buffer): QuoteSealer {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'storedex quote 1', 32))
  const sealer = createSealer([{ id: '', secret: key }])

  function open(text: string): QuotePayload | null {
    if (!text.startsWith(prefix)) return null
    const encoded = text.slice(prefix.length)
    const bytes = Buffer.from(encoded, 'base64url')
    // Decoding ignores foreign characters and spare bits; only the canonical spelling is accepted.
    if (bytes.toString('base64url') !== encoded) return null
    try {
      return decodePayload(sealer.open(bytes, layout))
    } catch (error) {
      if (error instanceof SealError) return null
      throw error
    }
  }

  return { seal: (payload) => prefix + sealer.seal(encodePayload(payload), layout).toString('base64url'), open }
}

/** The body that a quote is about, and that is started with it: the same members, in any order, without the quote. */
export function hashQuotedBody(body: object): string {
  const { for: _for, quote: _quote, ...quoted } = body as Record<string, unknown>
  return createHash('sha256')
    .update(canonicalJson(quoted))
    .digest('hex')
    .slice(0, 2 * hashLength)
}

export function invalidQuoteError(): Refusal {
  return new Refusal(
    'invalid_quote',
    'This quote is invalid, has expired or is for another request; ask for a new one.',
    { param: 'quote' },
  )
}

export function quoteExceededError({ credits, new_exports }: { credits: number; new_exports: number }): Refusal {
  return new Refusal(
    'quote_exceeded',
    `By now ${formatNumber(credits)} contact credits and ${formatNumber(new_exports)} store exports are needed, more than the quote says; ask for a new one.`,
    { param: 'quote' },
  )
}

/** JSON with the members of each object in one order. */
function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join()}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`).join()}}`
}

// Layout: mode, body hash, four doubles, then the contacts. A double holds every safe integer exactly.
function encodePayload(payload: QuotePayload): Buffer {
  const { accountId, mode, bodyHash, credits, storeExports, expiresAtMs, contactIds } = payload
  if (contactIds.length > maxQuotedContactIds) throw new RangeError('a quote keeps at most 100 contacts')
  const bytes = Buffer.alloc(plainLength + contactIds.length * contactLength)
  bytes[0] = mode === 'live' ? 0 : 1
  if (bytes.write(bodyHash, 1, 'hex') !== hashLength) throw new RangeError('a body hash is 32 hexadecimal digits')
  for (const [index, number] of [accountId, credits, storeExports, expiresAtMs].entries())
    bytes.writeDoubleBE(number, doubleAt(index))
  for (const [index, id] of contactIds.entries())
    bytes.writeUIntBE(id, plainLength + index * contactLength, contactLength)
  return bytes
}

function decodePayload(bytes: Buffer): QuotePayload {
  const contacts = (bytes.length - plainLength) / contactLength
  return {
    accountId: bytes.readDoubleBE(doubleAt(0)),
    mode: bytes[0] === 0 ? 'live' : 'test',
    bodyHash: bytes.toString('hex', 1, 1 + hashLength),
    credits: bytes.readDoubleBE(doubleAt(1)),
    storeExports: bytes.readDoubleBE(doubleAt(2)),
    expiresAtMs: bytes.readDoubleBE(doubleAt(3)),
    contactIds: Array.from({ length: contacts }, (_, index) =>
      bytes.readUIntBE(plainLength + index * contactLength, contactLength),
    ),
  }
}

function doubleAt(index: number): number {
  return 1 + hashLength + index * 8
}
