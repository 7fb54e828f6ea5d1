import { type Static, Type } from 'typebox'
import type { CatalogueContext, PaidReply } from '../../delivery/paid-reply.ts'
import { parseStore, type Store } from '../../delivery/store-document.ts'
import { type CsvValue, formatCsvRow } from '../../kernel/csv.ts'
import { ClosedObject, RequestId } from '../../kernel/shapes.ts'
import { takeStore } from '../../stores/find-stores.ts'

const Format = Type.Union([Type.Literal('json'), Type.Literal('csv')])

export const StoreCopyRequest = ClosedObject({ format: Format })

export const StoreCopy = ClosedObject({
  object: Type.Literal('store_copy'),
  format: Format,
  filename: Type.String({ maxLength: 300, examples: ['aurora-candles.example.json'] }),
  content: Type.String({ description: 'The store as JSON, or as CSV with a header and one row.' }),
  request_id: RequestId,
})

/** A store to keep, as text; costs one export per period, as a lookup with the API does. */
export async function copyStore(
  ctx: CatalogueContext,
  domain: string,
  { format }: Static<typeof StoreCopyRequest>,
): Promise<{ copy: Static<typeof StoreCopy>; balance: PaidReply['balance'] }> {
  const { document, balance } = await takeStore(ctx, domain)
  const store = parseStore(document)
  const copy = {
    object: 'store_copy' as const,
    format,
    filename: `${store.domain}.${format}`,
    content: format === 'json' ? `${JSON.stringify(store, null, 2)}\n` : formatStoreAsCsv(store),
    request_id: ctx.requestId,
  }
  return { copy, balance }
}

/** The columns of a store in CSV, each with the path of its field. Lists are joined with `|`. */
const columns = [
  ...['id', 'domain', 'name', 'category', 'country', 'traffic_tier', 'revenue_tier', 'platform_plus', 'lead_fit_score'],
  ...['estimate', 'resolution', 'source', 'confidence'].map((field) => `store_created_at.${field}`),
  'first_discovered_at',
  ...['total', 'has_revealable_contacts', 'verified_email_count', 'roles'].map((field) => `contacts_summary.${field}`),
  ...['apps', 'pixels', 'theme.name', 'theme.type'].map((field) => `technologies.${field}`),
]

function formatStoreAsCsv(store: Store): string {
  const row = columns.map((column) => {
    const value = column.split('.').reduce<unknown>((node, field) => (node as Record<string, unknown>)?.[field], store)
    return csvValueOf(value)
  })
  return formatCsvRow(columns) + formatCsvRow(row)
}

function csvValueOf(value: unknown): CsvValue {
  if (value === null || value === undefined) return null
  if (Array.isArray(value)) return value.join('|')
  return typeof value === 'number' ? value : String(value)
}
