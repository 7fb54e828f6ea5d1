import { readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'
import { type CountResult, countMatches } from '@storedex/search-index'
import { serializeError, threadPort } from '@storedex/work'
import { IndexDeserializer } from '../replica/thread-messages.ts'
import type { FromCountThread, ToCountThread } from './messages.ts'
import { warmUpCounts } from './warm-up.ts'

class CountCanceled extends Error {}

/** The main function of the thread program: answers one count at a time. */
export function runCountThread(): void {
  const { post, onMessage } = threadPort<undefined, ToCountThread, FromCountThread>()
  lowerPriority()
  const deserializer = new IndexDeserializer()
  let isWarm = false
  onMessage((message) => {
    const { lists } = deserializer.deserialize(message.index)
    if (message.kind === 'follow') {
      if (!isWarm) isWarm = warmUpCounts(lists)
      return
    }
    const { mode, request, canceled } = message
    const poll = () => {
      if (Atomics.load(canceled, 0) !== 0) throw new CountCanceled()
    }
    post(answer(() => countMatches(lists[mode], request, poll)))
  })
}

function answer(count: () => CountResult): FromCountThread {
  try {
    return { kind: 'counted', result: count() }
  } catch (error) {
    return error instanceof CountCanceled ? { kind: 'canceled' } : { kind: 'failed', error: serializeError(error) }
  }
}

/** On a busy machine counts get a quarter of a processor that they share with searches: with 10, a tenth, they hardly go on. */
const niceness = 5

/** Searches run in the main thread and must not wait for counts. Only Linux has priorities of threads. */
function lowerPriority(): void {
  try {
    const id = Number(readlinkSync('/proc/thread-self').split('/').at(-1))
    if (id > 0) setPriority(id, niceness)
  } catch {
    // Counts then compete like any other thread.
  }
}
