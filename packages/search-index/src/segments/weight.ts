import { type LiveSegment, segmentBytes } from './segment.ts'

/** Null where the system gives no address space for one. */
const weights = new WeakMap<object, ArrayBuffer | null>()

/**
 * Makes the memory of a segment count for this thread's garbage collection. Of shared memory V8 knows no size, so it would
 * leave segments that nobody holds any more where they are, gigabytes of them in a thread that does little else. Each
 * therefore has an ordinary buffer that lives and dies with it, as large, whose pages nobody touches: it takes none.
 */
export function weigh({ segment, dead }: LiveSegment): void {
  if (!weights.has(segment)) weights.set(segment, weightOf(segmentBytes(segment)))
  if (dead && !weights.has(dead)) weights.set(dead, weightOf(dead.byteLength))
}

function weightOf(bytes: number): ArrayBuffer | null {
  try {
    return new ArrayBuffer(bytes)
  } catch {
    return null
  }
}
