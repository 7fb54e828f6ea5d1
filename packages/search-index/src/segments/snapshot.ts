import { Checksum } from './checksum.ts'
import type { LiveSegment, RangeColumn, Segment } from './segment.ts'
import { sharedCopy } from './shared-arrays.ts'

/**
 * The binary format of an index:
 *
 *   magic · format version · header length · header · arrays, each aligned to 16 bytes · checksum
 *
 * The header is JSON and lists the arrays in file order with type and length. Numbers are little-endian. Decoding copies each
 * array: a view would keep the whole file in memory, with erased contacts, as long as any segment is in use.
 */
export interface CatalogueSnapshot<Name extends string = string> {
  batch: number
  /** Identifies the batch's history: two databases can both have batch 7, but not with the same history id. */
  historyId: string
  lists: Readonly<Record<Name, readonly LiveSegment[]>>
}

/** The bytes are not a usable snapshot; the message says why. */
export class SnapshotError extends Error {}

/** Increase it when the arrays of a segment change. */
const format = 2
const magic = 0x58_44_54_53
const preambleBytes = 16
const checksumBytes = 16
/** Enough for the checksum and for every array type. */
const alignment = 16
const pieceBytes = 4 * 2 ** 20

type NumberArray = Int32Array | Uint8Array | Uint16Array | Uint32Array | Float64Array
type ArrayType = 'Int32Array' | 'Uint8Array' | 'Uint16Array' | 'Uint32Array' | 'Float64Array'
interface ArrayKind {
  new (buffer: ArrayBufferLike, at?: number, length?: number): NumberArray
  BYTES_PER_ELEMENT: number
}
const arrayTypes: Record<ArrayType, ArrayKind> = {
  Int32Array,
  Uint8Array,
  Uint16Array,
  Uint32Array,
  Float64Array,
}

/** The names are part of the file format. */
interface Header {
  batch: number
  mark: string
  /** Size of the whole file, checksum included. */
  bytes: number
  shelves: Record<string, SegmentHeader[]>
}

interface SegmentHeader {
  size: number
  units: Record<RangeName, number>
  arrays: [name: string, type: ArrayType, length: number][]
}

const arrayNames = [
  ...(['ids', 'byId', 'scores', 'scoreStarts', 'tokens', 'tokenCounts', 'denseSlots', 'bits'] as const),
  ...(['entryStarts', 'entries', 'mentionStarts', 'mentions'] as const),
  ...(['contactStarts', 'contactSignatures', 'contactNumbers'] as const),
  ...(['signatureRoles', 'signatureTraits', 'signatureRevealable'] as const),
]
const rangeNames = ['activeAds', 'created', 'discovered'] as const
type RangeName = (typeof rangeNames)[number]

/** Yields the bytes in pieces, so that the caller can do other work in between. */
export function* encodeSnapshot({ batch, historyId, lists }: CatalogueSnapshot): Generator<Uint8Array> {
  const arrays = Object.values(lists).map((segments) => segments.map(arraysOf))
  const header: Header = {
    batch,
    mark: historyId,
    bytes: 0,
    shelves: mapValues(lists, describeSegment),
  }
  const bodyBytes = arrays.flat(2).reduce((sum, [, array]) => sum + padded(array.byteLength), 0)
  // The size is part of the header it measures: reserve its longest form.
  const headerBytes = padded(Buffer.byteLength(JSON.stringify({ ...header, bytes: Number.MAX_SAFE_INTEGER })))
  header.bytes = preambleBytes + headerBytes + bodyBytes + checksumBytes

  const checksum = new Checksum()
  for (const piece of contentOf(header, headerBytes, arrays.flat(2))) {
    checksum.add(piece)
    yield piece
  }
  yield checksum.bytes()
}

function* contentOf(header: Header, headerBytes: number, arrays: [string, NumberArray][]): Generator<Uint8Array> {
  const head = Buffer.alloc(preambleBytes + headerBytes, ' ')
  head.set(new Uint8Array(Uint32Array.of(magic, format, headerBytes, 0).buffer))
  head.write(JSON.stringify(header), preambleBytes)
  yield head
  for (const [, array] of arrays) {
    const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength)
    const whole = bytes.length - (bytes.length % alignment)
    for (let from = 0; from < whole; from += pieceBytes) yield bytes.subarray(from, Math.min(from + pieceBytes, whole))
    if (whole === bytes.length) continue
    const last = new Uint8Array(alignment)
    last.set(bytes.subarray(whole))
    yield last
  }
}

