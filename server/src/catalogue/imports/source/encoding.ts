import { isAscii, isUtf8 } from 'node:buffer'
import iconv from 'iconv-lite'
import { OperatorError } from '../../../foundation/kernel/errors.ts'
import { codecOf } from './encodings.ts'
import { isBlank, LineSplitter } from './lines.ts'
import { openText } from './text.ts'

const marks: [encoding: string, mark: number[]][] = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
]

/** The encoding of a text that begins with its mark. */
function markedEncoding(first: Buffer): string | undefined {
  return marks.find(([, mark]) => first.subarray(0, mark.length).equals(Buffer.from(mark)))?.[0]
}

/** So many lines with other characters than ASCII decide. */
const linesThatDecide = 2_000

/**
 * Detects the encoding of a CSV file: by its mark; UTF-8 if that is what most lines with other characters than ASCII are,
 * otherwise Windows-1252. Reads as much of the file as it takes to tell.
 */
export async function detectEncoding(file: string, maxUnpackedMb?: number): Promise<string> {
  const source = await openText(file, undefined, maxUnpackedMb)
  const lines = new LineSplitter()
  let isFirst = true
  let valid = 0
  let invalid = 0
  try {
    for await (const block of source.blocks) {
      if (isFirst) {
        const marked = markedEncoding(block)
        if (marked) return marked
        if (isMostlyWide(block))
          throw new OperatorError(
            `${file} has NUL characters: it may be UTF-16 without its mark. Give --encoding utf-16le, or save it as UTF-8.`,
          )
      }
      isFirst = false
      for (const { bytes } of lines.push(block)) {
        if (isAscii(bytes)) continue
        if (isUtf8(bytes)) valid++
        else invalid++
      }
      if (valid + invalid >= linesThatDecide) break
    }
    for (const { bytes } of lines.end()) if (!isUtf8(bytes)) invalid++
  } finally {
    source.close()
  }
  return invalid > valid ? 'windows-1252' : 'utf-8'
}

/** In UTF-16, about every second byte of most texts is NUL; a single NUL is a damaged value. */
function isMostlyWide(block: Buffer): boolean {
  if (!block.includes(0)) return false
  return block.filter((byte) => byte === 0).length > block.length / 10
}

/** The blocks of a text in UTF-8. Lines of a UTF-8 file that are not valid stay as they are. */
export async function* decodeBlocks(blocks: AsyncIterable<Buffer>, encoding: string): AsyncGenerator<Buffer> {
  if (encoding === 'utf-8') {
    yield* blocks
    return
  }
  const decoder = iconv.getDecoder(codecOf(encoding))
  for await (const block of blocks) yield Buffer.from(decoder.write(block))
  const rest = decoder.end()
  if (rest) yield Buffer.from(rest)
}

/** A text whose mark alone says its encoding, in UTF-8: everything but CSV is that or UTF-16. */
export async function decodeMarked(name: string, given: AsyncIterable<Buffer>): Promise<AsyncIterable<Buffer>> {
  const { first, blocks } = await peek(given)
  const encoding = markedEncoding(first)
  if (encoding === undefined && isMostlyWide(first))
    throw new OperatorError(`${name} has NUL characters: it may be UTF-16 without its mark. Save it as UTF-8.`)
  return decodeBlocks(blocks, encoding ?? 'utf-8')
}

/** The beginning of a text up to the first block that is not blank. */
export async function peek(blocks: AsyncIterable<Buffer>): Promise<{ first: Buffer; blocks: AsyncIterable<Buffer> }> {
  const rest = blocks[Symbol.asyncIterator]()
  const taken: Buffer[] = []
  let first: Buffer = Buffer.alloc(0)
  while (first.length === 0) {
    const { done, value } = await rest.next()
    if (done) break
    taken.push(value)
    if (!isBlank({ bytes: value })) first = value
  }
  async function* all(): AsyncGenerator<Buffer> {
    yield* taken
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value
  }
  return { first, blocks: all() }
}
