export { Coalescer } from './coalescer.ts'
export { FairQueue, type FairQueueBounds, type PermitHolder, type RefusedBecause } from './fair-queue.ts'
export { FairSemaphore } from './fair-semaphore.ts'
export { KeyedMutex } from './keyed-mutex.ts'
export { finish, finishSteps, Pace, type SlicedWork, type Steps, unhurried, workInSteps, workOf } from './pace.ts'
export { SliceScheduler, slices, sortInSteps } from './slices.ts'
export { Slots } from './slots.ts'
export {
  deserializeError,
  isOutOfMemory,
  type SerializedError,
  serializeError,
  Thread,
  type ThreadPort,
  type ThreadProgram,
  threadPort,
} from './thread.ts'
export { withTimeout } from './timeout.ts'
