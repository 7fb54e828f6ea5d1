import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useState } from 'react'
import { type Billing, billingQuery } from './api.ts'

export type Waiting = 'waiting' | 'arrived' | 'late'

const giveUpAfterMs = 60_000
const longestPauseMs = 5_000

interface AwaitedPlanOptions {
  account: string
  /** Null: nothing is waited for. Does not change. */
  isExpected: ((billing: Billing) => boolean) | null
  onArrived: () => void
}

/**
 * Asks for the billing status until it is as expected, more and more seldom, for a minute. The payment provider tells the
 * server about a change, usually within seconds.
 */
export function useAwaitedPlan({ account, isExpected, onArrived }: AwaitedPlanOptions): {
  state: Waiting
  startAgain: () => void
} {
  const client = useQueryClient()
  const [state, setState] = useState<Waiting>('waiting')
  const [attempt, setAttempt] = useState(0)
  const hasArrived = useEffectEvent((billing: Billing) => isExpected?.(billing) ?? false)
  const announce = useEffectEvent(onArrived)
  const isActive = isExpected !== null
  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt starts from the beginning
  useEffect(() => {
    if (!isActive) return
    let timer: ReturnType<typeof setTimeout> | undefined
    let isStopped = false
    const endsAt = performance.now() + giveUpAfterMs
    setState('waiting')
    const ask = async (pauseMs: number) => {
      const billing = await client.fetchQuery({ ...billingQuery(account), retry: false }).catch(() => undefined)
      if (isStopped) return
      if (billing && hasArrived(billing)) {
        setState('arrived')
        return announce()
      }
      if (performance.now() > endsAt) return setState('late')
      timer = setTimeout(ask, pauseMs, Math.min(longestPauseMs, pauseMs * 1.5))
    }
    void ask(500)
    return () => {
      isStopped = true
      clearTimeout(timer)
    }
  }, [account, isActive, attempt, client])
  return { state, startAgain: () => setAttempt((count) => count + 1) }
}
