import { posix } from 'node:path'
import { StringDecoder } from 'node:string_decoder'
import { TextDecoder } from 'node:util'
import type { Archive } from './archive.ts'
import { damaged, WorkbookError } from './errors.ts'
import { builtInFormat, type CellFormat, readNumberFormat } from './number-formats.ts'
import type { Epoch } from './serial-dates.ts'
import { attributeOf, type XmlHandler, XmlScanner } from './xml.ts'

/** A sheet as the workbook lists it. */
export interface SheetPart {
  name: string
  isHidden: boolean
  part: string
}

/** The small parts of a workbook: what its large ones are read by. */
export interface WorkbookParts {
  sheets: SheetPart[]
  epoch: Epoch
  formats: readonly CellFormat[]
  /** Null without a table of shared texts. */
  sharedStrings: string | null
}

/** Longer ones are not looked at: real ones have a few thousand characters. */
const maxSmallPartBytes = 64_000_000
const maxSheets = 1_000
/** Excel itself stops at 65,490. */
const maxStyles = 100_000

export async function readParts(archive: Archive): Promise<WorkbookParts> {
  requireWorkbook(archive)
  const main = (await readRelations(archive, '')).find(({ type }) => type === 'officeDocument')?.target
  const workbook = main ?? 'xl/workbook.xml'
  if (workbook.endsWith('.bin')) throw other('a binary Excel workbook (.xlsb)')
  const relations = await readRelations(archive, workbook)
  const partOf = (type: string) => relations.find((relation) => relation.type === type)?.target
  const { sheets, epoch } = await readSheets(archive, workbook, relations)
  const [styles, strings] = [partOf('styles'), partOf('sharedStrings')]
  return {
    sheets,
    epoch,
    formats: styles !== undefined && archive.has(styles) ? await readFormats(archive, styles) : [],
    sharedStrings: strings !== undefined && archive.has(strings) ? strings : null,
  }
}

/** Archives of other programs, by the names of their parts. */
function requireWorkbook(archive: Archive): void {
  if (archive.has('[Content_Types].xml')) {
    if (archive.has('xl/workbook.bin')) throw other('a binary Excel workbook (.xlsb)')
    if (archive.has('word/document.xml')) throw other('a Word document (.docx), not a table')
    if (archive.has('ppt/presentation.xml')) throw other('a presentation (.pptx), not a table')
    return
  }
  const names = archive.names()
  if (archive.has('mimetype') && archive.has('content.xml')) throw other('an OpenDocument file, such as .ods')
  if (names.some((name) => name.startsWith('index/') || name === 'index.zip')) throw other('a Numbers document')
  const inner = names.find((name) => /\.(?:xlsx?|xlsm|csv|tsv|txt|json|ndjson|jsonl)(?:\.gz)?$/.test(name))
  throw new WorkbookError(
    inner === undefined
      ? 'it is a ZIP archive, not a workbook. Unpack it, and import the file in it'
      : 'it is a ZIP archive with files in it. Unpack it, and import the file itself',
  )
}

function other(what: string): WorkbookError {
  return new WorkbookError(`it is ${what}. Open it, save it as .xlsx or as "CSV UTF-8", and import that file`)
}

interface Relation {
  id: string
  type: string
  target: string
}

/** What a part refers to; `part` is empty for the archive itself. Nothing outside the archive is looked at. */
async function readRelations(archive: Archive, part: string): Promise<Relation[]> {
  const folder = posix.dirname(part)
  const name = posix.join(folder, '_rels', `${posix.basename(part)}.rels`)
  if (!archive.has(name)) return []
  const relations: Relation[] = []
  await scanPart(archive, name, {
    open(element, attributes) {
      if (element !== 'Relationship' || attributeOf(attributes, 'TargetMode') === 'External') return
      const target = attributeOf(attributes, 'Target') ?? ''
      relations.push({
        id: attributeOf(attributes, 'Id') ?? '',
        type: (attributeOf(attributes, 'Type') ?? '').replace(/^.*\//, ''),
        target: target.startsWith('/') ? target.slice(1) : posix.join(folder, target),
      })
    },
  })
  return relations
}

async function readSheets(archive: Archive, workbook: string, relations: readonly Relation[]) {
  const sheets: SheetPart[] = []
  let epoch: Epoch = 1900
  await scanPart(archive, workbook, {
    open(element, attributes) {
      if (element === 'workbookPr' && /^(?:1|true|on)$/.test(attributeOf(attributes, 'date1904') ?? '')) epoch = 1904
      if (element !== 'sheet') return
      const id = attributeOf(attributes, 'id')
      const relation = relations.find((each) => each.id === id)
      if (relation && relation.type !== 'worksheet') return
      if (!relation || !archive.has(relation.target)) throw damaged('a sheet that it lists is not in it')
      const name = attributeOf(attributes, 'name') ?? ''
      const isHidden = (attributeOf(attributes, 'state') ?? 'visible') !== 'visible'
      if (sheets.push({ name, isHidden, part: relation.target }) > maxSheets)
        throw new WorkbookError(`it has more than ${maxSheets} sheets`)
    },
  })
  if (sheets.length === 0) throw new WorkbookError('the workbook has no sheet with cells')
  return { sheets, epoch }
}

/** The format of each style that cells name by its number. */
async function readFormats(archive: Archive, part: string): Promise<CellFormat[]> {
  const codes = new Map<number, CellFormat>()
  const formats: CellFormat[] = []
  let isOfCells = false
  await scanPart(archive, part, {
    open(element, attributes) {
      if (element === 'cellXfs') isOfCells = true
      const id = Number(attributeOf(attributes, 'numFmtId') ?? 0)
      if (element === 'numFmt')
        codes.set(id, readNumberFormat((attributeOf(attributes, 'formatCode') ?? '').slice(0, 255)))
      if (element !== 'xf' || !isOfCells) return
      if (formats.push(codes.get(id) ?? builtInFormat(id)) > maxStyles) throw damaged('it has too many styles')
    },
    close(element) {
      if (element === 'cellXfs') isOfCells = false
    },
  })
  return formats
}

/** Scans a part of text in the encodings that XML must be read in. */
export async function* decodePart(archive: Archive, part: string): AsyncGenerator<string> {
  let decoder: StringDecoder | TextDecoder | null = null
  for await (const block of archive.read(part)) {
    decoder ??= decoderFor(block)
    yield decoder instanceof StringDecoder ? decoder.write(block) : decoder.decode(block, { stream: true })
  }
}

function decoderFor(first: Buffer): StringDecoder | TextDecoder {
  if (first[0] === 0xff && first[1] === 0xfe) return new TextDecoder('utf-16le')
  if (first[0] === 0xfe && first[1] === 0xff) return new TextDecoder('utf-16be')
  return new StringDecoder('utf8')
}

async function scanPart(archive: Archive, part: string, handler: Partial<XmlHandler>): Promise<void> {
  const scanner = new XmlScanner({ open() {}, close() {}, text() {}, ...handler })
  let length = 0
  for await (const text of decodePart(archive, part)) {
    length += text.length
    if (length > maxSmallPartBytes) throw damaged(`its part ${part.slice(0, 100)} is too large`)
    scanner.write(text)
  }
  scanner.end()
}
