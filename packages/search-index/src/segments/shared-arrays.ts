import { type LiveSegment, segmentBytes } from './segment.ts'

interface ArrayKind<A> {
  new (buffer: SharedArrayBuffer): A
  BYTES_PER_ELEMENT: number
}

type Numbers = Uint8Array | Uint16Array | Int32Array | Uint32Array | Float64Array

/** An array that threads share without copying. */
export function shared<A>(kind: ArrayKind<A>, length: number): A {
  return new kind(new SharedArrayBuffer(length * kind.BYTES_PER_ELEMENT))
}

/** A copy that threads share. */
export function sharedCopy<A extends Numbers>(kind: ArrayKind<A>, numbers: Numbers): A {
  const copy = shared(kind, numbers.length)
  copy.set(numbers)
  return copy
}

/** A shared array for numbers from 0 to `largest` (below 2^32): two bytes each if they fit, else four. */
export function sharedUpTo(largest: number, length: number): Uint16Array | Uint32Array {
  return largest <= 0xffff ? shared(Uint16Array, length) : shared(Uint32Array, length)
}

/** Null if the system has no address space left. */
const placeholders = new WeakMap<object, ArrayBuffer | null>()

/**
 * Makes a segment's memory count towards this thread's garbage collection. V8 does not count shared memory, so a thread that
 * allocates little else would keep gigabytes of unused segments. A placeholder buffer of the same size lives as long as the
 * segment; its pages are never touched, so it takes no memory.
 */
export function reportMemoryToGc({ segment, dead }: LiveSegment): void {
  if (!placeholders.has(segment)) placeholders.set(segment, placeholderOf(segmentBytes(segment)))
  if (dead) reportArrayToGc(dead)
}

/** The same for one array. */
export function reportArrayToGc(array: ArrayBufferView): void {
  if (!placeholders.has(array)) placeholders.set(array, placeholderOf(array.byteLength))
}

function placeholderOf(bytes: number): ArrayBuffer | null {
  try {
    return new ArrayBuffer(bytes)
  } catch {
    return null
  }
}
