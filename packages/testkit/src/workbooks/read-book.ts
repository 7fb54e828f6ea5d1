/** Reads back what programs under test wrote, by other means than theirs: whole files in memory. */
import { crc32, inflateRawSync } from 'node:zlib'

/** The contents of an archive by the names in its directory. Throws where sizes or checksums are not true. */
export function readZip(zip: Buffer): Map<string, Buffer> {
  const end = zip.lastIndexOf(Buffer.from('504b0506', 'hex'))
  if (end === -1) throw new Error('the file is no zip archive')
  const contents = new Map<string, Buffer>()
  let at = zip.readUInt32LE(end + 16)
  for (let left = zip.readUInt16LE(end + 10); left > 0; left--) {
    const [nameBytes, extraBytes, commentBytes] = [28, 30, 32].map((field) => zip.readUInt16LE(at + field))
    const name = zip.toString('utf8', at + 46, at + 46 + nameBytes!)
    contents.set(name, contentOf(zip, at, name))
    at += 46 + nameBytes! + extraBytes! + commentBytes!
  }
  return contents
}

function contentOf(zip: Buffer, entry: number, name: string): Buffer {
  const [crc, packedBytes, sizeBytes] = [16, 20, 24].map((field) => zip.readUInt32LE(entry + field))
  const local = zip.readUInt32LE(entry + 42)
  const start = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28)
  // Sizes of zip64 stand elsewhere; no test reads an entry of 4 GB.
  const packed = zip.subarray(start, packedBytes === 0xffff_ffff ? undefined : start + packedBytes!)
  const content = zip.readUInt16LE(entry + 10) === 0 ? packed : inflateRawSync(packed)
  const isAsLarge = sizeBytes === 0xffff_ffff || content.length === sizeBytes
  if (!isAsLarge || crc32(content) !== crc)
    throw new Error(`${name} has another size or checksum than the archive says`)
  return content
}

/** The cells of the first sheet as texts, a row with all its columns; what is missing is empty. Formats are not applied. */
export function readPlainSheet(book: Buffer): string[][] {
  const parts = readZip(book)
  const shared: string[] = []
  for (const { name, text } of tagsOf(parts.get('xl/sharedStrings.xml')))
    if (name === 'si') shared.push('')
    else if (name === 't') shared[shared.length - 1] += decodeXml(text)
  const rows: string[][] = []
  let cells: string[] = []
  let [isShared, column] = [false, 0]
  for (const { name, tag, text } of tagsOf(parts.get('xl/worksheets/sheet1.xml'))) {
    if (name === 'row') {
      const place = attributeOf(tag, 'r')
      cells = []
      rows[place === undefined ? rows.length : Number(place) - 1] = cells
    } else if (name === 'c') {
      const place = attributeOf(tag, 'r')
      column = place === undefined ? cells.length : columnOf(place)
      isShared = attributeOf(tag, 't') === 's'
      cells[column] = ''
    } else if (name === 'v' || name === 't') {
      cells[column] += isShared ? shared[Number(text)]! : decodeXml(text)
    }
  }
  const all = Array.from(rows, (each) => each ?? [])
  const width = all.reduce((most, { length }) => Math.max(most, length), 0)
  return all.map((each) => Array.from({ length: width }, (_, at) => each[at] ?? ''))
}

/** Opening tags, each with the text behind it. */
function* tagsOf(xml: Buffer | undefined): Generator<{ name: string; tag: string; text: string }> {
  for (const piece of (xml?.toString() ?? '').split('<')) {
    const [tag = '', text = ''] = piece.split('>')
    const [name = ''] = (tag.endsWith('/') ? tag.slice(0, -1) : tag).split(' ')
    yield { name, tag, text }
  }
}

function attributeOf(tag: string, name: string): string | undefined {
  return tag.split(` ${name}="`)[1]?.split('"')[0]
}

/** The column of a place such as AB12, counted from 0. */
function columnOf(place: string): number {
  return [...place.replaceAll(/\d/g, '')].reduce((column, letter) => column * 26 + letter.charCodeAt(0) - 64, 0) - 1
}

function decodeXml(text: string): string {
  const named: Record<string, string> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' }
  return text
    .replaceAll(/&(?:#x([0-9a-fA-F]+)|#(\d+)|(\w+));/g, (_, hex, decimal, name) =>
      name ? named[name]! : String.fromCodePoint(hex ? Number.parseInt(hex, 16) : Number(decimal)),
    )
    .replaceAll(/_x([0-9A-Fa-f]{4})_/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))
}
