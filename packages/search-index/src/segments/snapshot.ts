import { Checksum } from './checksum.ts'
import type { LiveSegment, RangeColumn, Segment } from './segment.ts'
import { sharedCopy } from './shared-arrays.ts'

/**
 * A catalogue in memory as bytes, and back:
 *
 *   magic · format · length of the header · header · arrays, each from a multiple of sixteen · checksum
 *
 * The header is JSON and names each array with its kind and length, in the order in which they follow. The numbers are
 * little-endian, like those of all machines that run this. Reading copies each array: as a view of the bytes, the smallest
 * segment would keep all of them in memory, and who is merged away in others with them.
 */
export interface CatalogueSnapshot<Name extends string = string> {
  batch: number
  /** Of the batch: who has it knows whose catalogue this is. */
  mark: string
  shelves: Readonly<Record<Name, readonly LiveSegment[]>>
}

/** Why bytes cannot be used, in words. */
export class SnapshotError extends Error {}

/** Changes with every change of what a segment is made of. */
const format = 1
const magic = 0x58_44_54_53
const preambleBytes = 16
const checksumBytes = 16
/** What the checksum takes at a time; also enough for every kind of number. */
const alignment = 16
const pieceBytes = 4 * 2 ** 20

type NumberArray = Int32Array | Uint8Array | Uint16Array | Uint32Array | Float64Array
type Kind = 'Int32Array' | 'Uint8Array' | 'Uint16Array' | 'Uint32Array' | 'Float64Array'
interface ArrayKind {
  new (buffer: ArrayBufferLike, at?: number, length?: number): NumberArray
  BYTES_PER_ELEMENT: number
}
const kinds: Record<Kind, ArrayKind> = {
  Int32Array,
  Uint8Array,
  Uint16Array,
  Uint32Array,
  Float64Array,
}

interface Header {
  batch: number
  mark: string
  /** All bytes, the checksum included. */
  bytes: number
  shelves: Record<string, SegmentHeader[]>
}

interface SegmentHeader {
  size: number
  units: Record<RangeName, number>
  arrays: [name: string, kind: Kind, length: number][]
}

const arrayNames = [
  ...(['ids', 'byId', 'scores', 'scoreStarts', 'tokens', 'tokenCounts', 'denseSlots', 'bits'] as const),
  ...(['entryStarts', 'entries', 'mentionStarts', 'mentions'] as const),
  ...(['contactStarts', 'contactSignatures', 'contactNumbers', 'signatureRoles', 'signatureTraits'] as const),
]
const rangeNames = ['activeAds', 'created', 'discovered'] as const
type RangeName = (typeof rangeNames)[number]

/** The bytes in their order, in pieces, so that whoever writes them can give way in between. */
export function* encodeSnapshot({ batch, mark, shelves }: CatalogueSnapshot): Generator<Uint8Array> {
  const arrays = Object.values(shelves).map((segments) => segments.map(arraysOf))
  const header: Header = {
    batch,
    mark,
    bytes: 0,
    shelves: mapValues(shelves, describeSegment),
  }
  const bodyBytes = arrays.flat(2).reduce((sum, [, array]) => sum + padded(array.byteLength), 0)
  // The figure is part of the header; its place is kept by as many digits as it can ever have.
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

/** Throws a `SnapshotProblem` for bytes that are not a whole snapshot of this format. */
export function decodeSnapshot<Name extends string>(file: ArrayBufferLike): CatalogueSnapshot<Name> {
  const { header, bodyStart } = readHeader(file)
  if (header.bytes !== file.byteLength) throw new SnapshotError('it is not whole')
  const content = new Uint8Array(file, 0, file.byteLength - checksumBytes)
  const checksum = new Checksum()
  checksum.add(content)
  if (Buffer.compare(checksum.bytes(), new Uint8Array(file, content.length)) !== 0)
    throw new SnapshotError('its checksum is wrong')
  let at = bodyStart
  const readSegment = ({ size, units, arrays }: SegmentHeader): LiveSegment => {
    const read = new Map<string, NumberArray>()
    for (const [name, kind, length] of arrays) {
      const array = new kinds[kind](file, at, length)
      read.set(name, sharedCopy(kinds[kind], array))
      at += padded(array.byteLength)
    }
    return assemble(size, units, read)
  }
  const { batch, mark, shelves } = header
  return { batch, mark, shelves: mapValues(shelves as Record<Name, SegmentHeader[]>, readSegment) }
}

/** What the beginning of a snapshot says of it, without a look at the rest. */
export function decodeSnapshotHeader(start: ArrayBufferLike): Pick<CatalogueSnapshot, 'batch' | 'mark'> & { bytes: number } {
  const { batch, mark, bytes } = readHeader(start).header
  return { batch, mark, bytes }
}

function readHeader(file: ArrayBufferLike): { header: Header; bodyStart: number } {
  if (file.byteLength < preambleBytes) throw new SnapshotError('it is not whole')
  const [foundMagic, foundFormat, headerBytes] = new Uint32Array(file, 0, 3) as unknown as [number, number, number]
  if (foundMagic !== magic) throw new SnapshotError('it is no snapshot')
  if (foundFormat !== format) throw new SnapshotError('another version of the program wrote it')
  const bodyStart = preambleBytes + headerBytes
  if (bodyStart > file.byteLength) throw new SnapshotError('it is not whole')
  return { header: parseHeader(new Uint8Array(file, preambleBytes, headerBytes)), bodyStart }
}

function parseHeader(bytes: Uint8Array): Header {
  try {
    const header = JSON.parse(Buffer.from(bytes).toString()) as Header | null
    if (typeof header?.bytes === 'number') return header
  } catch {
    // Told below, like a header of another kind.
  }
  throw new SnapshotError('its header cannot be read')
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
    arrays: arraysOf(live).map(([name, array]) => [name, array.constructor.name as Kind, array.length]),
  }
}

/** The checksum is right, so these are the arrays that were written, of their kinds. */
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
