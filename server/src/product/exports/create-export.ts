import type { KeyedMutex } from '@storedex/work'
import buildSerializer from 'fast-json-stringify'
import { authorize } from '../../customers/auth/access.ts'
import { keepReply, runIdempotently } from '../../customers/idempotency/idempotency.ts'
import { type Client, type Pool, transact } from '../../foundation/db/pool.ts'
import type { ContactSeals } from '../../foundation/encryption/keyring.ts'
import { Refusal } from '../../foundation/kernel/errors.ts'
import {
  hashQuotedBody,
  invalidQuoteError,
  type QuoteSealer,
  quoteExceededError,
} from '../../foundation/kernel/quote.ts'
import { readExportQuery } from './export-query.ts'
import { describeExport, type ExportRow, type FileLayout } from './export-row.ts'
import { expireOwnExports, insertPieces } from './file-queries.ts'
import { createExportFormat } from './format/export-format.ts'
import { type DatabasePlace, fileBoundsOf, findFileRefusal, requireDiskSpace } from './keep-files.ts'
import { auditExport, creatingExports } from './manage-exports.ts'
import { type PlanContext, planQuery } from './plan-export.ts'
import { insertExport, maxQueued, type NewExport, selectQueueSlots } from './queries.ts'
import { emptyFile, type FileContent, prepareContent } from './run/file-writer.ts'
import { openWorkbook } from './run/workbook.ts'
import { fileOptionsOf } from './run/write-chunk.ts'
import { Export, type ExportRequest } from './schema.ts'

export interface CreateExportContext extends PlanContext {
  db: Pool
  now: Date
  requestId: string
  quotes: QuoteSealer
  seals: ContactSeals
  inFlightRequests: KeyedMutex
  config: DatabasePlace
  /** Told when an export waits. */
  wakeRunner: () => void
}

export interface CreatedExport {
  /** The serialized reply. */
  body: string
  isReplay: boolean
}

const serialize = buildSerializer(Export as object)

/** Queues an export. With an Idempotency-Key a repeated request gets the first reply. */
export async function createExport(
  ctx: CreateExportContext,
  request: ExportRequest,
  idempotencyKey: string | undefined,
): Promise<CreatedExport> {
  authorize(ctx, creatingExports, request)
  const prepared = await prepareExport(ctx, request)
  await requireDiskSpace(ctx.config)
  const create = async (client: Client) => {
    const row = await queueExport(ctx, client, prepared)
    await auditExport(client, ctx, 'export.created', row, { max_rows: row.maxRows })
    const body = serialize({ ...describeExport(row, ctx.ids, ctx.now), request_id: ctx.requestId })
    return { body, contactIds: [] as number[] }
  }
  const result =
    idempotencyKey === undefined
      ? { ...(await transact(ctx.db, create)), isReplay: false }
      : await runIdempotently(
          ctx,
          { operation: 'createExport', key: idempotencyKey, body: request },
          (claim, remainingMs) => keepReply(ctx, claim, remainingMs(), create),
        )
  ctx.wakeRunner()
  return { body: result.body, isReplay: result.isReplay }
}

type PreparedExport = Omit<NewExport, 'slot' | 'bounds' | 'pieces' | 'bytes' | 'sha256' | 'workbook'> & {
  header: FileContent
}

/** Checks a request, and its quote if it has one. */
async function prepareExport(ctx: CreateExportContext, request: ExportRequest): Promise<PreparedExport> {
  const { format = 'csv', columns, preset, gzip = false } = request
  const file = createExportFormat({ kind: request.kind, format, columns, preset, gzip })
  const checked = await readExportQuery(ctx, request)
  const { query, members } = checked
  const quoted =
    request.quote === undefined ? null : await readQuote(ctx, request, () => planQuery(ctx, request, checked))
  const layout: FileLayout = { format, gzip, ...(columns && { columns }), ...(preset && { preset }) }
  const maxCredits = request.max_credits ?? null
  return {
    accountId: ctx.caller.accountId,
    mode: ctx.caller.mode,
    kind: request.kind,
    layout,
    query,
    members,
    maxRows: request.max_rows,
    maxCredits: maxCredits !== null && quoted ? Math.min(maxCredits, quoted.credits) : maxCredits,
    maxStoreExports: quoted?.storeExports ?? null,
    requestId: ctx.requestId,
    keyId: ctx.caller.key?.id ?? null,
    userId: ctx.caller.userId,
    createdAt: ctx.now,
    // A workbook begins with its first rows, which tell how wide its columns are.
    header: file.extension === 'xlsx' ? await openWorkbook(file, ctx.now, null).pack() : file.header(),
  }
}

/** The limits of a request's quote. Refuses a quote of another request, or one that no longer suffices. */
async function readQuote(
  { quotes, caller, now }: CreateExportContext,
  request: ExportRequest,
  plan: () => ReturnType<typeof planQuery>,
): Promise<{ credits: number; storeExports: number }> {
  const quote = quotes.open(request.quote!)
  const isOurs =
    quote?.accountId === caller.accountId &&
    quote.mode === caller.mode &&
    quote.bodyHash === hashQuotedBody(request) &&
    quote.expiresAtMs > now.getTime()
  if (!quote || !isOurs) throw invalidQuoteError()
  const cost = await plan()
  if (cost.credits > quote.credits || cost.new_exports > quote.storeExports) throw quoteExceededError(cost)
  return quote
}

/** Inserts the export and the beginning of its file, at a free place of the account's queue. */
async function queueExport(
  ctx: CreateExportContext,
  client: Client,
  { header, ...prepared }: PreparedExport,
): Promise<ExportRow> {
  const options = fileOptionsOf(ctx, prepared)
  // The first piece exists whatever happens: a file without rows has a header, or nothing.
  const placeholder = await prepareContent(options, { accountId: prepared.accountId, id: 0 }, emptyFile(), header)
  for (;;) {
    const taken = new Set(await selectQueueSlots(client, prepared.accountId))
    const slot = Array.from({ length: maxQueued }, (_, index) => index + 1).find((each) => !taken.has(each))
    if (slot === undefined)
      throw new Refusal(
        'rate_limit_exceeded',
        `${maxQueued} exports of this account are waiting, the most that may; try again when one has begun.`,
        { param: 'exports', retryAfterSeconds: 10 },
      )
    const { pieces, bytes, workbook } = placeholder.end
    const begun = { pieces, bytes, workbook, sha256: placeholder.sha256 }
    const row = await insertExport(client, { ...prepared, ...begun, bounds: fileBoundsOf(ctx.caller), slot })
    if (!row) {
      // Files that have expired are marked now and then only. Otherwise another request took the slot or the place meanwhile.
      if ((await expireOwnExports(client, prepared, ctx.now)) > 0) continue
      const refusal = await findFileRefusal(client, ctx)
      if (refusal) throw refusal
      continue
    }
    const content = await prepareContent(options, row, emptyFile(), header)
    if (content.pieces.length > 0) await insertPieces(client, row, { ...content, contactIds: null })
    return row
  }
}
