import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import copyStreams from 'pg-copy-streams'
import type { Client } from '../../foundation/db/pool.ts'

/** Rows per block of a COPY: PostgreSQL processes a block while the next one is built. */
const rowsPerPiece = 250

/** Runs a COPY with one line per row; `rows` is consumed as fast as PostgreSQL accepts them. */
export async function copyLines<Row>(
  client: Client,
  statement: string,
  rows: Iterable<Row>,
  lineOf: (row: Row) => string,
): Promise<void> {
  await pipeline(Readable.from(pieces(rows, lineOf)), client.query(copyStreams.from(statement)))
}

function* pieces<Row>(rows: Iterable<Row>, lineOf: (row: Row) => string): Generator<Buffer> {
  let text = ''
  let count = 0
  for (const row of rows) {
    text += lineOf(row)
    if (++count % rowsPerPiece > 0) continue
    yield Buffer.from(text)
    text = ''
  }
  if (text !== '') yield Buffer.from(text)
}

export const copyNull = '\\N'

/** Escapes the separators of COPY's text format. */
export function escapeText(text: string): string {
  return /[\\\t\n\r]/.test(text) ? text.replace(/[\\\t\n\r]/g, (character) => escapes[character]!) : text
}

const escapes: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' }
