import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { buildSegment } from '../src/segments/build.ts'
import { reportMemoryToGc } from '../src/segments/shared-arrays.ts'
import { stageStores } from './support/plain-segments.ts'

test('unused segments are collected although the thread allocates little else', async () => {
  const empty = buildSegment(stageStores([]))
  const segments: WeakRef<object>[] = []
  const allocate = () => {
    // Pages that are never written take no memory.
    const segment = { ...empty, entries: new Uint32Array(new SharedArrayBuffer(64 * 2 ** 20)) }
    reportMemoryToGc({ segment, dead: null })
    segments.push(new WeakRef(segment))
  }
  for (let count = 0; count < 30; count++) {
    allocate()
    // The target of a new weak reference is kept until the end of the event loop's turn.
    await delay(1)
  }
  expect(segments.filter((segment) => segment.deref()).length).toBeLessThan(segments.length / 2)
})
