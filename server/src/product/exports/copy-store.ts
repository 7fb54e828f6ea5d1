import { type Static, Type } from 'typebox'
import { type Access, authorize } from '../../customers/auth/access.ts'
import { ClosedObject, RequestId } from '../../foundation/kernel/shapes.ts'
import type { CatalogueContext, PaidReply } from '../delivery/paid-reply.ts'
import { parseStore } from '../delivery/store-document.ts'
import { takeStore } from '../stores/lookup-store.ts'
import { createExportFormat } from './format/export-format.ts'

const Format = Type.Union([Type.Literal('json'), Type.Literal('csv')])

export const StoreCopyRequest = ClosedObject({ format: Format })

export const StoreCopy = ClosedObject({
  object: Type.Literal('store_copy'),
  format: Format,
  filename: Type.String({ maxLength: 300, examples: ['aurora-candles.example.json'] }),
  content: Type.String({ description: 'The store as JSON, or as CSV with a header and one row.' }),
  request_id: RequestId,
})

export const copyingStores = {
  member: { role: 'member', needsAccess: true },
  kind: 'spend',
  spends: ['store_exports'],
} as const satisfies Access

/** A store to keep, as text; costs one export per period, as a lookup with the API does. */
export async function copyStore(
  ctx: CatalogueContext,
  domain: string,
  { format }: Static<typeof StoreCopyRequest>,
): Promise<{ copy: Static<typeof StoreCopy>; balance: PaidReply['balance'] }> {
  authorize(ctx, copyingStores)
  const { document, balance } = await takeStore(ctx, domain)
  const store = parseStore(document)
  const copy = {
    object: 'store_copy' as const,
    format,
    filename: `${store.domain}.${format}`,
    content: format === 'json' ? `${JSON.stringify(store, null, 2)}\n` : formatStoreAsCsv(document),
    request_id: ctx.requestId,
  }
  return { copy, balance }
}

/** As an export writes it. */
function formatStoreAsCsv(document: string): string {
  const format = createExportFormat({ kind: 'stores', format: 'csv' })
  return format.header() + format.rows([document])
}
