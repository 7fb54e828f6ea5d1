import { ApiError } from '../kernel/errors.ts'

// A caller hears of a slow provider within this time, however many requests to it a link takes.
const defaultTotalMs = 5_000
const deadlineRetryAfterSeconds = 5

/** Awaits work for what is left of the time that all of it together has. */
export type Deadline = <T>(work: Promise<T>) => Promise<T>

/** The time begins now. Work that comes to an end later is not waited for, and its outcome not used. */
export function startDeadline(totalMs = defaultTotalMs): Deadline {
  const endsAtMs = performance.now() + totalMs
  return async (work) => {
    let timer: NodeJS.Timeout | undefined
    const timeout = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(tooSlow(totalMs)), Math.max(0, endsAtMs - performance.now()))
    })
    try {
      return await Promise.race([work, timeout])
    } finally {
      clearTimeout(timer)
    }
  }
}

function tooSlow(totalMs: number): ApiError {
  return new ApiError('billing_provider_unavailable', 'The payment provider is slow; try again in a moment.', {
    retryAfterSeconds: deadlineRetryAfterSeconds,
    cause: new Error(`a billing link took longer than ${totalMs} ms`),
  })
}
