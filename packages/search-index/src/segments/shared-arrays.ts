import { type LiveSegment, segmentBytes } from './segment.ts'

interface ArrayKind<A> {
  new (buffer: SharedArrayBuffer): A
  BYTES_PER_ELEMENT: number
}

type Numbers = Uint8Array | Uint16Array | Int32Array | Uint32Array | Float64Array

/** An array that all threads can read without copying. */
export function shared<A>(kind: ArrayKind<A>, length: number): A {
  return new kind(new SharedArrayBuffer(length * kind.BYTES_PER_ELEMENT))
}

/** The same numbers in an array that all threads can read. */
export function sharedCopy<A extends Numbers>(kind: ArrayKind<A>, numbers: Numbers): A {
  const copy = shared(kind, numbers.length)
  copy.set(numbers)
  return copy
}

/** A shared array for numbers from 0 to `largest`, at most 2^32 - 1, of no more bytes than they need from two on. */
export function sharedUpTo(largest: number, length: number): Uint16Array | Uint32Array {
  return largest <= 0xffff ? shared(Uint16Array, length) : shared(Uint32Array, length)
}

/** Null where the system gives no address space for one. */
const weights = new WeakMap<object, ArrayBuffer | null>()

/**
 * Makes the memory of a segment count for this thread's garbage collection. Of shared memory V8 knows no size, so it would
 * leave segments that nobody holds any more where they are, gigabytes of them in a thread that does little else. Each
 * therefore has an ordinary buffer that lives and dies with it, as large, whose pages nobody touches: it takes none.
 */
export function reportMemoryToGc({ segment, dead }: LiveSegment): void {
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
