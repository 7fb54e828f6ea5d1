import { join, relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { readTimes } from './times.mjs'

/** Starts the files that take longest first, by the committed table, so that no worker is left alone with one at the end. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { root } = this.ctx.config
    if (process.env.TEST_ORDER_SEED) return shuffle(files, Number(process.env.TEST_ORDER_SEED))
    const seconds = readTimes(join(root, 'docs/test-times.csv'))
    const secondsOf = ({ moduleId }: TestSpecification) => seconds.get(relative(root, moduleId)) ?? 0
    return [...files].sort((a, b) => secondsOf(b) - secondsOf(a))
  }
}

/** The order that belongs to a seed: the Fisher-Yates shuffle, with a linear congruential generator. */
function shuffle<T>(items: readonly T[], seed: number): T[] {
  const shuffled = [...items]
  let state = seed >>> 0
  for (let i = shuffled.length - 1; i > 0; i--) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    const j = Math.floor((state / 2 ** 32) * (i + 1))
    const taken = shuffled[i]!
    shuffled[i] = shuffled[j]!
    shuffled[j] = taken
  }
  return shuffled
}
