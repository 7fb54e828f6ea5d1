/**
 * Resolves to the result of `work`, or after `timeMs` to that of `onTimeout`, which may throw. Does not end `work`: its
 * later result is ignored.
 */
export async function withTimeout<T>(work: Promise<T>, timeMs: number, onTimeout: () => T): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, timeMs)
  }).then(onTimeout)
  try {
    return await Promise.race([work, timeout])
  } finally {
    clearTimeout(timer)
  }
}
