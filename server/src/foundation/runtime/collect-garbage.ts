import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

let collect: (() => void) | undefined

/**
 * Frees unused memory now. Otherwise V8 waits for tens of megabytes of unused arrays, and it does not count those that
 * threads share at all. For rare moments that would otherwise set the process's peak: it stops the calling thread.
 */
export function collectGarbage(): void {
  if (!collect) {
    // Node has no other way to reach it without a flag on its command line.
    setFlagsFromString('--expose-gc')
    collect = runInNewContext('gc') as () => void
  }
  collect()
}
