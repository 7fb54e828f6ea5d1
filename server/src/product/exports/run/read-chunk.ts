import type { WorkbookState } from '@storedex/workbook/write'
import type { Queryable } from '../../../foundation/db/pool.ts'
import type { Standby } from '../../../search/replica/standby.ts'
import type { ExportPosition, ExportRow } from '../export-row.ts'
import type { ExportFormat } from '../format/export-format.ts'
import type { Walk } from '../walk/walk.ts'
import { fetchStores } from './fetch-queries.ts'
import type { FileContent } from './file-writer.ts'
import { type Candidate, type ItemContext, mapInSteps, storeCandidates } from './items.ts'
import { openWorkbook } from './workbook.ts'

export interface ChunkReadContext extends Pick<ItemContext, 'deliverEmails'> {
  db: Queryable
  standby?: Standby | null
  /** Positions of a chunk; by default as many as fit the kind. */
  chunkSize?: number
}

/** What an export is read from. */
export interface ExportSource {
  row: Pick<ExportRow, 'kind' | 'mode' | 'createdAt'>
  walk: Walk
  format: ExportFormat
}

/** The positions of a chunk, which alone decide where it ends: an interrupted export gives the same bytes. */
const chunkSizes = { stores: 4_000, previews: 4_000, contacts: 1_000 } as const

/** The positions of a chunk, and what can be prepared before it is paid for. */
export interface ReadChunk {
  after: ExportPosition | null
  positions: ExportPosition[]
  hasMore: boolean
  /** The stores, and the content of all of them. Null for people: they are read under their locks. */
  stores: { candidates: Candidate[]; content: FileContent } | null
}

/**
 * Reads what follows a position, and in a workbook a state. Changes nothing, so the next chunk can be read while this one is
 * written.
 */
export async function readChunk(
  ctx: ChunkReadContext,
  source: ExportSource,
  after: ExportPosition | null,
  workbook: WorkbookState | null,
): Promise<ReadChunk> {
  const { row, walk } = source
  const size = ctx.chunkSize ?? chunkSizes[row.kind]
  const found = await walk.next(after, size + 1)
  const positions = found.slice(0, size)
  const chunk = { after, positions, hasMore: found.length > size }
  if (row.kind !== 'stores') return { ...chunk, stores: null }
  const catalogue = ctx.standby ? ctx.standby.over(ctx.db) : ctx.db
  const storeIds = positions.map(({ storeId }) => storeId)
  const { ids, documents } = await fetchStores(catalogue, row.mode, storeIds, ctx.deliverEmails)
  const content = await formatRows(source, documents, workbook)
  return { ...chunk, stores: { candidates: storeCandidates(ids, documents), content } }
}

const itemsPerGroup = 100

/** The content of items, which in a workbook stands behind a state; in steps that leave the event loop to requests. */
export async function formatRows(
  { format, row }: Pick<ExportSource, 'format' | 'row'>,
  items: readonly string[],
  workbook: WorkbookState | null,
): Promise<FileContent> {
  const groups: string[][] = []
  for (let start = 0; start < items.length; start += itemsPerGroup)
    groups.push(items.slice(start, start + itemsPerGroup))
  if (format.extension !== 'xlsx') return (await mapInSteps(groups, (group) => format.rows(group), 1)).join('')
  const opened = openWorkbook(format, row.createdAt, workbook)
  await mapInSteps(groups, (group) => opened.add(group), 1)
  return opened.pack()
}
