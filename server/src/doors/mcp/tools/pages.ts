import type { ApiReply } from '../api-call.ts'
import { catalogueData, catalogueOutput, cleanText, compactValue } from '../text.ts'
import type { ToolReply } from './tool.ts'

/** Descriptions of the filters that need one, by path within a request of the API. */
export const filterNotes: Record<string, string> = Object.fromEntries([
  ['exclude', 'Leaves out what was exported this period, revealed or listed'],
  ['facet_limit', '1 to 100 values of each'],
  ['limit', '1 to 100, default 25'],
  ['cursor', 'next_cursor of the page before'],
  ['max_contacts_per_store', '1 to 10 over all pages, default 1'],
  ...['filters', 'store'].flatMap((name) => [
    [name, 'All conditions hold; in a list one value is enough. Values: taxonomy_lookup.'],
    [`${name}.countries`, 'ISO 3166-1 alpha-2'],
    [`${name}.platform_plus`, 'Premium tier of the platform'],
    [`${name}.categories`, 'Each covers those below it'],
    [`${name}.meta_ads.active_ads_min`, 'Ads running now'],
    [`${name}.store_created_at.from`, 'ISO 8601'],
  ]),
])

/** The output of a page of rows. */
export const pageOutput = catalogueOutput(
  {
    data: { type: 'array', items: { type: 'object' } },
    has_more: { type: 'boolean' },
    next_cursor: { type: 'string' },
    search_end: { type: 'string' },
  },
  ['data', 'has_more'],
)

/** The rows of a list of the API. */
export function pageRows(reply: { data: object[] }): unknown[] {
  return reply.data.map(compactValue)
}

/** A page of a search, with the cursor of the next one, or why there is none although more matches. */
export function describePage(tool: string, things: string, { body, searchEnd }: ApiReply): ToolReply {
  const rows = pageRows(body)
  const cursor = typeof body.next_cursor === 'string' ? cleanText(body.next_cursor) : null
  const end = searchEnd === undefined ? null : cleanText(searchEnd)
  return {
    says: [
      cursor === null && end === null
        ? `${rows.length} ${things}, no more.`
        : `${rows.length} ${things}. There are more.`,
      ...(cursor === null ? [] : [`To go on, call ${tool} with the same arguments and cursor: ${cursor}`]),
      ...(end === null ? [] : [end]),
    ],
    rows,
    structured: catalogueData({
      data: rows,
      has_more: cursor !== null,
      ...(cursor !== null && { next_cursor: cursor }),
      ...(end !== null && { search_end: end }),
    }),
  }
}
