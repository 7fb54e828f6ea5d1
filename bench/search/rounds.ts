import { median } from '@storedex/testkit'
import {
  type Answer,
  deepRow,
  type Engine,
  type PreparedSearch,
  type Question,
  type Search,
  SearchTimeout,
  searchTimeoutMs,
} from './engine.ts'
import type { OwnEngine } from './own/engine.ts'

const warmingPasses = 25
/** Samples of the own engine in a round: a single sample of a few microseconds is imprecise. */
const ownSamples = 5
/** Slower searches are measured only twice: once for the comparison of rows and once in the rounds. */
const slowMs = 2_000

/** Milliseconds, each the median of its samples, in the order of the engines. */
export interface QuestionTiming {
  question: Question
  rows: number
  first: number[]
  /** Null where there is no page 200. */
  deep: number[] | null
}

interface Page {
  search: Search
  searches: PreparedSearch[]
  samples: number[][]
  rows: number
}

/**
 * Times each question's first and 200th page on all engines, which take turns within each round. First, every engine runs
 * every search once and must find the same rows as the own engine.
 */
export async function timeQuestions(
  own: OwnEngine,
  peers: readonly Engine[],
  questions: readonly Question[],
  rounds: number,
  reportProgress: (progress: string) => void,
): Promise<QuestionTiming[]> {
  const engines = [own, ...peers]
  const timed: { question: Question; first: Page; deep: Page | null }[] = []
  for (const question of questions) {
    const deep = own.pageAfter(question.search, deepRow)
    timed.push({
      question,
      first: await openPage(question.search, engines, question.name),
      deep: deep && (await openPage(deep, engines, `${question.name}, page 200`)),
    })
    reportProgress(`${question.name}: all engines agree`)
  }
  const pages = timed.flatMap(({ first, deep }) => (deep ? [first, deep] : [first]))
  warm(pages)
  for (let round = 1; round <= rounds; round++) {
    for (const page of pages) await takeSamples(page, round)
    reportProgress(`round ${round} of ${rounds}`)
  }
  const mediansOf = ({ samples }: Page) => samples.map((times) => median(times))
  return timed.map(({ question, first, deep }) => ({
    question,
    rows: first.rows,
    first: mediansOf(first),
    deep: deep && mediansOf(deep),
  }))
}

/** Lets V8 compile the engine's code; the service does the same before it listens. */
function warm(pages: readonly { searches: readonly PreparedSearch[] }[]): void {
  for (let pass = 0; pass < warmingPasses; pass++) for (const { searches } of pages) searches[0]!()
}

async function openPage(search: Search, engines: readonly Engine[], name: string): Promise<Page> {
  const page: Page = { search, searches: [], samples: [], rows: 0 }
  let expected: Answer = []
  for (const [index, engine] of engines.entries()) {
    const run = await engine.prepare(search)
    page.searches.push(run)
    const { answer, ms } = await time(run)
    // For slow searches this run is a sample; for the others it is the warm-up.
    page.samples.push(ms > slowMs ? [ms] : [])
    if (index === 0 && answer) expected = answer
    else if (answer && !isSame(answer, expected))
      throw new Error(
        `${engine.name} finds other rows for ${name}: ${answer.slice(0, 5)} instead of ${expected.slice(0, 5)}`,
      )
  }
  page.rows = expected.length
  return page
}

async function takeSamples({ searches, samples }: Page, round: number): Promise<void> {
  for (const [index, run] of searches.entries()) {
    const own = index === 0
    if (!own && round > 1 && samples[index]!.some((ms) => ms > slowMs)) continue
    for (let sample = 0; sample < (own ? ownSamples : 1); sample++) samples[index]!.push((await time(run)).ms)
  }
}

/** A stopped search has no answer and counts with the longest time. */
async function time(run: PreparedSearch): Promise<{ answer: Answer | null; ms: number }> {
  const startedAtMs = performance.now()
  try {
    const result = run()
    const answer = result instanceof Promise ? await result : result
    return { answer, ms: Math.min(performance.now() - startedAtMs, searchTimeoutMs) }
  } catch (error) {
    if (error instanceof SearchTimeout) return { answer: null, ms: searchTimeoutMs }
    throw error
  }
}

function isSame(one: Answer, other: Answer): boolean {
  return one.length === other.length && one.every((key, index) => key === other[index])
}
