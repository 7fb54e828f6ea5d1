import { choiceParam, patternParam, type RawSearch, textParam } from '#lib/search-params.ts'

export const meters = ['contact_credits', 'store_exports', 'search_rows'] as const
export type Meter = (typeof meters)[number]

export const ranges = ['period', '30d', '90d', '12m', 'days'] as const
export type RangeChoice = (typeof ranges)[number]

/** The page's search parameters. */
export interface UsageSearch {
  mode?: 'test'
  /** Which days; the current period unless told. */
  range?: Exclude<RangeChoice, 'period'>
  /** With the range `days`: the first and the last day. */
  from?: string
  to?: string
  /** Splits the bars. */
  by?: 'key' | 'person'
  /** A bar of the plot, for the ledger: its first and last day. */
  bar?: string
  meter?: Meter
  /** The key or the person who spent. */
  who?: string
  cursor?: string
}

export function validateUsageSearch(search: RawSearch): UsageSearch {
  return {
    mode: choiceParam(search.mode, ['test']),
    range: choiceParam(search.range, ['30d', '90d', '12m', 'days']),
    from: patternParam(search.from, dayPattern),
    to: patternParam(search.to, dayPattern),
    by: choiceParam(search.by, ['key', 'person']),
    bar: patternParam(search.bar, barPattern),
    meter: choiceParam(search.meter, meters),
    who: patternParam(search.who, /^(key|per)_[A-Za-z]{16}$/),
    cursor: textParam(search.cursor),
  }
}

const dayPattern = /^\d{4}-\d{2}-\d{2}$/
const barPattern = /^\d{4}-\d{2}-\d{2}\.\.\d{4}-\d{2}-\d{2}$/
