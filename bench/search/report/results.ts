import { type Distribution, distributionOf } from '../own/figures.ts'
import { type QuestionClass, questionClasses } from '../question.ts'
import type { QuestionResults, SearchResults } from '../results.ts'

/** What a run's times say, in the order of its engines. */
export interface Summary {
  first: Distribution[]
  /** Null where no question has a page 200. */
  deep: Distribution[] | null
  classes: { name: QuestionClass; questions: number; first: Distribution[] }[]
  /** Null in a run without peers. */
  againstPeers: AgainstPeers | null
}

interface AgainstPeers {
  /** The lowest mean of a peer over that of the own engine, and the same of their worst questions. */
  meanRatio: number
  worstRatio: number
  /** How much slower the own engine is than the fastest peer where it loses most, in milliseconds; negative where it never does. */
  largestLossMs: number
  /** Where that is. */
  largestLossAt: string
}

export function summarize({ questions }: SearchResults): Summary {
  const engines = questions[0]!.first.map((_, engine) => engine)
  const over = (asked: QuestionResults[]) =>
    engines.map((engine) => distributionOf(asked.map(({ first }) => first[engine]!)))
  const withDeep = questions.flatMap(({ deep }) => (deep ? [deep] : []))
  const first = over(questions)
  return {
    first,
    deep: withDeep.length > 0 ? engines.map((engine) => distributionOf(withDeep.map((deep) => deep[engine]!))) : null,
    classes: questionClasses.flatMap((name) => {
      const asked = questions.filter((question) => question.class === name)
      return asked.length > 0 ? [{ name, questions: asked.length, first: over(asked) }] : []
    }),
    againstPeers: engines.length > 1 ? compareWithPeers(first, questions) : null,
  }
}

function compareWithPeers([own, ...peers]: Distribution[], questions: readonly QuestionResults[]): AgainstPeers {
  const losses = questions.flatMap(({ name, first, deep }) => [
    { at: name, ms: lossOf(first) },
    ...(deep ? [{ at: `${name}, page 200`, ms: lossOf(deep) }] : []),
  ])
  const largest = losses.reduce((worst, loss) => (loss.ms > worst.ms ? loss : worst))
  return {
    meanRatio: Math.min(...peers.map(({ mean }) => mean)) / own!.mean,
    worstRatio: Math.min(...peers.map(({ max }) => max)) / own!.max,
    largestLossMs: largest.ms,
    largestLossAt: largest.at,
  }
}

function lossOf([own, ...peers]: readonly number[]): number {
  return own! - Math.min(...peers)
}
