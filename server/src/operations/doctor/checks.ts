import { withTimeout } from '@storedex/work'
import { OperatorError } from '../../foundation/kernel/errors.ts'

export type CheckStatus = 'ok' | 'warning' | 'failed'

/** One finding about the installation. It contains no secrets. */
export interface Check {
  /** Fixed, such as `data_directory`. */
  name: string
  status: CheckStatus
  /** What was found, as one sentence. */
  detail: string
  /** What to do; null if there is nothing to do. */
  advice: string | null
}

export function passed(name: string, detail: string, advice: string | null = null): Check {
  return { name, status: 'ok', detail, advice }
}

export function warned(name: string, detail: string, advice: string): Check {
  return { name, status: 'warning', detail, advice }
}

export function failed(name: string, detail: string, advice: string | null): Check {
  return { name, status: 'failed', detail, advice }
}

const checkTimeoutMs = 10_000

/** Runs one check. One that throws or takes too long has failed; the others go on. */
export async function runCheck(name: string, check: () => Promise<Check>, timeoutMs = checkTimeoutMs): Promise<Check> {
  try {
    return await withTimeout(check(), timeoutMs, () =>
      failed(
        name,
        `This took longer than ${timeoutMs / 1000} s.`,
        'See whether the machine is overloaded; run this again.',
      ),
    )
  } catch (error) {
    const { message } = error as Error
    // An operator error says what to do itself.
    return failed(name, message, error instanceof OperatorError ? null : 'See the log of the service.')
  }
}
