import { hostileFiles } from '@storedex/testkit/workbooks'
import { beforeAll, expect, test } from 'vitest'
import { importStores } from '../../../../src/catalogue/imports/stores/import-stores.ts'
import { OperatorError } from '../../../../src/foundation/kernel/errors.ts'
import { openTestCatalogue, type TestCatalogue } from '../support/test-catalogue.ts'

let catalogue: TestCatalogue
beforeAll(async () => {
  catalogue = await openTestCatalogue()
})

const mostBytes = 300_000_000

/** The most resident memory beyond that at the start, while something runs. */
async function peakOf(work: () => Promise<unknown>): Promise<number> {
  const rest = process.memoryUsage.rss()
  let peak = rest
  const timer = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss())
  }, 10)
  await work()
  clearInterval(timer)
  return peak - rest
}

test.each(Object.entries(hostileFiles.bombs))(
  '%s is refused in a sentence, in bounded memory',
  async (_title, build) => {
    const file = await catalogue.write('bomb.xlsx', build())
    let outcome: unknown
    const peak = await peakOf(async () => {
      outcome = await importStores(catalogue.context, { file, extendTaxonomy: false }).catch((error: unknown) => error)
    })
    expect(outcome).toBeInstanceOf(OperatorError)
    expect((outcome as Error).message).toMatch(/bomb\.xlsx: .+\.$/s)
    expect(peak).toBeLessThan(mostBytes)
    expect(await catalogue.rows()).toEqual([])
  },
)
