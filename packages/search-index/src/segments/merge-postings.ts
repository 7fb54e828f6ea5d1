import { allocatePostings, type Postings } from './layout.ts'
import { deadDocument, type MergedPart } from './merge-documents.ts'
import { NumberTable } from './number-table.ts'
import { type Segment, wordsOf } from './segment.ts'
import { mergeLists } from './sort.ts'

/** Merges token by token, then derives the mentions from the lists. */
export function mergePostings(parts: readonly MergedPart[], size: number): Postings {
  const readers = parts.map((part) => new PostingReader(part))
  const { tokens, counts, codesOfParts } = mergeTokens(readers)
  const postings = allocatePostings(size, tokens, counts)
  const words = wordsOf(size)
  for (let code = 0; code < tokens.length; code++) {
    const lists = readers.flatMap((reader, part) => {
      const codeOfPart = codesOfParts[part]![code]!
      return codeOfPart < 0 ? [] : [reader.read(codeOfPart)]
    })
    const slot = postings.denseSlots[code]!
    if (slot < 0) postings.entries.set(mergeLists(lists, isSmaller), postings.entryStarts[code]!)
    else for (const list of lists) setBits(postings.bits.subarray(slot * words, (slot + 1) * words), list)
  }
  deriveMentions(postings)
  return postings
}

const isSmaller = (a: number, b: number) => a < b

/** Tokens of living documents with their counts, and for each part: merged code → the part's code, or -1. */
function mergeTokens(readers: readonly PostingReader[]) {
  const livingCounts = readers.map((reader) => reader.countAll())
  const table = new NumberTable()
  readers.forEach(({ tokens }, part) => {
    tokens.forEach((token, code) => {
      if (livingCounts[part]![code]! > 0) table.add(token)
    })
  })
  const { values } = table.sort()
  const counts = new Uint32Array(values.length)
  const codesOfParts = readers.map(({ tokens }, part) => {
    const codes = new Int32Array(values.length).fill(-1)
    tokens.forEach((token, codeOfPart) => {
      const living = livingCounts[part]![codeOfPart]!
      if (living === 0) return
      const code = table.numberOf(token)
      counts[code]! += living
      codes[code] = codeOfPart
    })
    return codes
  })
  return { tokens: values, counts, codesOfParts }
}

/** Reads the postings of a part as documents of the merged segment. */
class PostingReader {
  readonly #part: MergedPart
  readonly #read: Uint32Array
  readonly tokens: Int32Array

  constructor(part: MergedPart) {
    this.#part = part
    this.tokens = part.segment.tokens
    this.#read = new Uint32Array(part.segment.tokenCounts.reduce((largest, count) => Math.max(largest, count), 0))
  }

  /** The living documents with the token, ascending; valid until the next call. */
  read(code: number): Uint32Array {
    const { segment, documents } = this.#part
    const slot = segment.denseSlots[code]!
    const count = slot < 0 ? this.#readEntries(segment, documents, code) : this.#readBits(segment, documents, slot)
    return this.#read.subarray(0, count)
  }

  /** Code → how many living documents have the token. */
  countAll(): Uint32Array {
    const { tokenCounts, denseSlots } = this.#part.segment
    const counts = tokenCounts.slice()
    const denseCodes = Uint32Array.from(denseSlots.keys()).filter((code) => denseSlots[code]! >= 0)
    this.#part.documents.forEach((target, document) => {
      if (target === deadDocument) this.#discount(document, denseCodes, counts)
    })
    return counts
  }

  #discount(document: number, denseCodes: Uint32Array, counts: Uint32Array): void {
    const { size, denseSlots, bits, mentionStarts, mentions } = this.#part.segment
    const end = mentionStarts[document + 1]!
    for (let at = mentionStarts[document]!; at < end; at++) counts[mentions[at]!]!--
    const words = wordsOf(size)
    for (let index = 0; index < denseCodes.length; index++) {
      const code = denseCodes[index]!
      counts[code]! -= (bits[denseSlots[code]! * words + (document >>> 5)]! >>> (document & 31)) & 1
    }
  }

  #readEntries({ entryStarts, entries }: Segment, documents: Uint32Array, code: number): number {
    const read = this.#read
    const end = entryStarts[code + 1]!
    let count = 0
    for (let at = entryStarts[code]!; at < end; at++) {
      const document = documents[entries[at]!]!
      if (document !== deadDocument) read[count++] = document
    }
    return count
  }

  #readBits({ size, bits }: Segment, documents: Uint32Array, slot: number): number {
    const read = this.#read
    const words = wordsOf(size)
    let count = 0
    for (let index = 0; index < words; index++) {
      for (let word = bits[slot * words + index]!; word !== 0; word &= word - 1) {
        const document = documents[index * 32 + 31 - Math.clz32(word & -word)]!
        if (document !== deadDocument) read[count++] = document
      }
    }
    return count
  }
}

function setBits(bits: Int32Array, documents: Uint32Array): void {
  for (let index = 0; index < documents.length; index++) {
    const document = documents[index]!
    bits[document >>> 5]! |= 1 << (document & 31)
  }
}

/** Inverts the lists: document → codes of its sparse tokens, ascending because codes are visited in order. */
function deriveMentions({ entryStarts, entries, mentionStarts, mentions }: Postings): void {
  for (let at = 0; at < entries.length; at++) mentionStarts[entries[at]! + 1]!++
  for (let at = 1; at < mentionStarts.length; at++) mentionStarts[at]! += mentionStarts[at - 1]!
  const next = mentionStarts.slice()
  for (let code = 0; code < entryStarts.length - 1; code++) {
    const end = entryStarts[code + 1]!
    for (let at = entryStarts[code]!; at < end; at++) mentions[next[entries[at]!]!++] = code
  }
}
