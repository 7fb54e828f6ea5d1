import { noValue, type RangeColumn, type Segment, type StagedStores } from '../../src/segments/segment.ts'

/** Plain stores, and a naive reference for the segment built from them. */

export interface PlainContact {
  role: number
  traits: number
  number: number
  /** True unless given. */
  isRevealable?: boolean
}

export interface PlainStore {
  id: number
  negatedScore: number
  activeAds: number
  created: number | null
  discovered: number | null
  tokens: number[]
  contacts: PlainContact[]
}

export function stageStores(stores: readonly PlainStore[]): StagedStores {
  const contacts = stores.flatMap((store) => store.contacts)
  return {
    size: stores.length,
    ids: Float64Array.from(stores, (store) => store.id),
    negatedScores: Float64Array.from(stores, (store) => store.negatedScore),
    activeAds: Uint32Array.from(stores, (store) => store.activeAds),
    created: Float64Array.from(stores, (store) => store.created ?? Number.NaN),
    discovered: Float64Array.from(stores, (store) => store.discovered ?? Number.NaN),
    tokenStarts: startsOf(stores.map((store) => store.tokens)),
    tokens: Int32Array.from(stores.flatMap((store) => store.tokens)),
    contactStarts: startsOf(stores.map((store) => store.contacts)),
    contactRoles: Int32Array.from(contacts, (contact) => contact.role),
    contactTraits: Uint8Array.from(contacts, storedTraitsOf),
    contactNumbers: Uint16Array.from(contacts, (contact) => contact.number),
  }
}

function startsOf(lists: unknown[][]): Uint32Array {
  let sum = 0
  return Uint32Array.from([0, ...lists.map((list) => (sum += list.length))])
}

/** A segment with plain arrays, for comparison. */
export function plainSegment(segment: Segment) {
  const plainRange = ({ unit, values, order }: RangeColumn) => ({ unit, values: [...values], order: [...order] })
  const { size, activeAds, created, discovered, ...arrays } = segment
  return {
    size,
    activeAds: plainRange(activeAds),
    created: plainRange(created),
    discovered: plainRange(discovered),
    ...Object.fromEntries(Object.entries(arrays).map(([name, numbers]) => [name, [...numbers]])),
  }
}

/** The expected `plainSegment` of these stores. */
export function derivedSegment(stores: readonly PlainStore[]) {
  const documents = [...stores].sort((a, b) => ascending(a.negatedScore, b.negatedScore) || ascending(a.id, b.id))
  const byId = [...documents.keys()].sort((a, b) => ascending(documents[a]!.id, documents[b]!.id))
  const firsts = [...documents.keys()].filter(
    (document) => documents[document]!.negatedScore !== documents[document - 1]?.negatedScore,
  )
  const contactLists = documents.map(({ contacts }) => [...contacts].sort((a, b) => ascending(placeOf(a), placeOf(b))))
  const signatures = [...new Set(stores.flatMap(({ contacts }) => contacts.map(signatureOf)))].sort(ascending)
  return {
    size: documents.length,
    ids: documents.map((store) => store.id),
    byId,
    scores: firsts.map((document) => documents[document]!.negatedScore + 0),
    scoreStarts: firsts,
    ...derivedPostings(documents),
    activeAds: derivedRange(
      documents.map((store) => store.activeAds || null),
      1,
    ),
    created: derivedRange(
      documents.map((store) => store.created),
      1000,
    ),
    discovered: derivedRange(
      documents.map((store) => store.discovered),
      1000,
    ),
    contactStarts: [...startsOf(contactLists)],
    contactSignatures: contactLists.flat().map((contact) => signatures.indexOf(signatureOf(contact))),
    contactNumbers: contactLists.flat().map((contact) => contact.number),
    signatureRoles: signatures.map((signature) => Math.floor(signature / 100)),
    signatureTraits: signatures.map((signature) => (signature % 100) % 24),
    signatureRevealable: signatures.map((signature) => (signature % 100 < 24 ? 1 : 0)),
  }
}

function derivedPostings(documents: PlainStore[]) {
  const documentsOf = new Map<number, number[]>()
  documents.forEach((store, document) => {
    for (const token of store.tokens) {
      const list = documentsOf.get(token)
      if (list) list.push(document)
      else documentsOf.set(token, [document])
    }
  })
  const tokens = [...documentsOf.keys()].sort(ascending)
  const words = Math.ceil(documents.length / 32)
  const dense: number[][] = []
  const sparse: number[][] = []
  const denseSlots: number[] = []
  for (const token of tokens) {
    const list = documentsOf.get(token)!
    const isDense = list.length * 8 > words * 4
    denseSlots.push(isDense ? dense.push(bitsOf(list, words)) - 1 : -1)
    sparse.push(isDense ? [] : list)
  }
  const codeOf = new Map(tokens.map((token, code) => [token, code]))
  const mentions = documents.map((store) =>
    store.tokens.map((token) => codeOf.get(token)!).filter((code) => denseSlots[code] === -1),
  )
  return {
    tokens,
    tokenCounts: tokens.map((token) => documentsOf.get(token)!.length),
    denseSlots,
    bits: dense.flat(),
    entryStarts: [...startsOf(sparse)],
    entries: sparse.flat(),
    mentionStarts: [...startsOf(mentions)],
    mentions: mentions.flat(),
  }
}

function bitsOf(documents: number[], words: number): number[] {
  const bits = Array.from({ length: words }, () => 0)
  for (const document of documents) bits[Math.floor(document / 32)]! |= 2 ** (document % 32)
  return bits
}

function derivedRange(values: (number | null)[], unit: number) {
  const fits = values.every((value) => value === null || (value % unit === 0 && value >= 0 && value / unit < noValue))
  const order = [...values.keys()].filter((document) => values[document] !== null)
  return {
    unit: fits ? unit : 1,
    values: values.map((value) => (fits ? (value === null ? noValue : value / unit) : (value ?? Number.NaN))),
    order: order.sort((a, b) => ascending(values[a]!, values[b]!) || ascending(a, b)),
  }
}

function placeOf({ traits, number }: PlainContact): number {
  return (traits >> 2) * 4096 + number
}

function signatureOf(contact: PlainContact): number {
  return contact.role * 100 + storedTraitsOf(contact)
}

function storedTraitsOf({ traits, isRevealable = true }: PlainContact): number {
  return isRevealable ? traits : traits + 24
}

function ascending(a: number, b: number): number {
  return a < b ? -1 : a > b ? 1 : 0
}
