import { describe, expect, test } from 'vitest'
import type { DailyReply } from '../../src/pages/usage/api.ts'
import { plotsOf } from '../../src/pages/usage/daily-plots.ts'
import { bucketsOf, timesOf } from '../../src/pages/usage/days.ts'
import { validateUsageSearch } from '../../src/pages/usage/search.ts'

describe('bars over days', () => {
  test.each([
    ['a day each, up to two months', '2026-10-01', '2026-12-01', 62, '2026-10-01..2026-10-01'],
    ['then a week', '2026-10-01', '2026-12-02', 9, '2026-10-01..2026-10-07'],
    ['then a month of the calendar', '2025-11-15', '2026-11-20', 13, '2025-11-15..2025-11-30'],
  ])('%s', (_what, from, to, count, first) => {
    const buckets = bucketsOf({ from, to })
    expect(buckets).toHaveLength(count)
    expect(buckets[0]!.id).toBe(first)
    expect(buckets.at(-1)!.to).toBe(to)
    // Every day is in one bar.
    for (const [index, bucket] of buckets.slice(1).entries())
      expect(Date.parse(bucket.from) - Date.parse(buckets[index]!.to)).toBe(86_400_000)
  })

  test('a range of days ends before the day after', () => {
    expect(timesOf({ from: '2028-02-28', to: '2028-02-29' })).toEqual({
      since: '2028-02-28T00:00:00.000Z',
      until: '2028-03-01T00:00:00.000Z',
    })
  })
})

describe('the plots of usage', () => {
  const series = (meter: DailyReply['series'][number]['meter'], id: string, amount: number, day = '2026-11-02') => ({
    ...{ meter, kind: 'key' as const, id, name: `Key ${id}` },
    days: [{ day, amount }],
  })
  const reply = (series: DailyReply['series'], by: DailyReply['by'] = 'key'): DailyReply => ({
    ...{ object: 'usage_by_day', kept_since: '2025-10-01', request_id: 'req_a', from: '2026-11-01', to: '2026-11-03' },
    ...{ by, series },
  })

  test('a spender has one colour in all of them, whatever the size of the meter', () => {
    const { plots, legend } = plotsOf(
      reply([series('contact_credits', 'a', 2), series('search_rows', 'b', 9_000), series('search_rows', 'a', 1_000)]),
    )
    expect(legend.map(({ name }) => name)).toEqual(['Key a', 'Key b'])
    const colors = plots.map((plot) => plot.series.map(({ id, color }) => [id, color.fill]))
    expect(colors).toEqual([
      [['a', 'fill-plot-1']],
      [],
      [
        ['a', 'fill-plot-1'],
        ['b', 'fill-plot-2'],
      ],
    ])
    expect(plots[2]!.series[0]!.values).toEqual([0, 1_000, 0])
    expect(plots.map(({ total }) => total)).toEqual([2, 0, 10_000])
  })

  test('all but four spenders are added up', () => {
    const { plots, legend } = plotsOf(
      reply(['a', 'b', 'c', 'd', 'e', 'f'].map((id, index) => series('search_rows', id, 10 - index))),
    )
    expect(legend.map(({ name }) => name)).toEqual(['Key a', 'Key b', 'Key c', 'Key d', 'Others'])
    expect(plots[2]!.series.at(-1)).toMatchObject({ id: 'others', values: [0, 5 + 6, 0] })
  })

  test('by meter there is one series without a legend', () => {
    const days = [{ day: '2026-11-03', amount: 7 }]
    const { plots, legend } = plotsOf(
      reply([{ meter: 'store_exports', kind: 'meter', id: null, name: 'Store exports', days }], 'meter'),
    )
    expect(legend).toEqual([])
    expect(plots[1]!.series.map(({ values }) => values)).toEqual([[0, 0, 7]])
  })
})

test('an address with unknown values is read as if they were not there', () => {
  const search = { mode: 'live', range: '7d', by: 'store', bar: '2026-11-01', meter: 'x', who: 'acct_x', from: 'now' }
  expect(Object.values(validateUsageSearch(search)).filter((value) => value !== undefined)).toEqual([])
  const known = { mode: 'test', range: 'days', by: 'key', bar: '2026-11-01..2026-11-07', from: '2026-11-01' }
  expect(validateUsageSearch(known)).toMatchObject(known)
})
