import { join, relative } from 'node:path'
import { BaseSequencer } from 'vitest/node'
import { readTimes } from './times.mjs'

/** Starts the files that take longest first, by the committed table, so that no worker is left alone with one at the end. */
export class LongestFirst extends BaseSequencer {
  async sort(files) {
    const { root, sequence } = this.ctx.config
    if (sequence.shuffle === true || sequence.shuffle?.files) return shuffle(files, sequence.seed)
    const seconds = readTimes(join(root, 'docs/test-times.csv'))
    const secondsOf = ({ moduleId }) => seconds.get(relative(root, moduleId)) ?? 0
    return [...files].sort((a, b) => secondsOf(b) - secondsOf(a))
  }
}

/** The order that belongs to a seed, by the Fisher-Yates shuffle with a linear congruential generator. */
function shuffle(files, seed = 1) {
  const shuffled = [...files]
  let state = seed >>> 0
  for (let i = shuffled.length - 1; i > 0; i--) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    const j = Math.floor((state / 2 ** 32) * (i + 1))
    ;[shuffled[i], shuffled[j]] = [shuffled[j], shuffled[i]]
  }
  return shuffled
}
