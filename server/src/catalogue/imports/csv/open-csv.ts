import { OperatorError } from '../../../foundation/kernel/errors.ts'
import type { FieldNames } from '../fields/field-names.ts'
import { decodeBlocks, detectEncoding } from '../source/encoding.ts'
import { requireEncoding } from '../source/encodings.ts'
import { looksLikeJson } from '../source/other-formats.ts'
import type { TextFile } from '../source/text.ts'
import { headerPlaceOf, readLayout, type TableLayout, type TableOptions } from '../table/layout.ts'
import type { Delimiter } from './csv-parser.ts'
import { detectDecimal, detectDelimiter, readFirstLines, readHead } from './dialect.ts'

/** What a person may say about a CSV file; everything else is detected. */
export interface CsvOptions extends TableOptions {
  delimiter?: Delimiter
  /** Any that the decoder knows; UTF-8, UTF-16 with its mark and Windows-1252 are detected. */
  encoding?: string
}

/** How a CSV file is read. */
export interface CsvLayout extends TableLayout {
  encoding: string
  delimiter: Delimiter
}

/** The beginning of a file that decides how it is read. */
const headBytes = 256 * 1024

/** Opens a CSV file: finds out how it is written and what its columns are. The blocks returned are UTF-8. */
export async function openCsv(
  source: TextFile,
  names: FieldNames,
  options: CsvOptions,
): Promise<{ layout: CsvLayout; blocks: AsyncIterable<Buffer> }> {
  const encoding = options.encoding
    ? requireEncoding(options.encoding)
    : await detectEncoding(source.file!, source.maxUnpackedMb)
  const { head, isWhole, blocks } = await bufferHead(decodeBlocks(source.blocks, encoding))
  if (looksLikeJson(head))
    throw new OperatorError(`${source.name}: it has JSON, not CSV. Let its name end in .ndjson, or .json for one list.`)
  const place = headerPlaceOf(options, firstCellsOf(head))
  const { fromLine } = place
  const hasHeader = place.noHeader === undefined
  const delimiter = options.delimiter ?? detectDelimiter(names, head, options.map ?? {}, { fromLine, hasHeader })
  const layout = readLayout(
    names,
    options,
    {
      sourceName: source.name,
      rows: readHead(head, delimiter, fromLine, isWhole),
      isWhole: isWhole || head.length === 0,
      extent: `${headBytes / 1024} KB`,
      firstLines: () => readFirstLines(head, delimiter),
      detectDecimal: (rows, columns) => detectDecimal(rows, delimiter, columns),
      reading: `The file was read with ${delimiterNames[delimiter]} between cells, in ${encoding}; --delimiter and --encoding say otherwise.`,
    },
    place,
  )
  return { layout: { ...layout, encoding, delimiter }, blocks }
}

const delimiterNames: Record<Delimiter, string> = { ',': 'commas', ';': 'semicolons', '\t': 'tabs', '|': 'bars (|)' }

/** The first cells of a file as its rejects have them, whatever its delimiter is. */
function firstCellsOf(head: Buffer): string[] {
  const [line] = head
    .toString('utf8', 0, 100)
    .replace(/^\ufeff/, '')
    .split(/[\r\n]/)
  return (line ?? '').replaceAll('"', '').split(/[,;\t|]/)
}

async function bufferHead(
  blocks: AsyncGenerator<Buffer>,
): Promise<{ head: Buffer; isWhole: boolean; blocks: AsyncIterable<Buffer> }> {
  const first: Buffer[] = []
  let bytes = 0
  let isWhole = false
  while (bytes < headBytes && !isWhole) {
    const { done, value } = await blocks.next()
    if (done) isWhole = true
    else {
      first.push(value)
      bytes += value.length
    }
  }
  async function* all(): AsyncGenerator<Buffer> {
    yield* first
    if (!isWhole) yield* blocks
  }
  // With a line break at its end, so that the last line of a small file counts.
  if (isWhole) first.push(Buffer.from('\n'))
  return { head: Buffer.concat(first), isWhole, blocks: all() }
}
