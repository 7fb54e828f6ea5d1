import { useEffect, useState } from 'react'
import { call } from '#api/client.ts'
import { messageOf } from '#api/failure.ts'
import type { Reply, RequestBody, Row } from '#api/operations.ts'
import { callQuery } from '#api/query.ts'

export type Billing = Reply<'readBilling'>
export type Plan = Row<'listPlans'>
export type PlanOffer = Plan['offers'][number]
export type Trial = Reply<'readTrial'>

// The subscription may have changed at the payment provider meanwhile.
export const billingQuery = (account: string) => ({ ...callQuery('readBilling', { account }), staleTime: 0 })

/**
 * The page of the provider on which an offer is bought or confirmed, or without one the page for everything else. Anyone who has
 * the address can act for the account.
 */
export async function createLink(account: string, offer?: RequestBody<'createSubscriptionLink'>): Promise<string> {
  const { url } = await (offer
    ? call('createSubscriptionLink', { account, body: offer })
    : call('createPortalLink', { account }))
  return url
}

interface LinkOpener {
  /** Creates the link and goes there, in this tab. */
  open: (create: () => Promise<string | null>) => Promise<void>
  isOpening: boolean
  problem: string | undefined
}

/** Leaves for a page of the payment provider. Its address is a secret: it is kept nowhere, only gone to. */
export function useLink(): LinkOpener {
  const [isOpening, setIsOpening] = useState(false)
  const [problem, setProblem] = useState<string>()
  useEffect(() => {
    // The browser's way back can show this page as it was left.
    const reset = ({ persisted }: PageTransitionEvent) => persisted && setIsOpening(false)
    window.addEventListener('pageshow', reset)
    return () => window.removeEventListener('pageshow', reset)
  }, [])
  const open: LinkOpener['open'] = async (create) => {
    setIsOpening(true)
    setProblem(undefined)
    try {
      const url = await create()
      // It stays pending until the browser has left.
      if (url !== null) return window.location.assign(url)
      setIsOpening(false)
    } catch (error) {
      setProblem(messageOf(error))
      setIsOpening(false)
    }
  }
  return { open, isOpening, problem }
}