/** Throws a `SnapshotError` if the bytes are not a complete snapshot of this format. */
export function decodeSnapshot<Name extends string>(file: ArrayBufferLike): CatalogueSnapshot<Name> {
  const { header, bodyStart } = readHeader(file)
  if (header.bytes !== file.byteLength) throw new SnapshotError('it is incomplete')
  const content = new Uint8Array(file, 0, file.byteLength - checksumBytes)
  const checksum = new Checksum()
  checksum.add(content)
  if (Buffer.compare(checksum.bytes(), new Uint8Array(file, content.length)) !== 0)
    throw new SnapshotError('its checksum does not match')
  let at = bodyStart
  const readSegment = ({ size, units, arrays }: SegmentHeader): LiveSegment => {
    const read = new Map<string, NumberArray>()
    for (const [name, type, length] of arrays) {
      const array = new arrayTypes[type](file, at, length)
      read.set(name, sharedCopy(arrayTypes[type], array))
      at += padded(array.byteLength)
    }
    return assemble(size, units, read)
  }
  const { batch, mark: historyId, shelves } = header
  return { batch, historyId, lists: mapValues(shelves as Record<Name, SegmentHeader[]>, readSegment) }
}

/** Decodes the header; `start` must contain all of it, not the whole file. */
export function decodeSnapshotHeader(
  start: ArrayBufferLike,
): Pick<CatalogueSnapshot, 'batch' | 'historyId'> & { bytes: number } {
  const { batch, mark: historyId, bytes } = readHeader(start).header
  return { batch, historyId, bytes }
}

function readHeader(file: ArrayBufferLike): { header: Header; bodyStart: number } {
  if (file.byteLength < preambleBytes) throw new SnapshotError('it is incomplete')
  const [foundMagic, foundFormat, headerBytes] = new Uint32Array(file, 0, 3) as unknown as [number, number, number]
  if (foundMagic !== magic) throw new SnapshotError('it is not a snapshot')
  if (foundFormat !== format) throw new SnapshotError('another version of the program wrote it')
  const bodyStart = preambleBytes + headerBytes
  if (bodyStart > file.byteLength) throw new SnapshotError('it is incomplete')
  return { header: parseHeader(new Uint8Array(file, preambleBytes, headerBytes)), bodyStart }
}

function parseHeader(bytes: Uint8Array): Header {
  try {
    const header = JSON.parse(Buffer.from(bytes).toString()) as Header | null
    if (typeof header?.bytes === 'number') return header
  } catch {
    // Reported below, like a header with missing fields.
  }
  throw new SnapshotError('its header is invalid')
}

function arraysOf({ segment, dead }: LiveSegment): [string, NumberArray][] {
  return [
    ...arrayNames.map((name): [string, NumberArray] => [name, segment[name]]),
    ...rangeNames.flatMap((name): [string, NumberArray][] => [
      [`${name}.values`, segment[name].values],
      [`${name}.order`, segment[name].order],
    ]),
    ...(dead ? [['dead', dead] as [string, NumberArray]] : []),
  ]
}

function describeSegment(live: LiveSegment): SegmentHeader {
  const { size, activeAds, created, discovered } = live.segment
  return {
    size,
    units: { activeAds: activeAds.unit, created: created.unit, discovered: discovered.unit },
    arrays: arraysOf(live).map(([name, array]) => [name, array.constructor.name as ArrayType, array.length]),
  }
}

/** The checksum matched, so the arrays and their types are trusted. */
function assemble(size: number, units: Record<RangeName, number>, read: Map<string, NumberArray>): LiveSegment {
  const arrays = Object.fromEntries(arrayNames.map((name) => [name, read.get(name)]))
  const range = (name: RangeName) =>
    ({ unit: units[name], values: read.get(`${name}.values`), order: read.get(`${name}.order`) }) as RangeColumn
  const segment = {
    size,
    ...arrays,
    activeAds: range('activeAds'),
    created: range('created'),
    discovered: range('discovered'),
  } as unknown as Segment
  return { segment, dead: (read.get('dead') as Int32Array | undefined) ?? null }
}

function mapValues<Name extends string, From, To>(
  lists: Readonly<Record<Name, readonly From[]>>,
  convert: (value: From) => To,
): Record<Name, To[]> {
  const converted = Object.entries<readonly From[]>(lists).map(([name, values]) => [name, values.map(convert)])
  return Object.fromEntries(converted) as Record<Name, To[]>
}

function padded(bytes: number): number {
  return Math.ceil(bytes / alignment) * alignment
}
