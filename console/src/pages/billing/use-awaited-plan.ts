import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { type Billing, billingQuery } from './billing-api.ts'

export type Waiting = 'waiting' | 'arrived' | 'late'

const giveUpAfterMs = 60_000
const longestPauseMs = 5_000

/**
 * Asks for the billing status until it is as expected, more and more seldom, for a minute. The payment provider tells the
 * server about a change, usually within seconds. `attempt` starts it again.
 */
export function useAwaitedPlan(
  account: string,
  isExpected: ((billing: Billing) => boolean) | null,
  attempt: number,
): { state: Waiting; billing: Billing | undefined } {
  const client = useQueryClient()
  const [result, setResult] = useState<{ state: Waiting; billing: Billing | undefined }>({
    state: 'waiting',
    billing: undefined,
  })
  const isActive = isExpected !== null
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is expected does not change while it waits
  useEffect(() => {
    if (!isExpected) return
    let timer: ReturnType<typeof setTimeout> | undefined
    let isStopped = false
    const endsAt = performance.now() + giveUpAfterMs
    setResult({ state: 'waiting', billing: undefined })
    const ask = async (pauseMs: number) => {
      const billing = await client.fetchQuery({ ...billingQuery(account), retry: false }).catch(() => undefined)
      if (isStopped) return
      if (billing && isExpected(billing)) return setResult({ state: 'arrived', billing })
      if (performance.now() > endsAt) return setResult({ state: 'late', billing })
      timer = setTimeout(ask, pauseMs, Math.min(longestPauseMs, pauseMs * 1.5))
    }
    void ask(500)
    return () => {
      isStopped = true
      clearTimeout(timer)
    }
  }, [account, isActive, attempt, client])
  return result
}
