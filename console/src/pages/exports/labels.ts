import { formatBytes, formatCount, formatNumber } from '#lib/format.ts'
import type { BadgeTone } from '#ui/data/badge.tsx'
import type { UsageReply } from '../usage/api.ts'
import type { ExportJob, ExportKind } from './api.ts'

export const kindNames: Record<ExportKind, string> = {
  stores: 'Stores',
  previews: 'People without channels',
  contacts: 'People with channels',
}

const statuses: Record<ExportJob['status'], [label: string, tone: BadgeTone]> = {
  queued: ['Queued', 'accent'],
  running: ['Running', 'accent'],
  ready: ['Ready', 'success'],
  canceled: ['Canceled', 'neutral'],
  failed: ['Failed', 'danger'],
  expired: ['Expired', 'neutral'],
}

export function statusWords(status: ExportJob['status']): { label: string; tone: BadgeTone } {
  const [label, tone] = statuses[status]
  return { label, tone }
}

/** `12,400 of 50,000`. */
export function progressText({ rows, of }: ExportJob['progress']): string {
  return `${formatNumber(rows)} of ${formatNumber(of)}`
}

/** `7 credits, 5 store exports`; `Nothing` where it was free. */
export function costText({ contact_credits, store_exports }: ExportJob['cost']): string {
  const parts = [
    contact_credits > 0 && formatCount(contact_credits, 'credit'),
    store_exports > 0 && formatCount(store_exports, 'store export'),
  ].filter(Boolean)
  return parts.join(', ') || 'Nothing'
}

/** `10 rows, 3.4 kB`. */
export function fileText({ rows, bytes }: NonNullable<ExportJob['file']>): string {
  return `${formatCount(rows, 'row')}, ${formatBytes(bytes)}`
}

/** `12 of 50 files are kept, 3.4 MB of 500 MB.` */
export function keptText({ files, files_limit, bytes, bytes_limit }: UsageReply['kept_exports']): string {
  const size = `${formatBytes(bytes)} of ${formatBytes(bytes_limit)}`
  return `${formatNumber(files)} of ${formatCount(files_limit, 'file')} ${files === 1 ? 'is' : 'are'} kept, ${size}.`
}

const endings: Record<NonNullable<ExportJob['stopped_by']>, string | null> = {
  end: null,
  max_rows: 'It ended at the number of rows that was chosen.',
  max_credits: 'It ended at the number of credits that was allowed.',
  credits: 'It ended because no contact credits were left.',
  exports: 'It ended because no store exports were left.',
}

/** Why it holds no more, and what became of the file; null where there is nothing to say. */
export function endingText({ status, stopped_by, error }: ExportJob): string | null {
  if (status === 'failed')
    return `${error?.message ?? 'It failed.'} What was paid stays yours: start it again, and it is free.`
  if (status === 'expired') return 'The file is gone. What was paid stays yours: export it again, and it is free.'
  if (status === 'canceled') return 'It was stopped. The file holds what was paid until then.'
  return stopped_by && endings[stopped_by]
}

/** True if paying more would deliver more. */
export function isShort({ stopped_by }: ExportJob): boolean {
  return stopped_by === 'credits' || stopped_by === 'exports'
}
