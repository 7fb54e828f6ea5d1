import { buildSegment, everyStore, type Segment } from '@storedex/search-index'
import { expect, test } from 'vitest'
import { type PlainStore, stageStores } from '../../../../packages/search-index/test/support/plain-segments.ts'
import { threadProgram } from '../../../src/program/serving/programs.ts'
import { type CountJob, countJobOf } from '../../../src/search/counting/counter.ts'
import { CountQueue } from '../../../src/search/counting/queue.ts'
import { countInThreads } from '../../../src/search/counting/thread-pool.ts'
import type { CatalogueIndex } from '../../../src/search/replica/replica.ts'
import { atEnd } from '../../support/cleanup.ts'

const storeOf = (id: number): PlainStore => ({
  id,
  negatedScore: -id,
  activeAds: 0,
  created: null,
  discovered: null,
  tokens: [1, 2 + (id % 2)],
  contacts: [],
})

function viewOf(stores: number): CatalogueIndex {
  const segment: Segment = buildSegment(stageStores(Array.from({ length: stores }, (_, index) => storeOf(index + 1))))
  return { batch: stores, lists: { live: [{ segment, dead: null }], test: [] } }
}

function jobOf(view: CatalogueIndex, { holder = 'a', parts = 1, signal = null as AbortSignal | null } = {}): CountJob {
  const part = {
    store: everyStore,
    storeIds: null,
    person: null,
    maxPerStore: null,
    facets: [{ tokens: [1, 2, 3], limit: null }],
    peopleBy: [],
  }
  return countJobOf(view, {
    mode: 'live',
    holder,
    signal,
    parts: Array.from({ length: parts }, () => part),
    exported: null,
    revealed: null,
    verifiedOnly: false,
  })
}

/** The thread program with a line that runs before it. */
function programWith(code: string) {
  const { file, execArgv } = threadProgram('count-thread')
  return { file, execArgv: [...execArgv, '--import', `data:text/javascript,${encodeURIComponent(code)}`] }
}

/** Every look whether the count was canceled takes a while, so that counts of many parts take long. */
const slow = programWith(`
  const { load } = Atomics
  const nap = new Int32Array(new SharedArrayBuffer(4))
  Atomics.load = (...args) => { Atomics.wait(nap, 0, 0, 25); return load(...args) }`)
/** Dies after many looks. */
const mortal = programWith(`
  const { load } = Atomics
  let looks = 0
  Atomics.load = (...args) => { if (++looks > 5_000) process.exit(1); return load(...args) }`)

const lines: string[] = []
const log = (_level: string, line: string) => lines.push(line)

test('a thread counts over the view of each request, and over newer ones', async () => {
  const counter = countInThreads(threadProgram('count-thread'), { permits: 1 })(log)
  atEnd(() => counter.close())
  const [old, fresh] = [viewOf(10), viewOf(64)]
  counter.follow(old)
  const totals = async (view: CatalogueIndex) => (await counter.count(jobOf(view))).parts[0]
  expect(await totals(old)).toEqual({ stores: 10, people: 0, facets: [[10, 5, 5]], peopleBy: [] })
  counter.follow(fresh)
  expect(await Promise.all([totals(fresh), totals(old)])).toMatchObject([{ stores: 64 }, { stores: 10 }])
})

test('a count ends when its caller leaves, while it runs and while it waits; the others are answered', async () => {
  const counter = countInThreads(slow, { permits: 1, maxWaitMs: 60_000 })(log)
  atEnd(() => counter.close())
  const view = viewOf(10)
  const [running, waiting] = [new AbortController(), new AbortController()]
  // An hour, unless it is canceled.
  const long = counter.count(jobOf(view, { parts: 150_000, signal: running.signal }))
  const queued = counter.count(jobOf(view, { signal: waiting.signal }))
  const other = counter.count(jobOf(view, { holder: 'b' }))
  waiting.abort()
  await expect(queued).rejects.toMatchObject({ code: 'service_unavailable' })
  running.abort()
  await expect(long).rejects.toMatchObject({ code: 'service_unavailable' })
  expect((await other).parts[0]!.stores).toBe(10)
})

test('a thread that dies fails its count alone and is replaced', async () => {
  const counter = countInThreads(mortal, { permits: 1 })(log)
  const view = viewOf(10)
  counter.follow(view)
  await expect(counter.count(jobOf(view, { parts: 5_000 }))).rejects.toMatchObject({ code: 'service_unavailable' })
  expect(lines).toContain('a counting thread died; the next count starts another')
  expect((await counter.count(jobOf(view))).parts[0]!.stores).toBe(10)
  await counter.close()
  await expect(counter.count(jobOf(view))).rejects.toMatchObject({ code: 'service_unavailable' })
})

test('closing ends a count that runs', async () => {
  const counter = countInThreads(slow, { permits: 1 })(log)
  const ended = counter.count(jobOf(viewOf(10), { parts: 150_000 })).catch((error: unknown) => error)
  await counter.close()
  expect(await ended).toMatchObject({ code: 'service_unavailable' })
})

test('turns are fair between accounts, bounded for each, and refused after too long a wait', async () => {
  const queue = new CountQueue({ permits: 1, maxWaitMs: 60_000, maxPerHolder: 4 })
  const order: string[] = []
  const releases: (() => void)[] = []
  const run = (holder: string) =>
    queue.run(holder, null, () => {
      order.push(holder)
      return new Promise<void>((resolve) => releases.push(resolve))
    })
  const counts = ['greedy', 'greedy', 'greedy', 'greedy', 'modest', 'other'].map(run)
  await expect(run('greedy')).rejects.toMatchObject({ code: 'service_unavailable' })
  for (let ended = 0; ended < counts.length; ended++) {
    await expect.poll(() => releases.length).toBeGreaterThan(ended)
    releases[ended]!()
  }
  await Promise.all(counts)
  expect(order).toEqual(['greedy', 'modest', 'other', 'greedy', 'greedy', 'greedy'])

  const impatient = new CountQueue({ permits: 1, maxWaitMs: 20, maxPerHolder: 4 })
  let end = () => {}
  const held = new Promise<void>((resolve) => {
    end = resolve
  })
  const first = impatient.run('a', null, () => held)
  await expect(impatient.run('b', null, async () => {})).rejects.toMatchObject({ code: 'service_unavailable' })
  end()
  await first
  expect(await impatient.run('b', null, async () => 'its turn')).toBe('its turn')
})
