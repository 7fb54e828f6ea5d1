import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { findChromium } from '../../stripe-standin/test/support/chromium.ts'
import type { FilterResults } from '../console/filters.ts'
import type { LighthouseResults } from '../console/lighthouse.ts'
import { commands } from '../options.ts'
import { benchTimeoutMs, figuresNamed, runShortBench } from './support/short-bench.ts'
import { benchesOf } from './support/short-forms.ts'

const chromium = findChromium()
const lighthouse = resolve(import.meta.dirname, '../console/lighthouse/node_modules/lighthouse')

test(
  'the bench of filters in the console runs through',
  async (context) => {
    if (!chromium) context.skip('Chromium was not found')
    const results = await runShortBench<FilterResults>('filters', '--report', 'REPORT')
    expect(Math.min(results.changes, ...figuresNamed(results, ['p50']))).toBeGreaterThan(0)
  },
  benchTimeoutMs,
)

test(
  'the bench of pages in Lighthouse runs through',
  async (context) => {
    if (!chromium) context.skip('Chromium was not found')
    if (!existsSync(lighthouse)) context.skip('Lighthouse is not installed; `npm run bench -- lighthouse` installs it')
    const { pages } = await runShortBench<LighthouseResults>('lighthouse', '--report', 'REPORT')
    expect(Math.min(...figuresNamed(pages, ['performance', 'accessibility']))).toBeGreaterThan(0)
  },
  benchTimeoutMs,
)

test('every bench has a short form that is tested', () => {
  expect(Object.values(benchesOf).flat().sort()).toEqual([...commands].sort())
})
