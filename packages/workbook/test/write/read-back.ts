/** Reads what the writer writes, by the letter of the formats and with nothing of the writer's own code. */
import { crc32, inflateRawSync } from 'node:zlib'

/** The entries of an archive, by the directory at its end; each is checked against its checksum and sizes. */
export function unzip(file: Buffer): Map<string, string> {
  const end = file.length - 22
  if (file.readUInt32LE(end) !== 0x06054b50) throw new Error('no end of the directory')
  const entries = new Map<string, string>()
  let at = file.readUInt32LE(end + 16)
  for (let left = file.readUInt16LE(end + 10); left > 0; left--) {
    if (file.readUInt32LE(at) !== 0x02014b50) throw new Error('no header in the directory')
    const [method, crc, packed, unpacked] = [
      file.readUInt16LE(at + 10),
      file.readUInt32LE(at + 16),
      file.readUInt32LE(at + 20),
      file.readUInt32LE(at + 24),
    ]
    const nameLength = file.readUInt16LE(at + 28)
    const name = file.toString('utf8', at + 46, at + 46 + nameLength)
    const local = file.readUInt32LE(at + 42)
    if (file.readUInt32LE(local) !== 0x04034b50) throw new Error(`no header of ${name}`)
    const start = local + 30 + file.readUInt16LE(local + 26) + file.readUInt16LE(local + 28)
    const stored = file.subarray(start, start + packed)
    const content = method === 8 ? inflateRawSync(stored) : stored
    if (content.length !== unpacked || crc32(content) !== crc) throw new Error(`${name} is not as the directory says`)
    if (method === 8 && file.readUInt32LE(start + packed + 4) !== crc) throw new Error(`${name} has another descriptor`)
    entries.set(name, content.toString('utf8'))
    at += 46 + nameLength + file.readUInt16LE(at + 30) + file.readUInt16LE(at + 32)
  }
  return entries
}

export interface ReadCell {
  type: 'text' | 'number' | 'moment' | 'day'
  value: string | number
}

/** The rows of a sheet with the header; a missing cell is null. */
export function readSheet(xml: string): (ReadCell | null)[][] {
  const [, data = ''] = /<sheetData>(.*)<\/sheetData>/s.exec(xml)!
  return [...data.matchAll(/<row r="(\d+)">(.*?)<\/row>/gs)].map(([, number, cells], index) => {
    if (Number(number) !== index + 1) throw new Error(`row ${number} is the ${index + 1}th`)
    const row: (ReadCell | null)[] = []
    for (const [, letters, cellRow, attributes, content] of cells!.matchAll(
      /<c r="([A-Z]+)(\d+)"([^>]*)>(.*?)<\/c>/gs,
    )) {
      if (cellRow !== number) throw new Error(`${letters}${cellRow} is in row ${number}`)
      const column = [...letters!].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1
      while (row.length < column) row.push(null)
      row.push(readCell(attributes!, content!))
    }
    return row
  })
}

function readCell(attributes: string, content: string): ReadCell {
  if (content.startsWith('<is>')) {
    const [, preserve, text] = /^<is><t( xml:space="preserve")?>(.*)<\/t><\/is>$/s.exec(content)!
    return { type: 'text', value: unescapeXml(preserve ? text! : text!.trim()) }
  }
  const value = Number(/^<v>(.*)<\/v>$/.exec(content)![1])
  if (attributes.includes('s="2"')) return { type: 'moment', value: toTime(value) }
  return attributes.includes('s="3"') ? { type: 'day', value: toTime(value) } : { type: 'number', value }
}

/** Milliseconds of 1970, of a number of days since 1899-12-30. */
function toTime(serial: number): number {
  return Math.round((serial - 25_569) * 86_400_000)
}

const entities: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"' }

function unescapeXml(text: string): string {
  if (/(?![\t\n])[\p{Cc}\ufffe\uffff]/u.test(text) || !text.isWellFormed()) throw new Error('not a character of XML')
  return text
    .replace(/&\w+;/g, (entity) => entities[entity]!)
    .replace(/_x([0-9A-Fa-f]{4})_/g, (_, digits) => String.fromCharCode(Number.parseInt(digits, 16)))
}
