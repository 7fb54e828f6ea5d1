import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { ViewReceiver } from '../../../server/src/search/replica/thread-messages.ts'
import { buildSegment } from '../src/segments/build.ts'
import { stageStores } from './support/plain-segments.ts'

test('views that nobody holds any more leave memory, although the thread does nothing else', async () => {
  const receiver = new ViewReceiver()
  const empty = buildSegment(stageStores([]))
  const segments: WeakRef<object>[] = []
  const show = (number: number) => {
    // Pages that nobody writes to take no memory.
    const large = { ...empty, entries: new Uint32Array(new SharedArrayBuffer(64 * 2 ** 20)) }
    const shelves = { live: [{ number, dead: null }], test: [] }
    receiver.receive({ batch: number, added: [[number, large]], shelves })
    segments.push(new WeakRef(large))
  }
  for (let number = 0; number < 30; number++) {
    show(number)
    // What a weak reference was made of lives to the end of its turn.
    await delay(1)
  }
  expect(segments.filter((segment) => segment.deref()).length).toBeLessThan(segments.length / 2)
})
