import { Readable } from 'node:stream'
import { WorkbookWriter } from '@storedex/workbook/write'
import { type Static, Type } from 'typebox'
import { type Access, authorize } from '../../../customers/auth/access.ts'
import { recordAudit } from '../../../customers/auth/audit.ts'
import type { ListPosition } from '../../../foundation/kernel/list-pages.ts'
import { ClosedObject, OneOf } from '../../../foundation/kernel/shapes.ts'
import { contactColumns } from '../format/columns.ts'
import { createExportFormat, type ExportFormat, exportFormats } from '../format/export-format.ts'
import { exportPresets } from '../format/select-columns.ts'
import { selectReveals } from './queries.ts'
import { findStore, openRevealed, ownReveals, positionAfter, type RevealedContext, RevealedQuery } from './revealed.ts'

export const RevealedFileQuery = ClosedObject({
  search: RevealedQuery.properties.search,
  format: Type.Optional(OneOf(exportFormats, { default: 'csv' })),
  preset: Type.Optional(OneOf(exportPresets, { description: 'Columns and form as this program imports them.' })),
  columns: Type.Optional(
    Type.String({
      maxLength: 2_000,
      description: 'Columns of a CSV file or workbook, joined by commas, in this order.',
    }),
  ),
})
type RevealedFileQuery = Static<typeof RevealedFileQuery>

export const takingRevealed = { member: { role: 'member' }, kind: 'exit' } as const satisfies Access

interface RevealedFile {
  file: Readable
  format: ExportFormat
}

/**
 * All people that the account has revealed, or those of a store, newest first, with their current channels; costs nothing. It
 * is read page by page as the reader takes it, so that its size does not matter. Who takes it is written to the audit log.
 */
export async function openRevealedFile(ctx: RevealedContext, query: RevealedFileQuery): Promise<RevealedFile> {
  authorize(ctx, takingRevealed)
  const format = createExportFormat({
    kind: 'contacts',
    format: query.format ?? 'csv',
    preset: query.preset,
    columns: columnsOf(query),
  })
  const storeId = query.search === undefined ? null : await findStore(ctx, query.search)
  const { format: fileFormat, preset } = { format: 'csv', preset: null, ...query }
  await recordAudit(ctx.db, ctx, {
    accountId: ctx.caller.accountId,
    action: 'contacts.downloaded',
    details: { kind: 'revealed', format: fileFormat, preset },
  })
  const file: Readable = Readable.from(
    formatRevealed(ctx, { format, storeId }, () => file.destroyed),
    { objectMode: false },
  )
  return { file, format }
}

const rowsPerPage = 200

interface Rows {
  format: ExportFormat
  storeId: number | 'none' | null
}

async function* formatRevealed(
  ctx: RevealedContext,
  { format, storeId }: Rows,
  isClosed: () => boolean,
): AsyncGenerator<string | Buffer> {
  const pages = readItems(ctx, storeId, isClosed)
  if (format.extension === 'xlsx') {
    const writer = new WorkbookWriter({ columns: format.columns, sheetName: format.sheetName, createdAt: ctx.now })
    yield* writer.write(mapPages(pages, format.rows))
    return
  }
  const header = format.header()
  if (header !== '') yield header
  yield* mapPages(pages, format.rows)
}

async function* mapPages<Row>(pages: AsyncIterable<string[]>, map: (items: string[]) => Row): AsyncGenerator<Row> {
  for await (const items of pages) yield map(items)
}

/** Pages of people as JSON. `isClosed` is asked before each page, since a page of erased people yields nothing. */
async function* readItems(
  ctx: RevealedContext,
  storeId: Rows['storeId'],
  isClosed: () => boolean,
): AsyncGenerator<string[]> {
  for (let after: ListPosition | null = null; storeId !== 'none' && !isClosed(); ) {
    const rows = await selectReveals(ctx.db, { ...ownReveals(ctx), after, storeId, limit: rowsPerPage })
    const last = rows.at(-1)
    if (!last) return
    const people = await openRevealed(ctx, rows)
    if (people.length > 0) yield people.map(({ contact }) => JSON.stringify(contact))
    if (rows.length < rowsPerPage) return
    after = positionAfter(last)
  }
}

/** Those of an export, which says besides what it charged. */
const usualColumns = contactColumns.map(({ name }) => name).filter((name) => name !== 'charged')

/** A preset and NDJSON have columns of their own. */
function columnsOf({ format, preset, columns }: RevealedFileQuery): string[] | undefined {
  if (columns !== undefined) return columns.split(',')
  return format === 'ndjson' || preset === 'hubspot' || preset === 'salesforce' ? undefined : usualColumns
}
