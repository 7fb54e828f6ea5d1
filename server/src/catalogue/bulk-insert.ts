import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import copyStreams from 'pg-copy-streams'
import type { Client } from '../db/pool.ts'
import type { Mode } from '../kernel/ids.ts'
import type { ContactRow } from './contact-queries.ts'
import { formatPgArray, type StoreRow } from './queries.ts'

/** Rows of one piece of a COPY: PostgreSQL works on a piece while the next one is made. */
const rowsPerPiece = 250

/** Writes new stores; `rows` is drawn on as PostgreSQL keeps up. */
export async function bulkInsertStores(
  client: Client,
  shared: { mode: Mode; batch: number; documentVersion: number },
  rows: Iterable<StoreRow>,
): Promise<void> {
  const head = `${shared.mode}\t${shared.batch}\t${shared.documentVersion}`
  await copyLines(
    client,
    `copy stores (mode, batch, document_version, id, negated_score, tokens, active_ads, created_estimate,
                  first_discovered_at, document, preview) from stdin`,
    rows,
    (row) =>
      `${head}\t${row.id}\t${row.negatedScore}\t${formatPgArray(row.tokens)}\t${row.activeAds ?? nullWord}\t${
        row.createdEstimate ?? nullWord
      }\t${row.firstDiscoveredAt ?? nullWord}\t${escapeText(row.document)}\t${escapeText(row.preview)}\n`,
  )
}

export interface HostRow {
  host: string
  storeId: number
  isCanonical: boolean
}

export async function bulkInsertHosts(client: Client, mode: Mode, rows: Iterable<HostRow>): Promise<void> {
  await copyLines(
    client,
    'copy store_domains (mode, host, store_id, canonical) from stdin',
    rows,
    // A host in normal form holds nothing to escape.
    (row) => `${mode}\t${row.host}\t${row.storeId}\t${row.isCanonical}\n`,
  )
}

/** Writes new contacts; `rows` is drawn on as PostgreSQL keeps up. */
export async function bulkInsertContacts(
  client: Client,
  previewVersion: number,
  rows: Iterable<ContactRow>,
): Promise<void> {
  await copyLines(
    client,
    `copy contacts (preview_version, store_id, number, external_key, role, traits, revealable, verified_revealable,
                    verified_emails, preview, identities, sealed) from stdin`,
    rows,
    (row) =>
      `${previewVersion}\t${row.storeId}\t${row.number}\t${bytes(row.externalKey)}\t${row.role ?? nullWord}\t${
        row.traits
      }\t${row.revealable}\t${row.verifiedRevealable}\t${row.verifiedEmails}\t${escapeText(
        row.preview,
      )}\t${formatPgArray(row.identities)}\t${bytes(row.sealed)}\n`,
  )
}

/** A bytea, its one backslash escaped. */
function bytes(value: Buffer): string {
  return `\\\\x${value.toString('hex')}`
}

const nullWord = '\\N'

/** The text format of COPY: what would be read as a separator is spelt with a backslash. */
function escapeText(text: string): string {
  return /[\\\t\n\r]/.test(text) ? text.replace(/[\\\t\n\r]/g, (character) => escapes[character]!) : text
}

const escapes: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' }

async function copyLines<Row>(
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
