/** Files of other programs with the name of a workbook: as much of each as tells what it is. */
import { buildSheet } from '../book.ts'
import { buildZip } from '../zip.ts'

/** An OLE compound file with these streams in its directory. */
function compoundFile(streams: readonly string[]): Buffer {
  const header = Buffer.alloc(512)
  Buffer.from('d0cf11e0a1b11ae1', 'hex').copy(header)
  header.writeUInt16LE(0x3e, 24)
  header.writeUInt16LE(3, 26)
  header.writeUInt16LE(0xfffe, 28)
  // Sectors of 512 bytes, and of 64 for what is small.
  header.writeUInt16LE(9, 30)
  header.writeUInt16LE(6, 32)
  header.writeUInt32LE(1, 44)
  header.writeUInt32LE(1, 48)
  header.writeUInt32LE(4_096, 56)
  header.writeUInt32LE(endOfChain, 60)
  header.writeUInt32LE(endOfChain, 68)
  header.fill(0xff, 76)
  header.writeUInt32LE(0, 76)
  const allocation = Buffer.alloc(512, 0xff)
  allocation.writeUInt32LE(0xffff_fffd, 0)
  allocation.writeUInt32LE(endOfChain, 4)
  const directory = ['Root Entry', ...streams].map((name, index) => directoryEntry(name, index === 0))
  return Buffer.concat([header, allocation, Buffer.concat(directory, 512), Buffer.alloc(4_096)])
}

const endOfChain = 0xffff_fffe

function directoryEntry(name: string, isRoot: boolean): Buffer {
  const entry = Buffer.alloc(128)
  const written = entry.write(name, 'utf16le')
  entry.writeUInt16LE(written + 2, 64)
  entry[66] = isRoot ? 5 : 2
  entry[67] = 1
  // No siblings; the root's first child is the stream after it.
  entry.writeInt32LE(-1, 68)
  entry.writeInt32LE(-1, 72)
  entry.writeInt32LE(isRoot ? 1 : -1, 76)
  entry.writeUInt32LE(endOfChain, 116)
  return entry
}

function openDocument(mimeType: string): Buffer {
  return buildZip([
    { name: 'mimetype', content: mimeType, stored: true },
    { name: 'content.xml', content: '<office:document-content/>' },
    { name: 'META-INF/manifest.xml', content: '<manifest:manifest/>' },
  ])
}

function binaryWorkbook(): Buffer {
  return buildZip([
    {
      name: '[Content_Types].xml',
      content:
        '<Types><Default Extension="bin" ContentType="application/vnd.ms-excel.sheet.binary.macroEnabled.main"/></Types>',
    },
    { name: '_rels/.rels', content: '<Relationships/>' },
    { name: 'xl/workbook.bin', content: Buffer.of(0x83, 1, 0) },
    { name: 'xl/worksheets/sheet1.bin', content: Buffer.of(0x81, 1, 0) },
  ])
}

function wordDocument(): Buffer {
  return buildZip([
    { name: '[Content_Types].xml', content: '<Types/>' },
    { name: '_rels/.rels', content: '<Relationships/>' },
    { name: 'word/document.xml', content: '<w:document/>' },
  ])
}

const numbersDocument = () =>
  buildZip([
    { name: 'Index/Document.iwa', content: Buffer.of(0, 1, 2), stored: true },
    { name: 'Index/Tables/DataList.iwa', content: Buffer.of(0, 1, 2), stored: true },
    { name: 'Metadata/Properties.plist', content: 'bplist00', stored: true },
  ])

/** The first bytes of Excel 4 and of Excel 95, without a compound file around them. */
const bareStream = (version: number) =>
  Buffer.concat([Buffer.of(9, version, 8, 0, 0, version, 5, 0), Buffer.alloc(512)])
const html =
  '<html xmlns:x="urn:schemas-microsoft-com:office:excel"><body><table><tr><td>domain</td></tr></table></body></html>'
const xmlSpreadsheet =
  '<?xml version="1.0"?><?mso-application progid="Excel.Sheet"?><Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet"/>'

export const otherFormats = {
  'an encrypted workbook': () => compoundFile(['EncryptedPackage', 'EncryptionInfo']),
  'an old .xls': () => compoundFile(['Workbook']),
  'an old .xls of Excel 95': () => compoundFile(['Book']),
  'an old .xls without a container': () => bareStream(4),
  'an old Word document': () => compoundFile(['WordDocument']),
  'an .xlsb': binaryWorkbook,
  'an .ods': () => openDocument('application/vnd.oasis.opendocument.spreadsheet'),
  'an .odt': () => openDocument('application/vnd.oasis.opendocument.text'),
  'a .docx': wordDocument,
  'a .numbers': numbersDocument,
  'a page of HTML': () => Buffer.from(html),
  'an XML spreadsheet of 2003': () => Buffer.from(xmlSpreadsheet),
  'a PDF': () => Buffer.from('%PDF-1.7\n%\u00e2\u00e3\u00cf\u00d3\n1 0 obj\n<<>>\nendobj\n%%EOF\n', 'latin1'),
  'a picture': () => Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'),
  'a compressed workbook': () => Buffer.concat([Buffer.from('1f8b0800000000000003', 'hex'), buildSheet([['domain']])]),
  'an empty file': () => Buffer.alloc(0),
  zeros: () => Buffer.alloc(10_000),
} satisfies Record<string, () => Buffer>
