import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readPlanFile } from '../../../src/customers/accounts/plan-file.ts'
import type { Limits } from '../../../src/customers/accounts/plans.ts'
import { readBlocks } from '../../deep/docs/support/blocks.ts'
import { ExampleChecker, parseExample } from '../../deep/docs/support/json-blocks.ts'
import { project } from '../architecture/support/tree.ts'

const guideFile = join(project, 'docs/api.md')
const guide = readFileSync(guideFile, 'utf8')

const samples = readBlocks(project, 'docs/api.md')
  .filter(({ language }) => language === 'json')
  .map(({ line, text }) => ({ line, example: parseExample(text) as { object?: string; error?: object } }))
const checker = new ExampleChecker(project)

test('every sample of the guide fits the published schema, without a property that it lacks', () => {
  expect(samples.length).toBeGreaterThan(20)
  const wrong = samples.flatMap(({ line, example }) =>
    checker.problems(example).map((problem) => `docs/api.md:${line}: ${problem}`),
  )
  expect(wrong).toEqual([])
})

test('the guide shows every object that has a schema', () => {
  const shown = JSON.stringify(samples.map(({ example }) => example))
  const missing = checker.objects().filter((object) => !shown.includes(`"object":"${object}"`))
  expect(missing).toEqual([])
})

// `vitest --update` writes the table.
test('the table of limits has the figures of plans.json', async () => {
  const heading = '| limit | Trial | Pro | Business | Enterprise |\n| --- | --- | --- | --- | --- |\n'
  const [before, after] = guide.split(heading)
  const rest = after!.slice(after!.indexOf('\n\n'))
  await expect(`${before}${heading}${(await limitRows()).join('\n')}${rest}`).toMatchFileSnapshot(guideFile)
})

async function limitRows(): Promise<string[]> {
  const { plans, trial } = await readPlanFile(join(project, 'plans.json'))
  const columns = [{ ...plans.pro.limits, ...trial }, plans.pro.limits, plans.business.limits, plans.enterprise.limits]
  const names: Record<keyof Limits, string> = {
    contact_credits: 'contact credits a month',
    store_exports: 'store exports a month',
    search_rows: 'search rows a month',
    requests_per_minute: 'requests a minute',
    requests_per_day: 'requests a day',
    billing_status_per_hour: 'billing status checks an hour',
    billing_links_per_hour: 'billing links an hour',
    ready_exports: 'export files kept',
    ready_export_bytes: 'their size, in MB',
  }
  return Object.entries(names).map(([name, label]) => {
    const divisor = name === 'ready_export_bytes' ? 1_000_000 : 1
    const cells = columns.map((limits) => (limits[name as keyof Limits] / divisor).toLocaleString('en'))
    return `| ${[label, ...cells].join(' | ')} |`
  })
}
