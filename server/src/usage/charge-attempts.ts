import { ApiError } from '../kernel/errors.ts'

const maxAttempts = 25

/**
 * Does `work` that charges. When it fails, `explain` looks at the figures: it throws what is no refusal, and answers with the
 * refusal, or with null when the charge would fit by now. That happens when others paid for some of the same contacts or
 * stores between the refusal and the look; so it is tried again, each time with less to pay.
 */
export async function chargeOrRefuse<T>(
  work: () => Promise<T>,
  explain: (error: unknown) => Promise<ApiError | null>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      const refusal = await explain(error)
      if (refusal) throw refusal
      if (attempt >= maxAttempts)
        throw new ApiError('service_unavailable', 'The service is busy; try again in a moment.', { cause: error })
    }
  }
}
